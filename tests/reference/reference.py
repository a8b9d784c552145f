"""Every field of results.json against NumPy and SciPy, on random arrays.

    /usr/bin/python3 tests/reference/reference.py build/atcav [what a case's name starts with ...]

The oracle (oracle/) fits in all d dimensions, differentiates scores by complex steps and draws the same rows
from the same keyed streams. Tolerances: 1e-6 relative from the arrays, 1e-9 from the sensitivities and errors in
the file; counts and p-values exact. logistic and svm: 1e-4, because both sides iterate:
atcav's logistic stops at a gradient of 1e-9 of its start, and the svm compared with is LIBSVM's in scikit-learn,
whose kernel is kept in float. "float": more multiplications than atcav does in double, so 1e-5.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

import oracle  # skips the test where NumPy and its kin are missing
import numpy as np

from oracle import scores
from oracle.compare import FROM_SENSITIVITIES, differences, leaves, matches
from oracle.result import compute, correct_family

FAST = ["--cav", "fast"]
SMALL = ["--bootstrap", "100", "--permutations", "99"]
# name: (n random, n of each concept, d, m of each class, options, tolerance)
CASES = {
    "pattern": (60, [40], 30, [25], [], 1e-6),
    "pattern_wide": (40, [25, 30], 150, [20, 15], ["--alpha", "2.5", "--alpha", "star", "--seed", "7"], 1e-6),
    "pattern_analytic": (50, [35], 20, [30], ["--sigma", "analytic", "--split", "both", "--runs", "5"], 1e-6),
    "pattern_bootstrap": (45, [45], 60, [24], ["--interval", "bootstrap", "--level", "0.9"], 1e-6),
    "pattern_many": (450, [230, 12], 12, [10], ["--alpha", "star", "--seed", "18446744073709551615"], 1e-6),
    "pattern_few": (4, [3], 6, [5], ["--split", "both"], 1e-6),
    "pattern_float": (800, [250], 4096, [500], SMALL + ["--alpha", "1"], 1e-5),
    "fast": (30, [50], 40, [22], FAST + ["--sigma", "analytic", "--alpha", "dagger", "--alpha", "0.5"], 1e-6),
    "fast_effective": (50, [20], 90, [18, 9], FAST + ["--split", "both", "--runs", "4"], 1e-6),
    "moments": (700, [300], 25, [14], ["--moments"], 1e-6),
    "moments_fast": (500, [130], 35, [11], FAST + ["--moments", "--sigma", "analytic"], 1e-6),
    "pattern_strong": (60, [40, 30], 30, [25, 40], ["--level", "0.5"], 1e-6),
    "fast_strong": (50, [60], 40, [30], FAST + ["--level", "0.8", "--bootstrap", "300"], 1e-6),
    "ridge": (40, [30, 24], 25, [16, 12], ["--cav", "ridge"], 1e-6),
    "ridge_wide": (24, [36], 120, [15], ["--cav", "ridge", "--lambda", "0.2", "--split", "both"], 1e-6),
    "ridge_centred": (30, [22], 70, [15], ["--cav", "ridge", "--centred", "--sigma", "analytic"] + SMALL, 1e-6),
    "logistic": (35, [28], 15, [15], ["--cav", "logistic"] + SMALL, 1e-4),
    "logistic_wide": (26, [20, 18], 64, [12], ["--cav", "logistic", "--cost", "0.1", "--alpha", "3"] + SMALL, 1e-4),
    "logistic_strong": (45, [40], 15, [30], ["--cav", "logistic", "--level", "0.7"] + SMALL, 1e-4),
    "svm": (35, [28], 12, [15], ["--cav", "svm", "--cost", "0.05", "--interval", "bootstrap"] + SMALL, 1e-4),
    "svm_wide": (24, [30], 80, [12, 10], ["--cav", "svm", "--sigma", "analytic", "--split", "both"] + SMALL, 1e-4),
}


def make_arrays(folder, n_random, n_concepts, d, n_classes, seed, shift_by):
    """Float32 rows with means far from zero, as after a ReLU, and concepts shifted in a direction of their own."""
    generator = np.random.default_rng(seed)
    base = generator.uniform(1, 3, d)
    arrays = {"random": base + generator.normal(size=(n_random, d))}
    for i, n in enumerate(n_concepts):
        shift = shift_by * (i + 1) * generator.normal(size=d) / np.sqrt(d)
        arrays[f"concept {i}"] = base + shift + generator.normal(size=(n, d)) * (1 + 0.2 * i)
    for i, m in enumerate(n_classes):
        arrays[f"class {i}"] = generator.normal(size=(m, d)) + 0.1 * i
    paths = {}
    for name, values in arrays.items():
        paths[name] = os.path.join(folder, name.replace(" ", "_") + ".npy")
        np.save(paths[name], values.astype(np.float32))
    return {name: np.load(path).astype(float) for name, path in paths.items()}, paths


def run_program(program, paths, options):
    command = [program, "score", "--random", paths["random"], "--json", "-", "--quiet"]
    for name, path in paths.items():
        if name.startswith("concept"):
            command += ["--concept", f"{name}={path}"]
        elif name.startswith("class"):
            command += ["--gradients", f"{name}={path}"]
    return json.loads(subprocess.run(command + options, check=True, capture_output=True, text=True).stdout)


def check_header(found, paths):
    roles = {"random": "random", "concept": "concept '{}'", "class": "gradients '{}'"}
    for name, path in paths.items():
        role = roles[name.split()[0]].format(name)
        (entry,) = [e for e in found["inputs"] if e["role"] == role]
        with open(path, "rb") as file:
            if entry["sha256"] != hashlib.sha256(file.read()).hexdigest():
                yield f"inputs: wrong hash of {role}"
        if entry["path"] != path or entry["shape"] != list(np.load(path, mmap_mode="r").shape):
            yield f"inputs: wrong path or shape of {role}"
    if found["command"] != "score" or "atcav" not in found:
        yield "command or version missing"


def check_from_sensitivities(entry, options):
    expected = scores.from_sensitivities(
        np.array(entry["sensitivities"]), np.array(entry["sensitivity_errors"]), options,
        entry["n_random"] + entry["n_concept"], entry["multi_tcav"]["runs"])
    wanted = {path for path, _ in leaves(expected)}
    part = {path: value for path, value in leaves(entry) if path in wanted}
    assert all(matches(path, FROM_SENSITIVITIES) for path in wanted)
    return [f"from sensitivities, {text}" for text in differences(part, dict(leaves(expected)), 1e-9)]


def check_verdict(entry, want, level):
    """Arrays have the first line of evidence alone."""
    verdict, effect = entry["verdict"], want["effect"]
    says = "none" if want["significance"]["bonferroni"] >= 1 - level else "for" if effect["logits"] > 0 else "against"
    evidence = [(line["line"], line["says"]) for line in verdict["evidence"]]
    if evidence != [("first order", says)]:
        yield f"verdict rests on {evidence}, must on first order, {says}"


def check_case(program, name, folder):
    n_random, n_concepts, d, n_classes, options, tolerance = CASES[name]
    strong = name.endswith("_strong")
    arrays, paths = make_arrays(folder, n_random, n_concepts, d, n_classes, sum(name.encode()), 2 if strong else 0.3)
    found = run_program(program, paths, options)
    problems = list(check_header(found, paths))
    folds = min([5, n_random] + n_concepts)
    pairs = [(f"concept {i}", f"class {j}") for j in range(len(n_classes)) for i in range(len(n_concepts))]
    if [(entry["concept"], entry["class"]) for entry in found["results"]] != pairs:
        return problems + ["results are not concepts within classes"]
    expected = [
        compute(arrays["random"], arrays[concept], arrays[of_class], concept, found["options"], found["seed"], folds)
        for concept, of_class in pairs
    ]
    correct_family(expected, pairs, found["options"], found["seed"])
    for entry, want in zip(found["results"], expected):
        label = f"{entry['concept']}/{entry['class']} "
        problems += [label + text for text in check_verdict(entry, want, found["options"]["level"])]
        bound = want["intervals"]["tcav"]
        if strong and not (bound["low"] > 0 and bound["high"] < 1):
            problems.append(label + "TCAV's bound says nothing, so that it cannot be wrong either")
        problems += [label + text for text in differences(entry, want, tolerance)]
        problems += [label + text for text in check_from_sensitivities(entry, found["options"])]
    return problems


def main():
    program, wanted = sys.argv[1], tuple(sys.argv[2:]) or ("",)
    chosen = [name for name in CASES if name.startswith(wanted)]
    failed = 0
    for name in chosen:
        start = time.time()
        with tempfile.TemporaryDirectory() as folder:
            problems = check_case(program, name, folder)
        print(f"{'FAIL' if problems else 'ok':4} {name} ({time.time() - start:.1f} s)", flush=True)
        for text in problems:
            print("     ", text)
        failed += bool(problems)
    sys.exit(f"{failed} of {len(chosen)} cases differ" if failed else 0)


if __name__ == "__main__":
    main()
