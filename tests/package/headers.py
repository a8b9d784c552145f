"""Installed headers are the public ones: headers.py INSTALLED SOURCE.

Every header under atcav/ is there, except those for tests; none includes what a user of the package does not have
(LibTorch, MPI, pybind11, CLI11) or a header that was not installed.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
FOREIGN = re.compile(r"^(torch|ATen|c10|pybind11|CLI)/|^mpi\.h$")
GENERATED = {"atcav/base/version.h"}


def problems(include: pathlib.Path, source: pathlib.Path):
    installed = {str(path.relative_to(include)) for path in include.rglob("*.h")}
    public = {str(path.relative_to(source)) for path in (source / "atcav").rglob("*.h")
              if not path.name.startswith("testing_")} | GENERATED
    for name in sorted(installed - public):
        yield f"{name} is installed, but not public"
    for name in sorted(public - installed):
        yield f"{name} is public, but not installed"
    for name in sorted(installed):
        for target in INCLUDE.findall((include / name).read_text(encoding="utf-8")):
            if FOREIGN.match(target):
                yield f"{name} includes {target}"
            elif target.startswith(("atcav/", "apps/", "plugins/")) and target not in installed:
                yield f"{name} includes {target}, which is not installed"


def main() -> int:
    include = pathlib.Path(sys.argv[1]) / "include"
    found = list(problems(include, pathlib.Path(sys.argv[2])))
    print("\n".join(found) if found else f"{len(list(include.rglob('*.h')))} headers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
