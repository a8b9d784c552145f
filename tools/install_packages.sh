#!/usr/bin/env bash
# install_packages.sh build|package|docs|test: installs what tools/packages.txt lists and this machine lacks (as root), or
# says what to install. Where there is no apt it says what is needed and lets CMake find out what is there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kinds="build"
[ "${1:-build}" != build ] && kinds="build|$1"
packages=$(grep -E "^($kinds) " "$here/packages.txt" | cut -d' ' -f2)
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This system has no apt. What is needed goes by these names in Debian:" $packages >&2
  echo "docs/install.md has the names for Fedora, conda and macOS. Going on with what is here." >&2
  exit 0
fi
missing=()
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "These Debian packages are missing; install them with:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
