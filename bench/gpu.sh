#!/usr/bin/env bash
# gpu.sh [BUILD] [PART…]: builds atcav against the LibTorch of `python3` and prints how fast it is on a GPU, beside
# PyTorch. Answers are proved first; exit status 1 if one is wrong. Parts: jpegs array forward gram vary_s failures
# cpu (default: all). CMAKE_ARGS says where libraries are that CMake does not find by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
shift || true
prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
read -ra options <<<"${CMAKE_ARGS-}"
cmake -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DATCAV_DEVELOPER=ON -DCMAKE_PREFIX_PATH="$prefix" "${options[@]}" >/dev/null
cmake --build "$build" --target atcav_program atcav_plugin model_speed device_pass_speed
exec python3 bench/gpu.py "$build" "$@"
