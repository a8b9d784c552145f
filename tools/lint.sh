#!/usr/bin/env bash
# lint.sh [BUILD]: layers, names, format and clang-tidy of everything tracked. Stops at the first kind that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
python=/usr/bin/python3
$python tools/check_layers.py
$python tools/check_names.py
mapfile -t files < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${files[@]}"
echo "format: clean"
# clang-tidy wants the command of each file; $build may compile many as one.
tidy=$(realpath -m "$build")/tidy
cmake --preset dev -B "$tidy" > /dev/null
cmake --build "$tidy" --target atcav_build_id > /dev/null
# Only what the build compiles, and not tests, which are held to the compiler's warnings; nor files with the plugin's
# precompiled header, which clang cannot read: tools/lint_plugin.sh takes those, slowly.
$python - "$tidy" <<'PY' | xargs -P "$(nproc)" -n 4 clang-tidy -p "$tidy" --quiet 2>/dev/null
import json, sys
entries = json.load(open(sys.argv[1] + "/compile_commands.json"))
unreadable = {entry["file"] for entry in entries if "cmake_pch" in entry["command"]}
for name in sorted({entry["file"] for entry in entries} - unreadable):
    if not name.endswith("_test.cpp") and not name.startswith(sys.argv[1]) and any(f"/{part}/" in name for part in ("src", "apps", "plugins", "python")):
        print(name)
PY
echo "clang-tidy: clean"
