"""Held-out accuracy: scores of rows by CAVs fitted without their fold, and normals fitted to them (docs/theory/accuracy.md)."""
import numpy as np
from scipy.stats import norm, rankdata

from oracle.effect import wilson

MOST_SCORED = 200


def scored_rows(n, folds):
    """Whole groups of `folds` neighbours, evenly spread, so that about 200 rows remain."""
    stride = -(-n // MOST_SCORED)
    return [i for i in range(n) if (i // folds) % stride == 0]


def held_out(random, positive, fit, folds, thin):
    """(scores, fold numbers) for each set; w·(x - middle of the two training means)."""
    number = [np.arange(len(x)) % folds for x in (random, positive)]
    scores = [np.empty(len(x)) for x in (random, positive)]
    for fold in range(folds):
        train = [x[f != fold] for x, f in zip((random, positive), number)]
        w = fit(*train)
        middle = (train[0].mean(axis=0) + train[1].mean(axis=0)) / 2
        for x, f, g in zip((random, positive), number, scores):
            g[f == fold] = (x[f == fold] - middle) @ w
    if thin:
        keep = [scored_rows(len(x), folds) for x in (random, positive)]
        return [(g[k], f[k]) for g, f, k in zip(scores, number, keep)]
    return list(zip(scores, number))


def law(scores):
    return scores.mean(), (scores.std(ddof=1) if len(scores) > 1 else 0.0)


def best_threshold(low, high):
    """Least P(random above) + P(concept below): the better root of the densities' quadratic."""
    (m1, s1), (m2, s2) = low, high
    if m2 < m1:
        (m1, s1), (m2, s2) = (m2, s2), (m1, s1)
    a = 1 / s2**2 - 1 / s1**2
    b = 2 * (m1 / s1**2 - m2 / s2**2)
    c = m2**2 / s2**2 - m1**2 / s1**2 + 2 * np.log(s2 / s1)
    candidates = np.roots([a, b, c]).real
    return min(candidates, key=lambda t: norm.sf(t, m1, s1) + norm.cdf(t, m2, s2))


def auc_interval(random, positive, area, level):
    """DeLong on the logit scale."""
    above = [np.mean((positive > r) + (positive == r) / 2) for r in random]
    below = [np.mean((random < c) + (random == c) / 2) for c in positive]
    error = np.sqrt(np.var(above, ddof=1) / len(above) + np.var(below, ddof=1) / len(below))
    if error == 0 or area in (0, 1):
        n = min(len(random), len(positive))
        return wilson(area * n, n, level)
    reach = norm.ppf((1 + level) / 2) * error / (area * (1 - area))
    logit = np.log(area / (1 - area))
    return 1 / (1 + np.exp(reach - logit)), 1 / (1 + np.exp(-reach - logit))


def accuracy(sets, level):
    (random, random_folds), (positive, positive_folds) = sets
    low, high = law(random), law(positive)
    threshold = best_threshold(low, high)
    right = np.zeros(2)
    for fold in range(random_folds.max() + 1):
        others = best_threshold(law(random[random_folds != fold]), law(positive[positive_folds != fold]))
        right += [(random[random_folds == fold] <= others).sum(), (positive[positive_folds == fold] > others).sum()]
    ranks = rankdata(np.r_[random, positive])[len(random) :]
    wins = ranks.sum() - len(positive) * (len(positive) + 1) / 2
    area = wins / (len(random) * len(positive))
    auc_low, auc_high = auc_interval(random, positive, area, level)
    shares = right / [len(random), len(positive)]
    bounds = [wilson(k, n, level) for k, n in zip(right, (len(random), len(positive)))]
    return {
        "held_out": shares.mean(),
        "low": shares.mean() - np.hypot(*[p - b[0] for p, b in zip(shares, bounds)]) / 2,
        "high": shares.mean() + np.hypot(*[b[1] - p for p, b in zip(shares, bounds)]) / 2,
        "auc": area,
        "auc_low": auc_low,
        "auc_high": auc_high,
        "approximate": True,
        "predicted": 1 - (norm.sf(threshold, *low) + norm.cdf(threshold, *high)) / 2,
        "threshold": threshold,
        "random": dict(zip(("mean", "sd"), low)),
        "concept": dict(zip(("mean", "sd"), high)),
    }
