#!/usr/bin/env bash
# packaged.sh BUILD WORK: packs the build with CPack, and runs the program from both packages' own trees.
set -euo pipefail
build=$1
work=$2
rm -rf "$work"
mkdir -p "$work/deb" "$work/tar"
for generator in DEB TGZ; do cpack --config "$build/CPackConfig.cmake" -G $generator -B "$work" > "$work/$generator.log"; done
dpkg-deb -I "$work"/*.deb
depends=$(dpkg-deb -f "$work"/*.deb Depends)
for library in libc6 libpng16 libyaml-cpp libtorch; do
  grep -q "$library" <<< "$depends" || { echo "Depends has no $library: $depends"; exit 1; }
done
dpkg-deb -x "$work"/*.deb "$work/deb"
tar -xzf "$work"/*.tar.gz -C "$work/tar" --strip-components=1
/usr/bin/python3 "$(dirname "$0")/runpath.py" "$work/deb" "$work/tar"
for prefix in "$work/deb/usr" "$work/tar"; do
  for file in share/man/man1/atcav.1 share/bash-completion/completions/atcav include/atcav/atcav.h; do
    [ -s "$prefix/$file" ] || [ -s "$prefix/$file.gz" ] || { echo "no $prefix/$file"; exit 1; }
  done
  (cd / && "$prefix/bin/atcav" demo -q -o "$work/demo")
  [ -s "$work/demo/report.html" ]
  rm -rf "$work/demo"
done
echo "both packages run"
