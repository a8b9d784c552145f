#!/usr/bin/env bash
# wheels.sh BUILD [PYTHON…]: a source distribution and, from it, a wheel for each interpreter (tools/interpreters.sh) in
# BUILD/wheelhouse. The wheels need no library of the system but glibc (manylinux_2_34: Debian 12, Ubuntu 22.04, Fedora 35,
# RHEL 9 and newer); auditwheel and twine say so. Packages of Python come from PyPI; exits with 77 where it is not reached.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
pythons=("$@")
[ $# -gt 0 ] || mapfile -t pythons < <("$source/tools/interpreters.sh")
[ ${#pythons[@]} -gt 0 ] || { echo "there is no CPython from 3.9 on with ensurepip" >&2; exit 1; }
tools=$(dirname "$("$source/tests/pypi/environment.sh" "$build/wheel-tools" "$source/tools/wheel_requirements.txt")")
export PATH=$tools:$PATH CXX=${CXX:-c++}  # not each interpreter's own, so that all share the objects
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
house=$build/wheelhouse
rm -rf "$house" "$build/sdist" "$build/unrepaired"
mkdir -p "$house" "$build/sdist"

python -m build --sdist --outdir "$house" "$source" >"$build/sdist.log" 2>&1 || { tail -n 30 "$build/sdist.log"; exit 1; }
tar -xzf "$house"/atcav-*.tar.gz -C "$build/sdist" --strip-components=1
for python in "${pythons[@]}"; do
  started=$SECONDS
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$python" -m venv "$build/wheel-$version"
  "$build/wheel-$version/bin/pip" --quiet --disable-pip-version-check wheel --no-deps --wheel-dir "$build/unrepaired" \
    --config-settings=build-dir="$build/wheel-objects" --config-settings=cmake.define.ATCAV_SELF_CONTAINED=ON \
    "$build/sdist" 2>&1 | { grep -v '^WARNING' || true; }
  auditwheel repair --plat manylinux_2_34_x86_64 --wheel-dir "$house" "$build/unrepaired"/atcav-*-cp"${version/./}"-*.whl \
    2>"$build/auditwheel.log" || { cat "$build/auditwheel.log"; exit 1; }
  echo "CPython $version: $(basename "$house"/*-cp"${version/./}"-*.whl), $(du -k "$house"/*-cp"${version/./}"-*.whl | cut -f1) kB" \
    "in $((SECONDS - started)) s"
done
twine --no-color check --strict "$house"/*
auditwheel show "$(ls "$house"/*.whl | tail -n 1)"
