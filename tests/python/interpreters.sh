#!/usr/bin/env bash
# interpreters.sh SOURCE BUILD: `pip install` and the package's tests with each CPython from 3.9 on that is on PATH or of
# pyenv, in an empty environment with NumPy; in the newest one with today's PyTorch too. 77, skipped, where there is no
# interpreter or PyPI is not reached; with ATCAV_NEED_PYPI=1 (make check-all) the latter is a failure.
set -euo pipefail
source=$1
build=$2

export CXX=${CXX:-c++}  # not each interpreter's own, so that all share the objects
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
mapfile -t found < <("$source/tools/interpreters.sh")
if [ ${#found[@]} -eq 0 ]; then
  echo "skipped: there is no CPython from 3.9 on with ensurepip"
  exit 77
fi
for python in "${found[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  environment=$build/python-$version
  wheels=$build/wheels-$version
  rm -rf "$environment" "$wheels"
  "$python" -m venv "$environment"
  pip=("$environment/bin/pip" --quiet --disable-pip-version-check --retries 1 --timeout 60)
  packages=(numpy)
  [ "$python" = "${found[-1]}" ] && packages+=("$(grep '^torch==' "$source/tests/pypi/requirements.txt")")
  if ! "${pip[@]}" install "${packages[@]}" >"$environment/pip.log" 2>&1; then
    echo "skipped: CPython $version cannot have ${packages[*]}: $(grep -m 1 ERROR "$environment/pip.log")"
    [ -z "${ATCAV_NEED_PYPI:-}" ] && exit 77
    exit 1
  fi
  started=$SECONDS
  "${pip[@]}" wheel --no-deps --wheel-dir "$wheels" --config-settings=build-dir="$build/wheel" "$source" 2>&1 |
    { grep -v '^WARNING' || true; }
  "${pip[@]}" install --no-index --no-deps "$wheels"/*.whl
  echo "CPython $version with ${packages[*]}: $(basename "$wheels"/*.whl), $(du -k "$wheels"/*.whl | cut -f1) kB in" \
    "$((SECONDS - started)) s, program $("$environment/bin/atcav" --version)"
  if ! "$environment/bin/python" -B -m unittest discover --start-directory "$source/tests/python" \
      >"$environment/tests.log" 2>&1; then
    cat "$environment/tests.log"
    exit 1
  fi
  grep -E '^(Ran|OK)' "$environment/tests.log"
done
