#!/usr/bin/env bash
# test.sh ENVIRONMENT COMMAND…: runs Python of an environment that install.sh made; 77, skipped, where it is not there.
set -euo pipefail
environment=$1
shift
if [ ! -x "$environment/bin/python" ]; then
  echo "skipped: $environment is not there, because PyPI cannot be reached"
  exit 77
fi
exec "$environment/bin/python" -B "$@"
