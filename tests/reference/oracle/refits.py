"""What a CAV fitted on chosen rows gives: S = Z w, with w fitted in all d dimensions."""
import numpy as np

from oracle import fits, resampling


class Rows:
    """Every row is a row: what the program does by default."""

    def __init__(self, random, positive, gradients, options):
        self.x, self.z = np.vstack([random, positive]), gradients
        self.n1, self.n2 = len(random), len(positive)
        self.fit = fits.fitter(options)
        # Fits on chosen rows count in the unit of the fit on all rows: their own step over that one's.
        self.fitted = options["cav"] not in ("pattern", "fast")
        self.step = self.step_of(self.fit(random, positive), random, positive) if self.fitted else 1

    @staticmethod
    def step_of(w, random, positive):
        return abs(w @ (positive.mean(axis=0) - random.mean(axis=0))) / (w @ w) if w @ w > 0 else 0

    def sensitivities(self, choice):
        random, positive = self.x[choice[0]], self.x[choice[1]]
        w = self.fit(random, positive)
        own = self.step_of(w, random, positive) if self.fitted else self.step
        return self.z @ w * (own / self.step if own > 0 and self.step > 0 else 1)

    def relabelled(self, choices):
        """Of the difference of means, whatever the method."""
        return np.array([self.z @ fits.mean_difference(self.x[r], self.x[c]) for r, c in choices])

    def all(self, choices):
        return np.array([self.sensitivities(choice) for choice in choices])


class Blocks(Rows):
    """Moments-only: rows i, i + B, i + 2B … are one row, their mean, weighing as many as they are."""

    def __init__(self, random, positive, gradients, options):
        runs = options["runs"]
        wanted = runs * -(-60 // runs)
        means, weights = [], []
        for x in (random, positive):
            blocks = min(wanted, len(x))
            means.append([x[b::blocks].mean(axis=0) for b in range(blocks)])
            weights.append([len(x[b::blocks]) for b in range(blocks)])
        self.x, self.z = np.vstack(means), gradients
        self.weights = np.concatenate(weights).astype(float)
        self.n1, self.n2 = len(means[0]), len(means[1])
        self.fast = options["cav"] == "fast"

    def sensitivities(self, choice):
        (n1, low), (n2, high) = [
            (self.weights[rows].sum(), np.average(self.x[rows], axis=0, weights=self.weights[rows]))
            for rows in choice
        ]
        return self.z @ (high - low) * (n1 / (n1 + n2) if self.fast else 1)


def pivoted_cholesky(gram):
    """F with F Fᵀ = gram, largest remaining diagonal first; stops at the numerical rank."""
    rest, columns = gram.copy(), []
    floor = len(gram) * np.finfo(float).eps * gram.diagonal().max()
    for _ in range(len(gram)):
        pivot = int(np.argmax(rest.diagonal()))
        if rest[pivot, pivot] <= floor:
            break
        column = rest[:, pivot] / np.sqrt(rest[pivot, pivot])
        columns.append(column)
        rest = rest - np.outer(column, column)
        rest[pivot, :] = rest[:, pivot] = 0
    return np.array(columns).T


def gaussian_permutations(random, positive, gradients, count, seed, name, fast):
    """Sensitivities under dealt labels when rows are gone: N(0, C(1/n1 + 1/n2)), C over all examples."""
    n1, n2 = len(random), len(positive)
    products = gradients @ np.vstack([random, positive]).T
    root = pivoted_cholesky(np.atleast_2d(np.cov(products)) * (1 / n1 + 1 / n2))
    key = resampling.streams.key_word(name)
    factor = n1 / (n1 + n2) if fast else 1
    draws = [
        resampling.Stream(seed, resampling.streams.PERMUTATION, key, k).normals(root.shape[1]) for k in range(count)
    ]
    return factor * np.array(draws) @ root.T
