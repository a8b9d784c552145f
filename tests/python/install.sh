#!/usr/bin/env bash
# install.sh SOURCE BUILD: the package in fresh environments: BUILD/python-debian, with Debian's NumPy and PyTorch, and
# BUILD/python-pypi, with today's from PyPI. Both get the wheel that pip builds; where PyPI cannot be reached there is no
# scikit-build-core to build one, and the first gets what the same install rules give.
set -euo pipefail
source=$1
build=$2
rm -rf "$build/python-debian" "$build/python-pypi" "$build/wheels"
/usr/bin/python3 -m venv --system-site-packages "$build/python-debian"
site() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
status=0
pypi=$("$source/tests/pypi/environment.sh" "$build/pypi") || status=$?
if [ $status -eq 77 ]; then
  cmake --install "$build" --component python --prefix "$(site "$build/python-debian")" >/dev/null
  exit 0
fi
[ $status -eq 0 ] || exit $status
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
started=$SECONDS
"$pypi" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$build/wheels" \
  --config-settings=build-dir="$build/wheel" "$source"
echo "$(basename "$build"/wheels/*.whl): $(du -k "$build"/wheels/*.whl | cut -f1) kB in $((SECONDS - started)) s"
/usr/bin/python3 -m venv "$build/python-pypi"
echo "$(dirname "$(dirname "$pypi")")"/lib/python3*/site-packages >"$(site "$build/python-pypi")/pypi.pth"
for environment in python-debian python-pypi; do
  "$build/$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$build"/wheels/*.whl
done
