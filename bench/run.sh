#!/usr/bin/env bash
# run.sh [BUILD]: every benchmark. Each proves its answer before it times it and exits 1 if it is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
for program in "$build"/bench/*_bench; do
  "$program"
  echo
done
