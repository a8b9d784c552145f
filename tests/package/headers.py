"""Installed headers are the public ones: headers.py INSTALLED SOURCE.

They are those that tools/check_layers.py lists, and no others; none includes what a user of the package does not have
(LibTorch, MPI, pybind11, CLI11) or a header that was not installed.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
FOREIGN = re.compile(r"^(torch|ATen|c10|pybind11|CLI)/|^mpi\.h$")


def problems(include: pathlib.Path, public: set):
    installed = {str(path.relative_to(include)) for path in include.rglob("*.h")}
    for name in sorted(installed - public):
        yield f"{name} is installed, but not public"
    for name in sorted(public - installed):
        yield f"{name} is public, but not installed"
    for name in sorted(installed):
        text = (include / name).read_text(encoding="utf-8")
        for target in INCLUDE.findall(text):
            if FOREIGN.match(target) or (f'"{target}"' in text and target not in installed):
                yield f"{name} includes {target}"


def main() -> int:
    installed, source = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(source / "tools"))
    from check_layers import OWNERS
    found = list(problems(installed / "include", set(OWNERS)))
    print("\n".join(found) if found else f"{len(OWNERS)} headers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
