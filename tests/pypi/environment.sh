#!/usr/bin/env bash
# environment.sh FOLDER [REQUIREMENTS [OPTION…]]: a virtual environment (of venv with these options) with requirements.txt in
# FOLDER, made once and made anew when the requirements change. Prints the path of its Python. Where the packages cannot be had it exits with 77, which
# ctest counts as skipped, and says why; with ATCAV_NEED_PYPI=1 (make check-all) that is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
requirements=${2:-$here/requirements.txt}
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
if ! cmp -s "$requirements" "$folder/requirements.txt"; then
  rm -rf "$folder"
  /usr/bin/python3 -m venv "${@:3}" "$folder" >&2
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 \
      -r "$requirements" >"$folder/pip.log" 2>&1; then
    echo "skipped: $requirements cannot be installed: $(grep -m 1 ERROR "$folder/pip.log")" >&2
    [ -z "${ATCAV_NEED_PYPI:-}" ] && exit 77
    exit 1
  fi
  cp "$requirements" "$folder/requirements.txt"
fi
echo "$folder/bin/python"
