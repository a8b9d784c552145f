#!/usr/bin/env python3
"""Checks that every part includes only the parts below it, and that LibTorch and MPI stay where they belong.

The allowed directions are those of docs/architecture.md. Exit status 1 names every include that breaks them.
"""
import pathlib
import re
import subprocess
import sys

ROOMS = {
    "base": set(),
    "stats": {"base"},
    "span": {"base", "stats"},
    "io": {"base"},
    "comm": {"base"},
    "model": {"base", "io"},
    "run": {"base", "stats", "span", "io", "comm", "model"},
    "report": {"base", "stats", "span", "io", "model", "run"},
}
ROOMS["atcav"] = set(ROOMS)  # atcav/*.h and atcav/*.cpp: what users call
LIBRARY = set(ROOMS)
PARTS = dict(ROOMS) | {
    "plugins/torch": {"base", "io", "model", "span"},
    "apps/demo": LIBRARY,
    "apps/paper": LIBRARY,
    "apps/cli": LIBRARY | {"apps/demo", "apps/paper"},
    "python": LIBRARY,
}
# Whose headers may be included where; everywhere else they may not.
FOREIGN = {
    re.compile(r"^(torch|ATen|c10)/"): "plugins/torch",
    re.compile(r"^mpi\.h$"): "comm",
    re.compile(r"^pybind11/"): "python",
    re.compile(r"^CLI/"): "apps/cli",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def part_of(path: str):
    """The part a file belongs to; None for tests, benchmarks and examples, which may use all."""
    steps = path.split("/")
    if steps[0] == "atcav":
        return steps[1] if len(steps) > 2 else "atcav"
    return "/".join(steps[:2]) if steps[0] in {"apps", "plugins"} else "python" if steps[0] == "python" else None


def problems(root: pathlib.Path):
    listed = subprocess.run(["git", "ls-files", "*.h", "*.cpp"], cwd=root, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        part = part_of(name)
        if part is None or not (root / name).exists():
            continue
        is_test = name.endswith("_test.cpp") or "/testing_" in name
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            other = part_of(target) if target.startswith(("atcav/", "apps/", "plugins/")) else None
            if other is not None and other != part and other not in PARTS[part]:
                yield f"{name}:{number}: {part} must not include {other} ({target})"
            if "/testing_" in target and not is_test:
                yield f"{name}:{number}: {target} is for tests"
            for pattern, home in FOREIGN.items():
                if pattern.match(target) and part != home:
                    yield f"{name}:{number}: {target} belongs in {home}"


def main() -> int:
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) if found else "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
