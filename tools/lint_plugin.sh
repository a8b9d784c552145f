#!/usr/bin/env bash
# lint_plugin.sh: clang-tidy of plugins/torch, about 20 minutes. clang 14 stumbles over LibTorch 1.13's own headers in
# C++20 (ivalue_inl.h) and still checks our code behind them, so only findings in our files count and not its errors
# there. What it cannot see: mistakes that only show in types behind those headers; test files.
set -uo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
cmake --preset release -B "$build" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DATCAV_UNITY=OFF > /dev/null || exit 1
found=$(git ls-files 'plugins/*.cpp' | grep -v _test | xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet 2>/dev/null |
  grep -E '/plugins/.*(warning|error):' | grep -v clang-diagnostic-error | sort -u)
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "clang-tidy of the plugin: clean"
