#!/usr/bin/env bash
# environment.sh FOLDER: a virtual environment with requirements.txt in FOLDER, made once and made anew when the
# requirements change. Prints the path of its Python. Exits with 77, which ctest counts as skipped, where the
# packages cannot be reached.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
if ! cmp -s "$here/requirements.txt" "$folder/requirements.txt"; then
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" >&2
  pip=("$folder/bin/pip" --disable-pip-version-check --quiet --retries 1 --timeout 15)
  if ! "${pip[@]}" download --no-deps --dest "$folder" tqdm==4.70.1 >"$folder/pip.log" 2>&1; then
    echo "skipped: the packages of tests/pypi/requirements.txt cannot be reached" >&2
    exit 77
  fi
  "${pip[@]}" install -r "$here/requirements.txt" >&2
  cp "$here/requirements.txt" "$folder/requirements.txt"
fi
echo "$folder/bin/python"
