"""logistic and svm directions against scikit-learn on the same problem and the same C, to 1e-4 relative.

    /usr/bin/python3 tests/reference/sklearn_directions.py build/atcav

With the identity as gradients the sensitivities are the direction itself. Data are float32 on both sides. For svm
the primal objective must also not be above SVC's, nor above that of w = 0: this is the solution where sets of unequal
sizes hardly differ, SVC then returns noise of its tolerance's size, and atcav says 0, with a warning.
"""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import oracle  # skips the test where NumPy and its kin are missing
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from oracle.fits import stacked, svm_objective

TOLERANCE = 1e-4
# Asked for more than they can reach, scikit-learn's solvers stop and complain.
warnings.simplefilter("ignore", ConvergenceWarning)
warnings.simplefilter("ignore", UserWarning)
# n random, n concept, d, distance of the means, mean of all
PROBLEMS = [(60, 40, 10, 1.5, 0), (40, 70, 120, 3, 0), (50, 50, 50, 1, 30), (25, 25, 30, 12, 2), (60, 40, 10, 0.1, 0)]
COSTS = [0.01, 1, 30]


def atcav_direction(program, folder, method, cost):
    command = [program, "score", "--concept", f"c={folder}/concept.npy", "--random", f"{folder}/random.npy",
               "--gradients", f"{folder}/identity.npy", "--cav", method, "--cost", repr(cost),
               "--bootstrap", "2", "--permutations", "2", "--json", "-", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output)["results"][0]
    w = np.array(result["sensitivities"])
    assert w.any() or any("direction is zero" in warning for warning in result["warnings"])
    return w


def sklearn_direction(method, cost, x, y):
    # Centring changes the free intercept alone and spares lbfgs a badly scaled problem.
    x = x - x.mean(axis=0)
    if method == "svm":
        return SVC(kernel="linear", C=cost, tol=1e-8, max_iter=1_000_000).fit(x, y).coef_[0]
    return LogisticRegression(C=cost, tol=1e-10, max_iter=1000, solver="newton-cg").fit(x, y).coef_[0]


def main():
    program, worst, failed = sys.argv[1], 0.0, 0
    for number, (n1, n2, d, distance, mean) in enumerate(PROBLEMS):
        generator = np.random.default_rng(number)
        random = (mean + generator.normal(size=(n1, d))).astype(np.float32)
        positive = (mean + distance / np.sqrt(d) + generator.normal(size=(n2, d))).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            for name, values in (("random", random), ("concept", positive), ("identity", np.eye(d, dtype=np.float32))):
                np.save(os.path.join(folder, name + ".npy"), values)
            x, y = stacked(random.astype(float), positive.astype(float))
            for method in ("logistic", "svm"):
                for cost in COSTS:
                    ours = atcav_direction(program, folder, method, cost)
                    theirs = sklearn_direction(method, cost, x, y)
                    error = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
                    if method == "svm":
                        least = min(svm_objective(theirs, x, y, cost), svm_objective(0 * theirs, x, y, cost))
                        # A margin off by 1e-6 on every row costs that much, times C.
                        good = svm_objective(ours, x, y, cost) <= least * (1 + 1e-6) + 1e-6 * cost * len(x)
                        if not ours.any():
                            error = 0.0
                    else:
                        good = True
                    good &= error <= TOLERANCE
                    print(f"{'ok' if good else 'FAIL':4} {method:8} C={cost:<5g} n={n1}+{n2} d={d}: {error:.1e}", flush=True)
                    worst, failed = max(worst, error), failed + (not good)
    print(f"largest relative difference {worst:.1e}")
    sys.exit(f"{failed} directions differ" if failed else 0)


if __name__ == "__main__":
    main()
