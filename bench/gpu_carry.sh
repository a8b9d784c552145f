#!/usr/bin/env bash
# gpu_carry.sh: packs the libraries we build on into carry/debian.tar.xz, for a GPU machine that has PyTorch, g++,
# CMake and nothing else of ours. Then run bench/gpu_run.sh there.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p carry
packages=$(dpkg-query -Wf '${Package}\n' 'libeigen3-dev' 'libboost1*-dev' 'libfmt*' 'nlohmann-json3-dev' 'libyaml-cpp*' \
  'libcli11-dev' 'libprotozero-dev' 'libjpeg62-turbo*' 'libpng-dev' 'libpng16-16' 'zlib1g*' 'libssl-dev' 'libssl3' \
  'libxxhash*' libgtest-dev libgmock-dev 2>/dev/null)
dpkg -L $packages 2>/dev/null | grep -E '^/usr/(include|lib|share/(eigen3|cmake|protozero))|^/lib/' | sort -u |
  while read -r file; do if [ ! -d "$file" ]; then echo "${file#/}"; fi; done |
  XZ_OPT='-3 -T0' tar -C / -cJf carry/debian.tar.xz --no-recursion -T -
du -sh carry
