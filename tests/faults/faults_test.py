"""Every call of a kind fails once, or the program is killed there, over whole runs of the program.

    faults_test.py PROGRAM SHIM [--scenario NAME …] [--most N] [--share I/N]

After each fault either the right bytes are there or there is one clear line and exit code 3, and no file that does not
belong there; the next run, without a fault, gives the bytes of a run that never met one. --most: at most so many of the
calls of a kind, spread evenly; 0: all of them. --share: of these every N-th from the I-th on, for N processes at a time.

The next run starts from what the faulty one left, so it is made once for every state that one leaves.
"""
import argparse
import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../program"))
options = argparse.ArgumentParser()
options.add_argument("program")
options.add_argument("shim")
options.add_argument("--scenario", action="append")
options.add_argument("--most", type=int, default=12)
options.add_argument("--share", default="0/1")
asked = options.parse_args()
sys.argv[1:] = [asked.program]
from run_harness import MODEL, RunTest, np  # noqa: E402  (reads the program's name from the command line)

PROGRAM = os.path.abspath(asked.program)
FILES = ("write", "rename", "link", "open", "read", "mmap", "fsync", "ftruncate", "mkdir")
REPORT = {"results.json", "report.html", "timings.json"}
QUICK = ["--bootstrap", "20", "--permutations", "19"]


class Scenario:
    """A command in a folder of its own, what it may leave there, and the bytes it must give."""

    def __init__(self, name, arguments, calls, allowed, checked):
        self.name, self.arguments, self.calls, self.allowed, self.checked = name, arguments, calls, allowed, checked

    def run(self, folder, **faults):
        environment = {**os.environ, "TMPDIR": os.path.join(folder, "scratch"), "OMP_WAIT_POLICY": "passive"}
        if faults:
            environment.update(faults, LD_PRELOAD=os.path.abspath(asked.shim), FAULT_UNDER=folder)
        return subprocess.run([PROGRAM, *self.arguments, "--threads", "2"], cwd=folder, env=environment, text=True,
                              capture_output=True, errors="replace")

    def bytes_of(self, folder):
        found = {}
        for name in self.checked:
            if os.path.exists(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
        return found


def files_in(folder):
    return {os.path.relpath(os.path.join(place, name), folder)
            for place, _, names in os.walk(folder) for name in names}


def state_of(folder, before):
    """Names and content of what was not there before; times are different each time."""
    state = hashlib.sha256()
    for place, folders, names in sorted(os.walk(folder)):
        names = [name for name in names if os.path.relpath(os.path.join(place, name), folder) not in before]
        state.update(repr((os.path.relpath(place, folder), sorted(folders))).encode())
        for name in sorted(set(names) - {"timings.json"}):
            with open(os.path.join(place, name), "rb") as file:
                state.update(repr((name, hashlib.sha256(file.read()).digest())).encode())
    return state.digest()


def inputs(folder):
    """Pictures for `run`, arrays for `score`."""
    RunTest.setUpClass()
    generator = np.random.default_rng(4)
    for name, pictures in RunTest.pictures.items():
        os.makedirs(os.path.join(folder, name))
        for i, content in enumerate(pictures):
            with open(os.path.join(folder, name, f"{i:02}.png"), "wb") as file:
                file.write(content)
    # More than 16 MiB of rows: they go to scratch files.
    for name, rows in (("c", 60), ("r", 80), ("g", 4)):
        np.save(os.path.join(folder, name + ".npy"), generator.normal(size=(rows, 60000)).astype(np.float32))
    for name, rows in (("sc", 20), ("sr", 30), ("sg", 4)):
        np.save(os.path.join(folder, name + ".npy"), generator.normal(size=(rows, 50)).astype(np.float32))
    os.makedirs(os.path.join(folder, "scratch"))


def is_cache(name):
    return name.startswith("cache/") and name.endswith((".atcav", ".atcav.txt"))


def scenarios():
    outputs = {"out/" + name for name in REPORT}
    run = ["run", "--model", MODEL, "--layer", "pool", "--class", "zebra:0=zebra", "--concept", "striped=striped",
           "--random", "random", "--preprocess", "none", "--scale", "0.00392", *QUICK, "--cache", "cache", "-o", "out",
           "--save-cavs", "cavs.safetensors"]
    score = ["score", "--concept", "c=c.npy", "--random", "r.npy", "--gradients", "g.npy", "--cav", "ridge", *QUICK,
             "-o", "out", "--json", "again.json"]
    small = ["score", "--concept", "c=sc.npy", "--random", "sr.npy", "--gradients", "sg.npy", *QUICK, "-o", "out"]
    return [
        Scenario("run", run, FILES, lambda name: name in outputs | {"cavs.safetensors"} or is_cache(name),
                 ["out/results.json", "out/report.html", "cavs.safetensors"]),
        Scenario("score", score, FILES, lambda name: name in outputs | {"again.json"},
                 ["out/results.json", "out/report.html", "again.json"]),
        Scenario("memory", small, ("malloc",), lambda name: name in outputs, ["out/results.json", "out/report.html"]),
        Scenario("demo", ["demo", "-o", "out"], FILES,
                 lambda name: name in outputs or name.startswith("out/images/") or name in ("out/demo.onnx", "out/demo.yaml"),
                 ["out/results.json", "out/report.html"]),
    ]


def clean(folder, kept):
    """As it was before any run."""
    for name in os.listdir(folder):
        if name not in kept:
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def places(count, most):
    if most == 0 or count <= most:
        return range(1, count + 1)
    if most == 1:
        return [(count + 1) // 2]
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


def attempt(scenario, folder, before, reference, call, at, kills, fine):
    """What went wrong, or nothing. `fine`: states from which the next run was right."""
    faults = {"FAULT_CALL": call, "FAULT_AT": str(at)}
    if kills:
        faults["FAULT_KILL"] = "1"
    done = scenario.run(folder, **faults)
    bad = []
    if done.returncode == 0:
        # A picture that cannot be read again leaves its name alone on the page.
        found = scenario.bytes_of(folder)
        if any(found.get(name) != reference[name] for name in reference if name != "out/report.html"):
            bad.append("exit code 0 with other bytes")
    elif not (kills and done.returncode == -9):
        lines = [line for line in done.stderr.splitlines() if line.startswith("atcav: ")]
        if done.returncode != 3 or len(lines) != 1:
            bad.append(f"exit code {done.returncode}: {done.stderr[-300:]!r}")
    stray = {name for name in files_in(folder) - before if not scenario.allowed(name)}
    if stray and not kills:
        bad.append(f"left behind: {sorted(stray)}")
    state = state_of(folder, before)
    if state in fine:
        return bad
    before_next = len(bad)
    again = scenario.run(folder)
    if again.returncode != 0 or scenario.bytes_of(folder) != reference:
        bad.append(f"the next run differs, exit code {again.returncode}: {again.stderr[-300:]!r}")
    stray = {name for name in files_in(folder) - before if not scenario.allowed(name)}
    if stray:
        bad.append(f"left behind after the next run: {sorted(stray)}")
    if len(bad) == before_next:
        fine.add(state)
    return bad


def main():
    share, shares = map(int, asked.share.split("/"))
    failures = 0
    for scenario in scenarios():
        if scenario.name not in (asked.scenario or ["run", "score", "memory"]):
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as earlier:
            inputs(folder)
            kept, before = set(os.listdir(folder)), files_in(folder)
            assert scenario.run(folder).returncode == 0
            reference = scenario.bytes_of(folder)
            assert set(reference) == set(scenario.checked), sorted(reference)
            shutil.copytree(folder, earlier, dirs_exist_ok=True,
                            ignore=lambda place, _: kept | {"cache"} if place == folder else ())
            counts, fine = {}, set()
            for call, over, kills in itertools.product(scenario.calls, (False, True), (False, True)):
                if kills and call not in ("write", "rename", "link", "fsync", "mkdir"):
                    continue

                def prepare():
                    clean(folder, kept)
                    if over:  # an earlier result is there
                        shutil.copytree(earlier, folder, dirs_exist_ok=True)

                if (call, over) not in counts:
                    prepare()
                    count_file = os.path.join(folder, "count")
                    scenario.run(folder, FAULT_CALL=call, FAULT_AT="0", FAULT_COUNT=count_file)
                    with open(count_file) as file:
                        counts[call, over] = int(file.read())
                count = counts[call, over]
                how = call + (", killed" if kills else "") + (", over an earlier result" if over else "")
                started, tried, wrong = time.time(), 0, 0
                for at in places(count, asked.most)[share::shares]:
                    prepare()
                    for problem in attempt(scenario, folder, before, reference, call, at, kills, fine):
                        print(f"{scenario.name}: {how}: {at} of {count}: {problem}", flush=True)
                        wrong += 1
                    tried += 1
                failures += wrong
                if count:
                    print(f"{scenario.name}: {how}: {tried} of {count} injected, {wrong} bad, "
                          f"{time.time() - started:.0f} s", flush=True)
    return 1 if failures else 0


sys.exit(main())
