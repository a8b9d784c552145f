#!/usr/bin/python3
"""How processor time and memory of `atcav score` grow with examples, columns, concepts and classes.

    scaling.py BUILD [AXIS ...]       (needs numpy; processor time, so that other programs disturb it little)

Every axis doubles one number and leaves the others at 600 examples per test, 1,000 columns, 10 concepts and 10 classes of
50 inputs. Each point is run three times on one thread. The exponent is the slope of log time on log size over the last
three points, with its 95 % interval from the nine runs; memory is the largest resident set of the three. What a test
says must not depend on how many others there are, and is compared first.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

POINTS = 4
REPEATS = 3
START = {"examples": 600, "columns": 1000, "concepts": 10, "classes": 10}
T_OF_7_DEGREES = 2.365


def make_arrays(folder: pathlib.Path, sizes: dict) -> list:
    """Sets are drawn by themselves, so that each is the same whatever the others are."""
    def save(name, number, rows, strength):
        generator = np.random.default_rng(number)
        rows = generator.normal(size=(rows, sizes["columns"])) + strength * generator.normal(size=sizes["columns"])
        np.save(folder / f"{name}.npy", rows.astype(np.float32))
        return folder / f"{name}.npy"

    arguments = ["--random", save("random", 1, sizes["examples"] * 5 // 6, 0)]
    for c in range(sizes["concepts"]):
        arguments += ["--concept", f"c{c}={save(f'c{c}', 1000 + c, sizes['examples'] // 6, 0.05)}"]
    for k in range(sizes["classes"]):
        arguments += ["--gradients", f"k{k}={save(f'k{k}', 100000 + k, 50, 0.2)}"]
    return arguments


def run(program: pathlib.Path, arguments: list, out: pathlib.Path):
    """Processor seconds and megabytes. Of all children so far the time is a sum and the memory a maximum."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "u = resource.getrusage(resource.RUSAGE_CHILDREN); print(u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)")
    command = [program, "score", *arguments, "--threads", "1", "-q", "--json", out]
    found = subprocess.run([sys.executable, "-c", code, *map(str, command)], check=True, capture_output=True, text=True)
    seconds, megabytes = map(float, found.stdout.split())
    return seconds, megabytes


def first_result(out: pathlib.Path) -> dict:
    one = json.loads(out.read_text())["results"][0]
    return {key: one[key] for key in ("concept", "class", "tcav", "alpha_tcav", "intervals", "multi_tcav", "sensitivities")}


def exponent(sizes, seconds):
    """Slope of log on log, and half its 95 % interval."""
    x = np.log(np.repeat(sizes, REPEATS))
    y = np.log(np.ravel(seconds))
    x = x - x.mean()
    slope = (x @ y) / (x @ x)
    left = y - y.mean() - slope * x
    return slope, T_OF_7_DEGREES * np.sqrt(left @ left / (len(x) - 2) / (x @ x))


def measure(program: pathlib.Path, axis: str) -> None:
    sizes = [START[axis] * 2**i for i in range(POINTS)]
    seconds, memory, before = [], [], None
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            arguments = make_arrays(folder, START | {axis: size})
            runs = [run(program, arguments, folder / "results.json") for _ in range(REPEATS)]
            now = first_result(folder / "results.json")
        if axis in ("concepts", "classes") and before is not None and now != before:
            sys.exit(f"WRONG: a result depends on the number of {axis}")
        before = now
        seconds.append([one[0] for one in runs])
        memory.append(max(one[1] for one in runs))
    slope, half = exponent(sizes[-3:], seconds[-3:])
    print(f"{axis}: {' '.join(map(str, sizes))}; seconds {' '.join(f'{min(one):.2f}' for one in seconds)}; "
          f"exponent {slope:.2f} ({slope - half:.2f} to {slope + half:.2f}); "
          f"megabytes {' '.join(f'{one:.0f}' for one in memory)}", flush=True)


def main() -> None:
    program = pathlib.Path(sys.argv[1]) / "atcav"
    for axis in sys.argv[2:] or START:
        measure(program, axis)


if __name__ == "__main__":
    main()
