#!/usr/bin/env bash
# gpu_run.sh [BATCH]: builds model_speed against the LibTorch of `python3` and runs it beside eager PyTorch on
# the GPU, in fp32, TF32 and bf16; in fp32 the CPU's answers are compared too. Where our libraries are not
# installed it takes them from carry/ (gpu_carry.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
batch=${1:-256}
build=build-gpu
prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
if [ -e carry/debian.tar.xz ]; then
  mkdir -p "$build/debian"
  tar -C "$build/debian" -xf carry/debian.tar.xz
  prefix="$prefix;$PWD/$build/debian/usr"
  options=(-DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu)
fi
cmake -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DATCAV_DEVELOPER=ON -DCMAKE_PREFIX_PATH="$prefix" "${options[@]-}" >/dev/null
cmake --build "$build" --target model_speed
run() { python3 bench/model_speed.py "$build/bench/model_speed" --device cuda --batch "$batch" "$@"; }
for precision in fp32 tf32 bf16; do
  echo "== $precision, batch $batch"
  run --precision "$precision" --pool mean
done
echo "== fp32, every element of the layer copied back"
run --precision fp32 --pool none
