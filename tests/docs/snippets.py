"""Compiles and runs what the documentation shows (CONTRIBUTING.md, "Documentation is tested").

    ```cpp prints=striped:            a whole file: compiled against the installed package, run if it has main
    ```bash run creates=out/x.json    run by bash, the installed program first on PATH
    ```python run needs=torch         run by Debian's Python; skipped where a module is missing

`creates` names a file that must be there afterwards, `prints` a regular expression that the output must match.
`needs=plugin` skips a block where the installation has no plugin for networks, `needs=shared` one where there are no
photographs (../shared/data, which $SHARED then names). The blocks of a page run one after
another in a folder of their own that holds the arrays of arrays.py.
"""
import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

from arrays import write_arrays
from markdown import ROOT, Block, blocks, pages

SHARED = ROOT.parent / "shared" / "data"
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(snippets LANGUAGES CXX)
find_package(atcav REQUIRED)
"""


def run(command: list, folder: pathlib.Path, place: str, **extra) -> str:
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=300, **extra)
    if done.returncode:
        raise SystemExit(f"{place}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def program_name(block: Block) -> str:
    return re.sub(r"\W", "_", block.place)


def compile_cpp(found: list[Block], arguments) -> pathlib.Path:
    source = arguments.work / "cpp"
    source.mkdir(parents=True)
    project = PROJECT
    for block in found:
        name = program_name(block)
        (source / f"{name}.cpp").write_text(block.text, encoding="utf-8")
        kind = f"add_executable({name}" if has_main(block) else f"add_library({name} OBJECT"
        project += f"{kind} {name}.cpp)\ntarget_link_libraries({name} PRIVATE atcav::atcav)\n"
    (source / "CMakeLists.txt").write_text(project, encoding="utf-8")
    build = source / "build"
    run(["cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={arguments.installed}",
         f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DCMAKE_CXX_FLAGS={arguments.flags}"], source, "cmake")
    run(["cmake", "--build", build], source, "C++ blocks")
    return build


def has_main(block: Block) -> bool:
    return "int main(" in block.text


def is_missing(name: str, installed: pathlib.Path) -> bool:
    if name == "plugin":
        return not any(installed.glob("lib*/**/libatcav_torch.so"))
    if name == "shared":
        return not SHARED.is_dir()
    return importlib.util.find_spec(name) is None


def run_block(block: Block, folder: pathlib.Path, build: pathlib.Path, installed: pathlib.Path) -> str:
    language, run_it = block.words[0], "run" in block.words
    missing = [name for name in block.values("needs") if is_missing(name, installed)]
    if missing:
        return f"skipped, {', '.join(missing)} is not installed"
    environment = dict(os.environ, PATH=f"{installed / 'bin'}:{os.environ['PATH']}", SHARED=str(SHARED))
    if language == "cpp" and has_main(block):
        command = [build / program_name(block)]
    elif language == "cpp":
        return "compiled"
    elif language == "python" and run_it:
        command = [sys.executable, "-c", block.text]
    elif language == "bash" and run_it:
        command = ["bash", "-euo", "pipefail", "-c", block.text]
    else:
        return "shown only"
    output = run(command, folder, block.place, env=environment)
    for path in block.values("creates"):
        if not (folder / path).is_file():
            raise SystemExit(f"{block.place}: {path} was not written")
    for pattern in block.values("prints"):
        if not re.search(pattern, output):
            raise SystemExit(f"{block.place}: {pattern} is not in the output:\n{output}")
    return "run"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--installed", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--flags", default="")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    found = {page: [block for block in blocks(page) if block.words] for page in pages()}
    build = compile_cpp([b for page in found.values() for b in page if b.words[0] == "cpp"], arguments)
    for page, listed in found.items():
        folder = arguments.work / re.sub(r"\W", "_", str(page.relative_to(ROOT)))
        write_arrays(folder)
        for block in listed:
            print(f"{block.place} {' '.join(block.words)}: {run_block(block, folder, build, arguments.installed)}",
                  flush=True)


if __name__ == "__main__":
    main()
