#!/usr/bin/env bash
# install_packages.sh build|test: installs what tools/packages.txt lists and this machine lacks (as root),
# or says what to install.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kinds="build"
[ "${1:-build}" = test ] && kinds="build|test"
missing=()
for package in $(grep -E "^($kinds) " "$here/packages.txt" | cut -d' ' -f2); do
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
