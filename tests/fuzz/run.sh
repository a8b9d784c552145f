#!/usr/bin/env bash
# run.sh BUILD TARGET…: each target in several processes at once, with different seeds, until their runs are done.
# RUNS per target (default 10000000), JOBS at once (default: all processors), SECONDS_EACH at most per process (0: no
# limit), MAX_LEN of an input. A crash, or a run that takes more than 10 s or 1 GB, leaves its input in BUILD/crashes and
# ends in exit code 1.
set -euo pipefail
build=$(realpath "$1"); shift
here=$(realpath "$(dirname "$0")")
runs=${RUNS:-10000000}; jobs=${JOBS:-$(nproc)}; limit=${SECONDS_EACH:-0}; longest=${MAX_LEN:-4096}
mkdir -p "$build/crashes" && cd "$build/crashes"
/usr/bin/python3 -B "$here/seeds.py" "$build/seeds"
failed=0
for target in "$@"; do
  program=$(find "$build" -name "${target}_fuzz" -type f -perm -u+x | head -1)
  options=(-runs=$((runs / jobs)) -max_len="$longest" -max_total_time="$limit")
  [ -e "$here/$target.dict" ] && options+=(-dict="$here/$target.dict")
  pids=(); started=$(date +%s)
  for ((job = 1; job <= jobs; job++)); do
    mkdir -p "$build/corpus/$target-$job"
    "$program" "${options[@]}" -seed="$job" "$build/corpus/$target-$job" "$build/seeds/$target" \
      > "$target-$job.log" 2>&1 & pids+=($!)
  done
  bad=0
  for pid in "${pids[@]}"; do wait "$pid" || bad=$((bad + 1)); done
  total=$(grep -ho 'Done [0-9]* runs' "$target"-*.log | awk '{n += $2} END {print n + 0}')
  echo "$target: $total executions in $(($(date +%s) - started)) s, $bad of $jobs processes failed"
  grep -h '^Done' "$target"-*.log | sed 's/.*: /  /' || true
  [ "$bad" = 0 ] || failed=1
done
exit $failed
