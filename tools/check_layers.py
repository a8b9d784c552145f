#!/usr/bin/env python3
"""Checks that rooms include only the rooms below them, and that LibTorch stays out of headers.

The allowed directions are those of docs/architecture.md. Exit status 1 names every include that breaks them.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "stats": {"base"},
    "span": {"base", "stats"},
    "io": {"base"},
    "comm": {"base"},
    "nn": {"base", "io"},
    "experiment": {"base", "stats", "span", "io"},
    "network": {"base", "stats", "span", "io", "comm", "nn", "experiment"},
    "report": {"base", "stats", "span", "io", "experiment"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
TORCH = re.compile(r"^(torch|ATen|c10)/")


def problems(root: pathlib.Path):
    for path in sorted((root / "atcav").rglob("*")):
        if path.suffix not in {".h", ".cpp"} or len(path.relative_to(root).parts) < 3:
            continue
        room = path.relative_to(root).parts[1]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            place = f"{path.relative_to(root)}:{number}"
            if target.startswith("atcav/"):
                other = target.split("/")[1]
                if other != room and other not in ALLOWED[room]:
                    yield f"{place}: {room} must not include {other} ({target})"
            elif TORCH.match(target) and (room != "nn" or (path.suffix == ".h" and "internal" not in path.name)):
                yield f"{place}: LibTorch belongs in .cpp files of nn ({target})"
            elif target == "mpi.h" and path.name != "mpi.cpp":
                yield f"{place}: MPI belongs in comm/mpi.cpp"


def main() -> int:
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) if found else "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
