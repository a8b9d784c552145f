#!/usr/bin/env python3
"""Checks that every component includes only those below it, that public headers include only public ones, and that
LibTorch, MPI, pybind11 and CLI11 stay where they belong.

The allowed directions are those of docs/architecture.md. Exit status 1 names every include that breaks them.
"""
import pathlib
import re
import subprocess
import sys

COMPONENTS = {
    "core": set(),
    "stats": {"core"},
    "pass": {"core", "stats"},
    "fit": {"core", "stats", "pass"},
    "data": {"core"},
    "comm": {"core"},
    "model": {"core", "data"},
    "pipeline": {"core", "stats", "pass", "fit", "data", "comm", "model"},
    "report": {"core", "stats", "fit", "data", "model", "pipeline"},
}
LIBRARY = set(COMPONENTS) | {"atcav"}
COMPONENTS["atcav"] = set(COMPONENTS)  # atcav.h and write_report: what stands on everything
# What users include, and the component that each header belongs to. tests/package installs these and no others.
PUBLIC = {
    "core": "groups matrix random version",
    "stats": "accuracy cav effect interval planning posterior score theory",
    "data": "preprocess",
    "comm": "ranks",
    "model": "examples model",
    "pipeline": "config discover evidence influences intervention options repair result run",
    "report": "report",
    "atcav": "atcav",
}
OWNERS = {f"atcav/{name}.h": part for part, names in PUBLIC.items() for name in names.split()}
PARTS = dict(COMPONENTS) | {
    "plugins/torch": {"core", "stats", "data", "model", "pass"},
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
    """The part that a file or an included name belongs to; None for tests, benchmarks and examples, which may use all."""
    steps = path.split("/")
    if steps[0] == "include":
        return OWNERS.get("/".join(steps[1:]), "include")
    if steps[0] == "atcav":
        return OWNERS.get(path, "include")
    if steps[0] == "src":
        return steps[1] if len(steps) > 2 else "atcav"
    if steps[0] in COMPONENTS and len(steps) > 1:
        return steps[0]
    return "/".join(steps[:2]) if steps[0] in {"apps", "plugins"} else "python" if steps[0] == "python" else None


def problems(root: pathlib.Path):
    listed = subprocess.run(["git", "ls-files", "*.h", "*.cpp"], cwd=root, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        part = part_of(name)
        if part is None or not (root / name).exists():
            continue
        if part == "include":
            yield f"{name} is not in the list of public headers"
            continue
        is_test = name.endswith("_test.cpp") or "/testing_" in name
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            other = part_of(target)
            if other is not None and other != part and other not in PARTS[part]:
                yield f"{name}:{number}: {part} must not include {other} ({target})"
            if name.startswith("include/") and other is not None and target not in OWNERS:
                yield f"{name}:{number}: a public header must not include {target}"
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
