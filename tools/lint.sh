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
# clang-tidy reads few large files, as the compiler does (ATCAV_UNITY), which takes a fifth of the time.
tidy=$(realpath -m "$build")/tidy
cmake --preset dev -B "$tidy" -DATCAV_UNITY=ON > /dev/null
cmake --build "$tidy" --target atcav_build_id {src/report,apps/demo,apps/paper}/embedded.cpp > /dev/null
# Only what the build compiles, and not tests, which are held to the compiler's warnings; nor files with the plugin's
# precompiled header, which clang cannot read: tools/lint_plugin.sh takes those, slowly.
$python - "$tidy" <<'PY' | xargs -P "$(nproc)" -n 1 clang-tidy -p "$tidy" --quiet --checks=-bugprone-suspicious-include 2>/dev/null
import json, os, sys
tidy, source = sys.argv[1], os.getcwd()
entries = json.load(open(tidy + "/compile_commands.json"))
unreadable = {entry["file"] for entry in entries if "cmake_pch" in entry["command"]}
for name in sorted({entry["file"] for entry in entries} - unreadable):
    part = os.path.relpath(name, tidy if name.startswith(tidy) else source).split("/")[0]
    if not name.endswith(("_test.cpp", "embedded.cpp")) and part in ("src", "apps", "plugins", "python"):
        print(name)
PY
echo "clang-tidy: clean"
