"""Calls of libc fail, or the program is killed there, at every place where whole runs of the program make them.

    faults_test.py PROGRAM SHIM [--scenario NAME …] [--start N …] [--call KIND …] [--each N] [--most N] [--share I/N]

A place is a call and the calls that led to it (shim.c). Calls at one place are the same code over and over, such as
writing 600 pictures: the first, the last and one between fail, each in a run of its own; --each N: so many of them.
After each fault either the right bytes are there or there is one clear line and exit code 3 (never for want of a
thread: fewer do), and no file that does not belong there; the next run, without a fault, gives the bytes of a run that
never met one. --most: at most so many faults of a kind, spread evenly over all; 0: all. --share: of these every N-th from
the I-th on, for N processes at a time. --start: of what a scenario may start from only the N-th, such as 1 for the demo
into a folder that has one.

The next run starts from what the faulty one left, so it is made once for every state that one leaves. Threads take turns
as they like, so a place may be missed or seldom met: places are those of three runs, a fault that was not met is tried
again, and what was never met is counted as missed.
"""
import argparse
import collections
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
options.add_argument("--start", type=int, action="append")
options.add_argument("--call", action="append")
options.add_argument("--each", type=int, default=3)
options.add_argument("--most", type=int, default=0)
options.add_argument("--share", default="0/1")
asked = options.parse_args()
sys.argv[1:] = [asked.program]
from run_harness import MODEL, RunTest, np  # noqa: E402  (reads the program's name from the command line)

PROGRAM = os.path.abspath(asked.program)
PLUGIN = os.path.join(os.path.dirname(PROGRAM), "libatcav_torch.so")
CALLS = ("write", "rename", "link", "open", "read", "mmap", "fsync", "ftruncate", "mkdir", "close", "unlink", "stat",
         "chmod", "thread")
KILLED = ("write", "rename", "link", "fsync", "mkdir", "unlink")
QUICK = ["--bootstrap", "20", "--permutations", "19"]
FEW = {"zebra": 4, "striped": 6, "random": 8}
OUT = {"out/results.json", "out/report.html", "out/timings.json"}


class Scenario:
    """A command, what it may leave behind, the bytes it must give, and what it may start from: a function that says
    which files of an earlier run are there."""

    def __init__(self, name, arguments, allowed, checked, starts):
        self.name, self.arguments = name, [*arguments, "--threads", "2"]
        self.allowed, self.checked, self.starts = allowed, checked, starts

    def bytes_of(self, folder):
        found = {}
        for name in self.checked:
            if os.path.exists(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
        return found


def is_cache(name):
    return name.startswith("cache/") and name.endswith((".atcav", ".atcav.txt"))


def scenarios():
    nothing = ("", lambda name: False)
    outputs = (", over an earlier result", lambda name: not name.startswith("cache"))
    complete = (", from the cache", lambda name: True)
    common = ["--layer", "pool", "--class", "zebra:0=zebra", *QUICK]
    run = ["run", "--model", "demo.onnx", *common, "--concept", "striped=striped", "--random", "random", "--preprocess",
           "none", "--scale", "0.00392", "-o", "out", "--cache", "cache"]
    score = ["score", "--concept", "c=c.npy", "--random", "r.npy", "--gradients", "g.npy", *QUICK, "-o", "out"]
    wide = ["score", "--concept", "c=wc.npy", "--random", "wr.npy", "--gradients", "wg.npy", "--cav", "ridge", *QUICK,
            "-o", "out"]
    written = {"cavs.safetensors", "again.json", *OUT}
    checked = ["out/results.json", "out/report.html"]
    return [
        Scenario("run", [*run, "--save-cavs", "cavs.safetensors", "--json", "again.json", "--figures", "figures"],
                 lambda name: name in written or name.startswith("figures/") or is_cache(name),
                 [*checked, "cavs.safetensors", "again.json", "figures/dose-striped.svg"], [nothing, outputs, complete]),
        Scenario("full-cache", [*run, "--cache-gb", "1e-6"], lambda name: name in OUT or is_cache(name), checked, [nothing]),
        Scenario("given", ["run", "given.yaml", "-o", "out"], OUT.__contains__, checked, [nothing]),
        Scenario("score", score, OUT.__contains__, checked, [nothing, outputs]),
        Scenario("wide", wide, OUT.__contains__, checked, [nothing]),
        Scenario("paper", ["paper", "-o", "out", "--only", "ratio", "--repeats", "20"],
                 {"out/paper.json", "out/report.html", "out/variance_ratio.csv"}.__contains__, ["out/paper.json"],
                 [nothing, outputs]),
        Scenario("demo", ["demo", "-o", "out"], lambda name: name in {"out/demo.onnx", "out/demo.yaml", *OUT} or
                 name.startswith("out/images/"), checked, [nothing, outputs]),
    ]


def inputs(folder):
    """Pictures for `run`, directions for it in a file of their own, arrays for `score`."""
    RunTest.setUpClass()
    shutil.copy(MODEL, os.path.join(folder, "demo.onnx"))
    for name, count in FEW.items():
        os.makedirs(os.path.join(folder, name))
        for i, content in enumerate(RunTest.pictures[name][:count]):
            with open(os.path.join(folder, name, f"{i:02}.png"), "wb") as file:
                file.write(content)
    os.makedirs(os.path.join(folder, "scratch"))
    generator = np.random.default_rng(4)
    # The wide random ones are more than 16 MiB: they go to a scratch file.
    for name, rows, columns in (("c", 20, 50), ("r", 30, 50), ("g", 4, 50),
                                ("wc", 20, 60000), ("wr", 72, 60000), ("wg", 4, 60000)):
        np.save(os.path.join(folder, name + ".npy"), generator.normal(size=(rows, columns)).astype(np.float32))
    subprocess.run([PROGRAM, "run", "--model", "demo.onnx", "--layer", "pool", "--class", "zebra:0=zebra", "--concept",
                    "striped=striped", "--random", "random", "--preprocess", "none", "--scale", "0.00392", *QUICK,
                    "--save-cavs", "given.safetensors", "-q"], cwd=folder, check=True)
    with open(os.path.join(folder, "given.yaml"), "w") as file:
        file.write("model: demo.onnx\nclass: zebra:0=zebra\ncavs: given.safetensors\npreprocess: none\nscale: 0.00392\n")


class Server:
    """The program under the shim: loaded once, it runs the scenario's command as often as it is asked to."""

    def __init__(self, scenario, folder, said):
        self.said = said
        environment = {**os.environ, "TMPDIR": os.path.join(folder, "scratch"), "OMP_WAIT_POLICY": "passive",
                       "FAULT_PRELOAD": PLUGIN, "FAULT_OUTPUT": said, "FAULT_TRACE": "1",
                       "FAULT_SECONDS": "300"}
        command = ["setarch", "-R", "env", "LD_PRELOAD=" + os.path.abspath(asked.shim), PROGRAM, *scenario.arguments]
        self.process = subprocess.Popen(command, cwd=folder, env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def run(self, call="none", place=1, nth=0, kills=False):
        """Exit code, number of calls at the place (none by default), what it said."""
        self.process.stdin.write(f"{call} {place} {nth} {int(kills)}\n")
        self.process.stdin.flush()
        code, count = map(int, self.process.stdout.readline().split())
        with open(self.said, errors="replace") as file:
            return code, count, file.read()

    def places(self):
        """Of each kind of call the places of a run without faults, and how often it was made there."""
        code, count, said = self.run(place=0)
        assert code == 0, said
        found = collections.defaultdict(dict)
        for _ in range(count):
            call, place, uses = self.process.stdout.readline().split()
            found[call][int(place)] = int(uses)
        return found


def files_in(folder):
    return {os.path.relpath(os.path.join(place, name), folder)
            for place, _, names in os.walk(folder) for name in names}


def state_of(folder, before):
    """Names and content of what was not there before; times are different each time. Of pictures that the demo writes
    it matters whether all are there, since it writes them all anew."""
    state = hashlib.sha256()
    for place, folders, names in sorted(os.walk(folder)):
        names = [name for name in names if os.path.relpath(os.path.join(place, name), folder) not in before]
        state.update(repr((os.path.relpath(place, folder), sorted(folders))).encode())
        if "/out/images/" in place:
            names = [name for name in names if not name.endswith(".png")]
        for name in sorted(set(names) - {"timings.json"}):
            with open(os.path.join(place, name), "rb") as file:
                state.update(repr((name, hashlib.sha256(file.read()).digest())).encode())
    return state.digest()


def clean(folder, kept):
    """As it was before any run."""
    for name in os.listdir(folder):
        if name not in kept:
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    for name in os.listdir(os.path.join(folder, "scratch")):
        os.remove(os.path.join(folder, "scratch", name))


def spread(all_of_them, most):
    count = len(all_of_them)
    if most == 0 or count <= most:
        return list(all_of_them)
    if most == 1:
        return [all_of_them[(count - 1) // 2]]
    return [all_of_them[i] for i in sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})]


def attempt(scenario, server, folder, before, reference, call, target, kills, fine):
    """How it ended and what went wrong, if anything. `fine`: states from which the next run was right."""
    code, count, said = server.run(call, *target, kills)
    bad = []
    if code == 0:
        ending = "absorbed" if count >= target[1] else "missed"
        # A picture that cannot be read again leaves its name alone on the page.
        found = scenario.bytes_of(folder)
        if any(found.get(name) != reference[name] for name in reference if not name.endswith(".html")):
            bad.append("exit code 0 with other bytes")
    elif kills and code == -9:
        ending = "killed"
    else:
        ending = "clear error"
        lines = [line for line in said.splitlines() if line.startswith("atcav: ")]
        if call == "thread" or code != 3 or len(lines) != 1:
            bad.append(f"exit code {code}: {said[-300:]!r}")
    stray = {name for name in files_in(folder) - before if not scenario.allowed(name)}
    # What cannot be removed now is removed by the next run.
    if stray and not kills and call != "unlink":
        bad.append(f"left behind: {sorted(stray)}")
    state = state_of(folder, before)
    if state not in fine:
        before_next = len(bad)
        code, _, said = server.run()
        if code != 0 or scenario.bytes_of(folder) != reference:
            bad.append(f"the next run differs, exit code {code}: {said[-300:]!r}")
        stray = {name for name in files_in(folder) - before if not scenario.allowed(name)}
        if stray:
            bad.append(f"left behind after the next run: {sorted(stray)}")
        if len(bad) == before_next:
            fine.add(state)
    return "bad" if bad else ending, bad


def targets_of(found):
    """(place, number of the call there) from what several runs found."""
    fewest = {}
    for uses in found:
        for place, count in uses.items():
            fewest[place] = min(count, fewest.get(place, count))
    return len(fewest), [(place, nth) for place in sorted(fewest) for nth in spread(range(1, fewest[place] + 1), asked.each)]


def inject(scenario, folder, earlier, said):
    """Counts of endings, over all that was injected into the scenario."""
    share, shares = map(int, asked.share.split("/"))
    inputs(folder)
    kept, before = set(os.listdir(folder)), files_in(folder)
    environment = {**os.environ, "TMPDIR": os.path.join(folder, "scratch")}
    subprocess.run([PROGRAM, *scenario.arguments], cwd=folder, env=environment, check=True, capture_output=True)
    reference = scenario.bytes_of(folder)
    assert set(reference) == set(scenario.checked), sorted(reference)
    shutil.copytree(folder, earlier, dirs_exist_ok=True, ignore=lambda place, _: kept if place == folder else ())
    fine, totals = set(), collections.Counter()
    with Server(scenario, folder, said) as server:
        for number, (start, has) in enumerate(scenario.starts):
            if asked.start and number not in asked.start:
                continue

            def prepare():
                clean(folder, kept)
                for name in filter(has, files_in(earlier)):
                    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                    shutil.copy2(os.path.join(earlier, name), os.path.join(folder, name))

            found = []
            for _ in range(3):
                prepare()
                found.append(server.places())
            for call, kills in itertools.product(CALLS, (False, True)):
                if (kills and call not in KILLED) or (asked.call and call not in asked.call):
                    continue
                places, targets = targets_of([uses[call] for uses in found])
                started, endings = time.time(), collections.Counter()
                for target in spread(targets, asked.most)[share::shares]:
                    for _ in range(4):
                        prepare()
                        ending, problems = attempt(scenario, server, folder, before, reference, call, target, kills, fine)
                        if ending != "missed":
                            break
                    endings[ending] += 1
                    for problem in problems:
                        print(f"{scenario.name}{start}: {call} {target}{', killed' * kills}: {problem}", flush=True)
                if targets:
                    print(f"{scenario.name}{start}: {call}{', killed' * kills}: {places} places, {endings.total()} of "
                          f"{len(targets)} tried, " + ", ".join(f"{count} {name}" for name, count in sorted(endings.items())) +
                          f", {time.time() - started:.0f} s", flush=True)
                totals += endings
    return totals


def main():
    totals = collections.Counter()
    for scenario in scenarios():
        if asked.scenario and scenario.name not in asked.scenario:
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as earlier, \
                tempfile.TemporaryDirectory() as other:
            totals += inject(scenario, os.path.realpath(folder), earlier, os.path.join(other, "said"))
    print(f"{totals.total() - totals['missed']} injected: {totals['absorbed']} absorbed, {totals['clear error']} clear "
          f"errors, {totals['killed']} killed, {totals['bad']} bad; {totals['missed']} missed")
    return 1 if totals["bad"] else 0


sys.exit(main())
