#!/usr/bin/env python3
"""Family-wise error of the test of use where nothing is used: pictures of one kind, split at random.

    bench/real_null.py --activations pooled.npy --gradients weights.npy --splits 200

`--activations`: pictures × d at a layer behind which the network is linear; `--gradients`: logits × d, the weights. For
each size n of the concept set, n pictures play the concept and all others random, so no logit uses anything; the share
of splits in which any logit alarms at 0.05, by Bonferroni's correction of Welch's t and by the studentised maximum over
relabellings, max-T (docs/theory/significance.md), computed here in NumPy. With `--program atcav` the first split of the
first size also goes through `atcav score`, whose Bonferroni p of each logit must be the one found here.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.stats import t as student


def welch(products, squares, chosen):
    """t and degrees of freedom of each column, by row of `chosen` (splits × pictures, 1 for the concept)."""
    n, count = chosen.sum(axis=1, keepdims=True), chosen.shape[1]
    first, second = chosen @ products, chosen @ squares
    rest, rest_second, m = products.sum(axis=0) - first, squares.sum(axis=0) - second, count - n
    a = (second - first**2 / n) / (n - 1) / n
    b = (rest_second - rest**2 / m) / (m - 1) / m
    return (first / n - rest / m) / np.sqrt(a + b), (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))


def deal(draw, pictures, concept, count):
    chosen = np.zeros((count, pictures))
    for row in chosen:
        row[draw.choice(pictures, concept, replace=False)] = 1
    return chosen


def agrees(program, activations, gradients, chosen, wanted):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "concept.npy", activations[chosen == 1])
        np.save(folder / "random.npy", activations[chosen == 0])
        command = [program, "score", "--concept", "c=concept.npy", "--random", "random.npy", "--bootstrap", "2",
                   "--permutations", "99", "--runs", "2", "--quiet", "-o", "out"]
        for k, row in enumerate(gradients):
            np.save(folder / f"{k}.npy", np.stack([row, row]))
            command += ["--gradients", f"{k}={k}.npy"]
        subprocess.run(command, cwd=folder, check=True)
        results = json.loads((folder / "out/results.json").read_text())["results"]
    found = np.array([one["significance"]["bonferroni"] for one in results])
    print(f"atcav score: largest difference of a corrected p {np.abs(found - wanted).max():.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--activations", required=True)
    parser.add_argument("--gradients", required=True)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--relabellings", type=int, default=199)
    parser.add_argument("--seed", type=int, default=29)
    parser.add_argument("--program")
    given = parser.parse_args()
    activations, gradients = (np.load(file).astype(np.float32) for file in (given.activations, given.gradients))
    products = activations.astype(float) @ gradients.astype(float).T
    products -= products.mean(axis=0)
    squares, (pictures, logits) = products**2, products.shape
    for place, concept in enumerate((8, 15, 30, 60)):
        draw = np.random.default_rng([given.seed, concept])
        alarms = np.zeros(2)
        for split in range(given.splits):
            chosen = deal(draw, pictures, concept, 1)
            t, df = welch(products, squares, chosen)
            corrected = np.minimum(1, logits * 2 * student.sf(np.abs(t[0]), df[0]))
            null, _ = welch(products, squares, deal(draw, pictures, concept, given.relabellings))
            max_t = (1 + np.sum(np.abs(null).max(axis=1) >= np.abs(t).max())) / (1 + given.relabellings)
            alarms += [corrected.min() < 0.05, max_t <= 0.05]
            if given.program and place == split == 0:
                agrees(given.program, activations, gradients[:40], chosen[0], np.minimum(1, corrected[:40] / logits * 40))
        share = alarms / given.splits
        error = np.sqrt(share * (1 - share) / given.splits)
        print(f"n_c {concept:>2}: Bonferroni {share[0]:.3f} ± {error[0]:.3f}, max-T {share[1]:.3f} ± {error[1]:.3f}",
              flush=True)


if __name__ == "__main__":
    main()
