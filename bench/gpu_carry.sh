#!/usr/bin/env bash
# gpu_carry.sh: puts the header-only libraries that the model benchmark needs into carry/include, for a GPU
# machine that has PyTorch, g++ and nothing else of ours. Then run bench/gpu_run.sh there.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf carry
mkdir -p carry/include
cp -r /usr/include/eigen3/Eigen /usr/include/fmt /usr/include/protozero carry/include/
du -sh carry
