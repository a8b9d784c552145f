#!/usr/bin/env bash
# wheel.sh SOURCE BUILD [SUITE…]: `make wheel`'s wheels as users get them.
#   In Debian 12 and 13 as debootstrap leaves them (no compiler, no library of ours): pip install, the program, README's lines
#   with Debian's PyTorch, and the time from nothing to the first report.
#   Beside today's PyTorch of PyPI, imported before and after.
# Prints what it does; 77, skipped, without root or debootstrap or where Debian or PyPI is not reached.
set -euo pipefail
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
suites=("${@:-bookworm trixie}")
here=$source/tests/python
wheels=$build/wheelhouse

skip() {
  echo "skipped: $1"
  [ -z "${ATCAV_NEED_PYPI:-}" ] && exit 77
  exit 1
}
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || skip "a chroot needs root and the package debootstrap"
# The wheels are of this tree, or made anew.
if [ ! -e "$wheels/of" ] || [ -n "$(find "$source"/{src,include,apps,python,cmake,CMakeLists.txt,pyproject.toml} -newer "$wheels/of" -print -quit)" ]; then
  "$source/tools/wheels.sh" "$build"
  touch "$wheels/of"
fi

in_chroot() { chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -ec "$1"; }
# In a namespace of its own, so that nothing stays mounted.
if [ -z "${ATCAV_INSIDE:-}" ]; then exec unshare --mount env ATCAV_INSIDE=1 "$0" "$source" "$build" ${suites[*]}; fi

for suite in ${suites[*]}; do
  root=$build/chroot-$suite
  rm -rf "$root"
  echo "== $suite"
  debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" >"$build/debootstrap.log" 2>&1 ||
    skip "debootstrap $suite: $(tail -n 1 "$build/debootstrap.log")"
  mount -t proc proc "$root/proc"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  in_chroot '! command -v cc c++ gcc g++ cmake'
  version=$(in_chroot 'python3 -c "import sys; print(\"%d.%d\" % sys.version_info[:2])"')
  mkdir "$root/packages" "$root/work"
  cp "$wheels"/*-cp"${version/./}"-*.whl "$root/packages"
  "$build/wheel-tools/bin/pip" --quiet --disable-pip-version-check download --dest "$root/packages" --only-binary=:all: \
    --python-version "$version" --platform manylinux_2_28_x86_64 --no-deps 'numpy>=2' 2>"$build/pip.log" ||
    skip "NumPy for $version: $(grep -m 1 ERROR "$build/pip.log")"
  /usr/bin/python3 -B "$here/write_examples.py" "$root/work"
  cp "$source/tests/docs/arrays.py" "$root/work"

  started=$SECONDS
  in_chroot 'python3 -m venv /env && /env/bin/pip --quiet install --no-index --find-links /packages atcav &&
    cd /work && /env/bin/python -c "
import pathlib, sys
sys.path.insert(0, \".\")
from arrays import write_arrays
write_arrays(pathlib.Path(\".\"))
import numpy, atcav
striped, random, zebra = (numpy.load(name + \".npy\") for name in (\"striped\", \"random\", \"zebra\"))
run = atcav.score({\"striped\": striped}, random, {\"zebra\": zebra}, layer=\"layer3\", seed=1)
print(run)
print(run.to_dict()[\"libraries\"])
assert any(\"oneDNN\" in name for name in run.to_dict()[\"libraries\"]), \"no oneDNN\"
print(run.report(\"first\"))"'
  echo "$suite: from nothing to the first report in $((SECONDS - started)) s"
  in_chroot '. /env/bin/activate && cd /work && atcav --version && atcav score --concept striped=striped.npy \
    --random random.npy --gradients zebra=zebra.npy --layer layer3 --seed 1 -q -o program >/dev/null
    grep -A 3 "\"libraries\"" program/results.json | grep oneDNN; touch m.onnx
    if atcav run --model m.onnx --layer x --class a:0=striped.npy --concept b=striped.npy --random random.npy -o out; then exit 1; fi'
  in_chroot 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-torch >/dev/null 2>&1' ||
    skip "python3-torch of $suite"
  in_chroot '! command -v cc c++ gcc g++ && python3 -m venv --system-site-packages /env2 &&
    /env2/bin/pip --quiet install --no-index --find-links /packages atcav && cd /work && /env2/bin/python README.py &&
    ls -l out/report.html && /env2/bin/python -c "import torch, atcav; print(\"PyTorch\", torch.__version__, \"atcav\", atcav.__version__)"'
done

echo "== PyPI's PyTorch"
python=$("$source/tests/pypi/environment.sh" "$build/pypi")
rm -rf "$build/wheel-target"
version=$("$python" -c 'import sys; print("%d%d" % sys.version_info[:2])')
"$(dirname "$python")/pip" --quiet --disable-pip-version-check install --no-deps --no-index --target "$build/wheel-target" "$wheels"/*-cp"$version"-*.whl
/usr/bin/python3 -B "$here/write_examples.py" "$build/wheel-examples"
cd "$build/wheel-examples"
for first in torch atcav; do
  PYTHONPATH=$build/wheel-target "$python" -c "import $first, torch, atcav
assert atcav.__file__.startswith('$build/wheel-target')
exec(open('README.py').read())
print('imported first: $first, PyTorch', torch.__version__)"
done
