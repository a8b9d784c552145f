#!/usr/bin/python3
"""How processor time and memory grow with examples, columns, concepts, classes, layers and ranks.

    scaling.py BUILD [AXIS ...]       (needs numpy; processor time, so that other programs disturb it little)

Every axis doubles one number and leaves the others at 600 examples per test, 1,000 columns, 10 concepts and 10 classes of
50 inputs (`atcav score`); layers and ranks at layers of 1,024 columns behind convolutions, 10 concepts and 2 classes (`atcav
run`, without interventions). Ranks share one layer; theirs is the time of all ranks together, which would not grow if they
did nothing twice. Each point is run three times on one thread. The exponent is the slope of log time on log size over the
last three points, with its 95 % interval from the nine runs; memory is the largest resident set of the three, of one
rank. What a test says must not depend on how many others there are, or on ranks, and is compared first.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/program"))
import onnx_bytes as onnx  # noqa: E402

POINTS = 4
REPEATS = 3
START = {"examples": 600, "columns": 1000, "concepts": 10, "classes": 10}
NETWORK = {"layers": 1, "ranks": 1}
CHANNELS, SIDE = 16, 8
SAME = ("concepts", "classes", "layers", "ranks")  # axes along which the first result stays what it is
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


def convolution(number: int) -> list:
    """From h{number - 1} to h{number}, of the same size."""
    weights = np.random.default_rng(200000 + number).normal(size=(CHANNELS, CHANNELS, 3, 3)) / np.sqrt(4.5 * CHANNELS)
    pads = onnx.block(1, "pads") + b"".join(onnx.number(8, 1) for _ in range(4)) + onnx.number(20, 7)
    return [onnx.floats(f"w{number}", weights.shape, weights.astype(np.float32).tobytes()),
            onnx.node("Conv", [f"h{number - 1}", f"w{number}"], [f"c{number}"], pads),
            onnx.node("Relu", [f"c{number}"], [f"h{number}"])]


def make_network(folder: pathlib.Path, sizes: dict) -> list:
    """The layers that are asked for are the first ones, and the network behind them is the same."""
    depth = NETWORK["layers"] * 2 ** (POINTS - 1)
    last = np.random.default_rng(3).normal(size=(CHANNELS, 2)).astype(np.float32)
    parts = [part for i in range(depth) for part in convolution(i + 1)]
    parts += [onnx.node("GlobalAveragePool", [f"h{depth}"], ["p"]), onnx.node("Flatten", ["p"], ["f"]),
              onnx.floats("v", last.shape, last.tobytes()), onnx.node("MatMul", ["f", "v"], ["y"])]
    (folder / "m.onnx").write_bytes(onnx.model(parts, [("h0", (1, CHANNELS, SIDE, SIDE))], [("y", (1, 2))]))

    def save(name, number, rows):
        images = np.random.default_rng(number).normal(size=(rows, CHANNELS, SIDE, SIDE)).astype(np.float32)
        np.save(folder / f"{name}.npy", images)
        return folder / f"{name}.npy"

    arguments = ["--model", folder / "m.onnx", "--no-intervene", "--random", save("random", 1, START["examples"] * 5 // 6)]
    for i in range(sizes["layers"]):
        arguments += ["--layer", f"h{i + 1}"]
    for c in range(START["concepts"]):
        arguments += ["--concept", f"c{c}={save(f'c{c}', 1000 + c, START['examples'] // 6)}"]
    for k in range(2):
        arguments += ["--class", f"k{k}:{k}={save(f'k{k}', 100000 + k, 50)}"]
    return arguments


def run(command: list, out: pathlib.Path, environment: dict):
    """Processor seconds and megabytes. Of all children so far the time is a sum and the memory a maximum."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "u = resource.getrusage(resource.RUSAGE_CHILDREN); print(u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)")
    command = [sys.executable, "-c", code, *map(str, command), "--threads", "1", "-q", "--json", str(out)]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
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


def command_for(build: pathlib.Path, folder: pathlib.Path, axis: str, size: int) -> list:
    if axis in START:
        return [build / "atcav", "score", *make_arrays(folder, START | {axis: size})]
    sizes = NETWORK | {axis: size}
    ranks = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", sizes["ranks"]]
    return [*(ranks if axis == "ranks" else []), build / "atcav", "run", *make_network(folder, sizes)]


def measure(build: pathlib.Path, axis: str) -> None:
    sizes = [(START | NETWORK)[axis] * 2**i for i in range(POINTS)]
    environment = {**os.environ, "ATCAV_PLUGIN": str(build / "libatcav_torch.so")}
    seconds, memory, before = [], [], None
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command = command_for(build, folder, axis, size)
            runs = [run(command, folder / "results.json", environment) for _ in range(REPEATS)]
            now = first_result(folder / "results.json")
        if axis in SAME and before is not None and now != before:
            sys.exit(f"WRONG: a result depends on the number of {axis}")
        before = now
        seconds.append([one[0] for one in runs])
        memory.append(max(one[1] for one in runs))
    slope, half = exponent(sizes[-3:], seconds[-3:])
    print(f"{axis}: {' '.join(map(str, sizes))}; seconds {' '.join(f'{min(one):.2f}' for one in seconds)}; "
          f"exponent {slope:.2f} ({slope - half:.2f} to {slope + half:.2f}); "
          f"megabytes {' '.join(f'{one:.0f}' for one in memory)}", flush=True)


def main() -> None:
    build = pathlib.Path(sys.argv[1]).resolve()
    for axis in sys.argv[2:] or START | NETWORK:
        measure(build, axis)


if __name__ == "__main__":
    main()
