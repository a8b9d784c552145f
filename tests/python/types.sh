#!/usr/bin/env bash
# types.sh BUILD: mypy --strict and pyright (strict) find nothing in the Python of README.md and docs/python.md, and find what
# is wrong in wrong_types.txt. 77, skipped, where PyPI is not reached.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
python=$("$here/../pypi/environment.sh" "$build/types" "$here/types_requirements.txt")
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
work=$build/types-examples
rm -rf "$work" "$site/atcav"
cp -r "$build/python/atcav" "$site/atcav"  # installed: of a package's inside checkers say nothing
"$python" -B "$here/write_examples.py" "$work"
cat >"$work/pyrightconfig.json" <<JSON
{"typeCheckingMode": "strict", "include": ["."], "exclude": ["wrong_types.py"],
 "reportUnusedExpression": false, "reportDuplicateImport": false}
JSON
cd "$work"
"$python" -m mypy --version && "$python" -m pyright --version
for file in *.py; do "$python" -m mypy --strict "$file"; done
"$python" -m pyright --pythonpath "$python" -p .

cp "$here/wrong_types.txt" wrong_types.py
sed 's/"exclude": [^]]*\],//' -i pyrightconfig.json
wanted=$(grep -n '# wrong$' wrong_types.py | cut -d: -f1)
for checker in "mypy --strict" "pyright --pythonpath $python"; do
  # shellcheck disable=SC2086
  found=$("$python" -m $checker wrong_types.py | grep -oP 'wrong_types\.py:\K\d+(?=(:\d+ -|:) error)' | sort -nu) || true
  if [ "$found" != "$wanted" ]; then
    echo "$checker finds errors in lines" $found "of wrong_types.txt, must be" $wanted
    exit 1
  fi
done
echo "both find what is wrong in wrong_types.txt, and nothing else"
