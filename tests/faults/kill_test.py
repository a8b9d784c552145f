"""SIGKILL at random moments over `run --cache`, `score`, `paper`, `demo` and mpirun (one rank): nothing lost, nothing
wrong, nothing left behind.

    kill_test.py PROGRAM [--mpi PROGRAM_WITH_MPI] [--plugin FILE] [--kills N] [--seed N]

After each kill an earlier result is still whole or the new one is (else it is lost); the next run ends well with the
right bytes (else wrong) and leaves no file that does not belong there (else left behind). A table says how many.
"""
import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../program"))
options = argparse.ArgumentParser()
options.add_argument("program")
options.add_argument("--mpi")
options.add_argument("--plugin")
options.add_argument("--kills", type=int, default=10)
options.add_argument("--seed", type=int, default=1)
asked = options.parse_args()
sys.argv[1:] = [asked.program]
from run_harness import MODEL, RunTest, np  # noqa: E402  (reads the program's name from the command line)

PROGRAM = os.path.abspath(asked.program)
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
if asked.plugin:
    ENVIRONMENT["ATCAV_PLUGIN"] = os.path.abspath(asked.plugin)
QUICK = ["--bootstrap", "20", "--permutations", "19"]


def make_inputs(folder):
    RunTest.setUpClass()
    for name, pictures in RunTest.pictures.items():
        os.makedirs(os.path.join(folder, name))
        for i, content in enumerate(pictures):
            with open(os.path.join(folder, name, f"{i:02}.png"), "wb") as file:
                file.write(content)
    generator = np.random.default_rng(4)
    for name, rows in (("c", 60), ("r", 80), ("g", 4)):
        np.save(os.path.join(folder, name + ".npy"), generator.normal(size=(rows, 60000)).astype(np.float32))
    os.makedirs(os.path.join(folder, "scratch"))


RUN = ["run", "--model", MODEL, "--layer", "block4", "--class", "zebra:0=zebra", "--concept", "striped=striped",
       "--random", "random", "--preprocess", "none", "--scale", "0.00392", *QUICK, "--cache", "cache", "-o", "out",
       "--batch", "4"]
SCORE = ["score", "--concept", "c=c.npy", "--random", "r.npy", "--gradients", "g.npy", "--cav", "ridge", *QUICK, "-o", "out"]
COMMANDS = {
    "run": ([PROGRAM, *RUN], ["out/results.json", "out/report.html"]),
    "score": ([PROGRAM, *SCORE], ["out/results.json", "out/report.html"]),
    "paper": ([PROGRAM, "paper", "-o", "out", "--only", "ratio", "--repeats", "20"], ["out/paper.json"]),
    "demo": ([PROGRAM, "demo", "-o", "out"], ["out/results.json", "out/report.html"]),
}
if asked.mpi:
    COMMANDS["mpirun"] = (["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", os.path.abspath(asked.mpi), *RUN],
                          ["out/results.json", "out/report.html"])


def content(folder, names):
    found = {}
    for name in names:
        if os.path.exists(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def all_files(folder):
    return {os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names}


def start(command, folder):
    return subprocess.Popen(command, cwd=folder, env={**ENVIRONMENT, "TMPDIR": os.path.join(folder, "scratch")},
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors


def victim(process, name, generator):
    """The process itself, or one of mpirun's ranks, once there are some: mpirun's own files are not ours."""
    if name != "mpirun":
        return process.pid
    while process.poll() is None:
        ranks = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        if ranks:
            return int(generator.choice(ranks))
    return process.pid


def forget(folder, kept):
    for name in os.listdir(folder):
        if name not in kept:
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def show(table):
    columns = ["kills", "before the end", "lost", "wrong", "left behind"]
    print("".ljust(8), *columns, sep="  ")
    for name, row in [*table.items(), ("all", sum(table.values(), collections.Counter()))]:
        print(name.ljust(8), *(str(row[column]).rjust(len(column)) for column in columns), sep="  ", flush=True)


def main():
    generator = random.Random(asked.seed)
    bad, table = 0, {name: collections.Counter() for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        make_inputs(folder)
        kept = set(os.listdir(folder))
        known = {}
        for name, (command, outputs) in COMMANDS.items():
            forget(folder, kept)
            started = time.time()
            code, errors = finish(start(command, folder))
            assert code == 0, (name, errors)
            known[name] = [content(folder, outputs), all_files(folder), time.time() - started]
        for done in range(1, asked.kills + 1):
            name = list(COMMANDS)[done % len(COMMANDS)]
            command, outputs = COMMANDS[name]
            reference, files, whole = known[name]
            forget(folder, kept)
            if generator.random() < 0.5:  # over an earlier result, the cache half there
                started = time.time()
                assert finish(start(command, folder))[0] == 0
                known[name][2] = whole = time.time() - started  # as busy as the machine is now
                for entry in os.listdir(os.path.join(folder, "cache")) if name in ("run", "mpirun") else ():
                    if generator.random() < 0.5:
                        os.remove(os.path.join(folder, "cache", entry))
            before = content(folder, outputs)
            process = start(command, folder)
            time.sleep(generator.random() * 0.9 * whole)
            try:
                os.kill(victim(process, name, generator), signal.SIGKILL)
            except ProcessLookupError:
                pass
            code, _ = finish(process)
            time.sleep(0.1 if name == "mpirun" else 0)
            problems = []
            now = content(folder, outputs)
            for output in outputs:
                if now.get(output) not in (before.get(output), reference[output]):
                    problems.append(("lost", f"{output} is neither the earlier nor the new one"))
            stray = {file for file in all_files(folder) if file.startswith("scratch/")}
            row = table[name]
            row["kills"] += 1
            row["before the end"] += code != 0
            code, errors = finish(start(command, folder))
            if code != 0 or content(folder, outputs) != reference:
                problems.append(("wrong", f"the next run: exit code {code}, {errors[-200:]!r}"))
            stray |= all_files(folder) - files
            if stray:
                problems.append(("left behind", str(sorted(stray))))
            for kind, problem in problems:
                print(f"{name}, kill {done}: {kind}: {problem}", flush=True)
                row[kind] += 1
            bad += len(problems)
            if done % 50 == 0 or done == asked.kills:
                show(table)
    return 1 if bad else 0


sys.exit(main())
