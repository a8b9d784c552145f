#!/usr/bin/env python3
"""What ranks send and what they save.

    ranks_cost.py BUILD [RUNS]        (a developer build; the machine should be idle)

A layer of 100,352 columns (32 x 56 x 56) behind four convolutions, 4000 examples, 20 class inputs. What each rank sent is
compared with the size of the activations, and 2 ranks of one thread each with one process of two threads: the least
of RUNS alternating runs, in seconds, and in seconds of both processors together. The answer is proved first: results.json
has the same bytes.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/program"))
import onnx_bytes as onnx  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SIDE, CHANNELS = 56, 32
SETS = {"random": 2000, "a": 1000, "b": 1000, "inputs": 20}
ENVIRONMENT = {**os.environ, "ATCAV_PLUGIN": os.path.join(BUILD, "libatcav_torch.so")}


def same_size_convolution(generator, name, source, target, channels):
    weights = (generator.normal(size=(CHANNELS, channels, 3, 3)) / np.sqrt(4.5 * channels)).astype(np.float32)
    pads = onnx.block(1, "pads") + b"".join(onnx.number(8, 1) for _ in range(4)) + onnx.number(20, 7)
    return [onnx.floats(name, weights.shape, weights.tobytes()), onnx.node("Conv", [source, name], [target + "c"], pads),
            onnx.node("Relu", [target + "c"], [target])]


def make(folder):
    generator = np.random.default_rng(1)
    parts = []
    for i, source in enumerate(("x", "h1", "h2", "h3")):
        parts += same_size_convolution(generator, f"w{i}", source, f"h{i + 1}", 3 if i == 0 else CHANNELS)
    last = generator.normal(size=(CHANNELS, 2)).astype(np.float32)
    parts += [onnx.node("GlobalAveragePool", ["h4"], ["p"]), onnx.node("Flatten", ["p"], ["f"]),
              onnx.floats("v", last.shape, last.tobytes()), onnx.node("MatMul", ["f", "v"], ["y"])]
    with open(os.path.join(folder, "m.onnx"), "wb") as file:
        file.write(onnx.model(parts, [("x", (1, 3, SIDE, SIDE))], [("y", (1, 2))]))
    for name, rows in SETS.items():
        np.save(os.path.join(folder, name + ".npy"), generator.normal(size=(rows, 3, SIDE, SIDE)).astype(np.float32))


def run(folder, program, method, threads, out):
    """Seconds, seconds of processors, results.json, bytes sent."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run([*program, "run", "--model", "m.onnx", "--layer", "h4", "--class", "z:0=inputs.npy", "--concept",
                           "a=a.npy", "--concept", "b=b.npy", "--random", "random.npy", "--cav", method, "--no-intervene",
                           "--threads", str(threads), "-o", out], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    took, after = time.time() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with open(os.path.join(folder, out, "results.json"), "rb") as file:
        results = file.read()
    with open(os.path.join(folder, out, "timings.json"), encoding="utf-8") as file:
        sent = json.load(file).get("bytes_sent", [])
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, results, sent


def ranks(count):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(count),
            os.path.join(BUILD, "tests/mpi/atcav_mpi")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        size = sum(rows for name, rows in SETS.items() if name != "inputs") * CHANNELS * SIDE * SIDE * 4
        print(f"activations: {size / 1e6:.0f} MB")
        for method in ("pattern", "ridge"):
            alone, shared = [], []
            for _ in range(RUNS):
                alone.append(run(folder, [os.path.join(BUILD, "atcav")], method, 2, "alone"))
                shared.append(run(folder, ranks(2), method, 1, "shared"))
            shown = [(f"2 ranks x 1 thread", shared[0])] + [(f"{n} ranks", run(folder, ranks(n), method, 1, "more")) for n in (3, 4)]
            for name, (_, _, results, sent) in shown:
                if results != alone[0][2]:
                    sys.exit(f"{method}: {name} give other results")
                shares = ", ".join(f"{100 * one / size:.2f} %" for one in sent)
                print(f"{method}: {name} send {shares} of the activations' size")
            for name, times in (("1 process x 2 threads", alone), ("2 ranks x 1 thread", shared)):
                print(f"{method}: {name}: {min(one[0] for one in times):.2f} s, processors {min(one[1] for one in times):.2f} s")
            print(f"{method}: ratio {min(one[0] for one in shared) / min(one[0] for one in alone):.3f}")


if __name__ == "__main__":
    main()
