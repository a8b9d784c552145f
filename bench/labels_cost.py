#!/usr/bin/python3
"""What thousands of labels cost beside one: `atcav score --pool … --labels …`, half of them 0/1, half numbers.

    labels_cost.py BUILD [LABELS] [COLUMNS]     (default 2000 and 100000, whose pool takes 2 GB of disk; needs numpy)

5,000 examples, 20 inputs, two threads. Prints wall and processor seconds and the largest resident set of the better of two
runs each, and the size of the gradients, which is in it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROWS, INPUTS, REPEATS = 5000, 20, 2


def make(folder: pathlib.Path, labels: int, columns: int) -> None:
    generator = np.random.default_rng(1)
    pool = np.lib.format.open_memmap(folder / "pool.npy", "w+", np.float32, (ROWS, columns))
    signal = np.zeros((ROWS, labels), np.float32)
    for first in range(0, columns, 1000):
        part = generator.normal(size=(ROWS, min(1000, columns - first))).astype(np.float32)
        pool[:, first:first + part.shape[1]] = part
        if first == 0:
            signal = part @ generator.normal(size=(part.shape[1], labels)).astype(np.float32) / part.shape[1] ** 0.5
    np.save(folder / "gradients.npy", 0.1 * generator.normal(size=(INPUTS, columns)).astype(np.float32))
    values = 0.5 * signal + generator.normal(size=signal.shape)
    values[:, ::2] = values[:, ::2] > generator.uniform(-1, 1.5, size=(labels + 1) // 2)
    for name, count in (("one", 1), ("all", labels)):
        with open(folder / f"{name}.csv", "w", encoding="utf-8") as file:
            file.write("row," + ",".join(f"label{c}" for c in range(count)) + "\n")
            for row in range(ROWS):
                file.write(f"{row}," + ",".join(f"{v:.4g}" for v in values[row, :count]) + "\n")


def run(program: str, folder: pathlib.Path, table: str):
    command = [program, "score", "--pool", folder / "pool.npy", "--labels", folder / f"{table}.csv", "--gradients",
               folder / "gradients.npy", "--threads", "2", "-q", "--json", folder / "results.json"]
    started = time.time()
    child = subprocess.Popen(list(map(str, command)))
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"labels_cost: atcav failed on {table}.csv")
    return time.time() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    labels = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    columns = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder, labels, columns)
        for table, count in (("one", 1), ("all", labels)):
            wall, processor, memory = min(run(sys.argv[1] + "/atcav", folder, table) for _ in range(REPEATS))
            print(f"{count} labels, {columns} columns: wall {wall:.2f} s, processor {processor:.2f} s, {memory:.0f} MB, "
                  f"gradients {4e-6 * INPUTS * columns:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
