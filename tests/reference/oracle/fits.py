"""Concept activation vectors in d dimensions, from the definitions: no span reduction, no shared code."""
import numpy as np
from scipy.special import expit


def mean_difference(random, positive, fast=False):
    w = positive.mean(axis=0) - random.mean(axis=0)
    return w * len(random) / (len(random) + len(positive)) if fast else w


def stacked(random, positive):
    x = np.vstack([random, positive])
    return x, np.r_[-np.ones(len(random)), np.ones(len(positive))]


def ridge(random, positive, penalty, centred):
    x, y = stacked(random, positive)
    if centred:
        x, y = x - x.mean(axis=0), y - y.mean()
    n, d = x.shape
    return np.linalg.solve(x.T @ x / n + penalty * np.eye(d), x.T @ y / np.sqrt(n))


def logistic(random, positive, cost):
    """Damped Newton with the full Hessian in d + 1 dimensions, until the gradient is rounding."""
    x, y = stacked(random, positive)
    x = np.c_[x, np.ones(len(x))]
    penalty = np.r_[np.ones(x.shape[1] - 1), 0]
    w = np.zeros(x.shape[1])

    def value(w):
        return 0.5 * w @ (penalty * w) + cost * np.logaddexp(0, -y * (x @ w)).sum()

    for _ in range(100):
        pull = expit(-y * (x @ w))
        gradient = penalty * w - cost * x.T @ (y * pull)
        if np.linalg.norm(gradient) < 1e-12 * cost * np.linalg.norm(x):
            break
        hessian = np.diag(penalty) + cost * (x.T * (pull * (1 - pull))) @ x
        step, length = -np.linalg.solve(hessian, gradient), 1.0
        while value(w + length * step) > value(w) and length > 1e-8:
            length /= 2
        w = w + length * step
    return w[:-1]


def svm_objective(w, x, y, cost):
    """½|w|² + C Σ hinge at the best intercept, which lies at a kink."""
    kinks = y - x @ w
    losses = np.maximum(0, 1 - y[:, None] * ((x @ w)[:, None] + kinks[None, :])).sum(axis=0)
    return 0.5 * w @ w + cost * losses.min()


def svm(random, positive, cost):
    """scikit-learn's SVC, at the least tolerance it can reach; 0 where 0 is as good."""
    from sklearn.svm import SVC

    x, y = stacked(random, positive)
    w = SVC(kernel="linear", C=cost, tol=1e-8, max_iter=1_000_000).fit(x - x.mean(axis=0), y).coef_[0]
    return w * (svm_objective(w, x, y, cost) < svm_objective(0 * w, x, y, cost) * (1 - 1e-9))


def fitter(options):
    """(random rows, concept rows) -> direction."""
    method = options["cav"]
    if method in ("pattern", "fast"):
        return lambda r, c: mean_difference(r, c, method == "fast")
    if method == "ridge":
        return lambda r, c: ridge(r, c, options["lambda"], options["centred"])
    if method == "logistic":
        return lambda r, c: logistic(r, c, options["cost"])
    return lambda r, c: svm(r, c, options["cost"])
