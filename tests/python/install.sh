#!/usr/bin/env bash
# install.sh debian|pypi|onnx SOURCE BUILD: the package's wheel in a fresh environment, BUILD/python-WHICH.
#   debian  with Debian's NumPy and PyTorch: the wheel of the developer build, plugin included
#   pypi    with today's from PyPI: the wheel that pip builds; 77, skipped, where PyPI is not reached
#   onnx    the same with the plugin, built against PyPI's PyTorch
set -euo pipefail
which=$1
source=$2
build=$3
environment=$build/python-$which
wheels=$build/wheels-$which
rm -rf "$environment" "$wheels"
mkdir -p "$wheels"
started=$SECONDS
if [ "$which" = debian ]; then
  /usr/bin/python3 -m venv --system-site-packages "$environment"
  /usr/bin/python3 -B "$source/tests/python/pack_wheel.py" "$build" "$source/pyproject.toml" "$wheels"
else
  pypi=$("$source/tests/pypi/environment.sh" "$build/pypi")
  export CXX=${CXX:-c++}  # not each interpreter's own, so that all share the objects
  command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  "$pypi" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$wheels" \
    --config-settings=build-dir="$build/wheel" \
    --config-settings=cmake.define.ATCAV_TORCH="$([ "$which" = onnx ] && echo ON || echo OFF)" "$source"
  /usr/bin/python3 -m venv "$environment"
  site=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  packages=$(echo "$(dirname "$(dirname "$pypi")")"/lib/python3*/site-packages)
  echo "$packages" >"$site/pypi.pth"
  ln -s "$packages/torch" "$site/torch"  # the plugin looks for its library beside its own package
fi
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$wheels"/*.whl
echo "$(basename "$wheels"/*.whl): $(du -k "$wheels"/*.whl | cut -f1) kB in $((SECONDS - started)) s"
