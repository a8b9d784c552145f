#!/usr/bin/python3
"""Ten million rows from 64 files beside `cat` of the same files.

    bench/large.py BUILD [FOLDER]      (10 GB in FOLDER, the temporary one by default; deleted afterwards)

All shards differ. They are .npy first; then their headers are overwritten by those of safetensors of equal length.
"""
import json
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import numpy

SHARDS, ROWS, COLUMNS = 64, 156_250, 256


def timed(name, command, folder):
    start = time.perf_counter()
    _, status, used = os.wait4(subprocess.Popen(command, shell=True, cwd=folder).pid, 0)
    if status != 0:
        sys.exit(f"{name}: failed")
    print(f"{name}: user {used.ru_utime:.1f} system {used.ru_stime:.1f} wall {time.perf_counter() - start:.1f} s, "
          f"{used.ru_maxrss / 1024:.0f} MB", flush=True)


def write(folder):
    draw = numpy.random.default_rng(1)
    rows = draw.standard_normal((ROWS, COLUMNS), dtype=numpy.float32)
    for shard in range(SHARDS):
        rows[:, 0] = shard / SHARDS + rows[::-1, 0] / 2
        numpy.save(folder / f"acts-{shard:02}.npy", rows)
    numpy.save(folder / "concept.npy", (draw.standard_normal((2000, COLUMNS)) + 0.05).astype(numpy.float32))
    numpy.save(folder / "gradients.npy", (draw.standard_normal((50, COLUMNS)) / 10 + 0.03).astype(numpy.float32))


def to_safetensors(path):
    size = 4 * ROWS * COLUMNS
    start = path.stat().st_size - size
    header = json.dumps({"layer3": {"dtype": "F32", "shape": [ROWS, COLUMNS], "data_offsets": [0, size]}}).encode()
    with open(path, "r+b") as file:
        file.write(struct.pack("<Q", start - 8) + header.ljust(start - 8))
    path.rename(path.with_suffix(".safetensors"))


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "atcav"
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as name:
        folder = pathlib.Path(name)
        # By a process of its own: a child's largest size begins with that of its parent.
        writer = multiprocessing.Process(target=write, args=(folder,))
        writer.start()
        writer.join()
        found = []
        for kind, pattern in (("npy", "acts-*.npy"), ("safetensors", "acts-*.safetensors:layer3")):
            timed(f"{kind}: cat", f"cat acts-*.{kind} > /dev/null", folder)
            timed(f"{kind}: atcav", f"'{program}' score --moments --concept c=concept.npy --random '{pattern}' "
                  f"--gradients g=gradients.npy --threads 2 -q -o {kind}", folder)
            found.append(json.loads((folder / kind / "results.json").read_text())["results"])
            for path in folder.glob("acts-*.npy"):
                to_safetensors(path)
        print("the results of both are equal" if found[0] == found[1] else "WRONG: the formats give other results")


if __name__ == "__main__":
    main()
