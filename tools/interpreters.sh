#!/usr/bin/env bash
# interpreters.sh: the CPython of each version from 3.9 on that is of pyenv or on PATH and can make environments, oldest first.
for minor in {9..30}; do
  for one in "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python "$(command -v "python3.$minor" || true)"; do
    if "$one" -c 'import ensurepip, sys; sys.exit(sys.implementation.name != "cpython")' 2>/dev/null; then
      echo "$one"
      break
    fi
  done
done
