"""Laws of scores and directions under new examples: peaks, shapes, averages over CAVs, stability, the profile."""
import numpy as np

from oracle import scores

SPLITS = 10


def peaks(location, scale):
    """Of s(Y), Y ~ N(location, scale²), counted where its density stops rising, on a fine grid of y."""
    y = np.linspace(-1, 1, 400_001) * (abs(location) + 2 * scale**2 + 5)
    rising = location - y + scale**2 * np.tanh(y / 2) > 0
    return np.count_nonzero(rising[:-1] & ~rising[1:])


def two_peaks(s, se, name, options, runs):
    slope = scores.slope(name, options, runs, se)
    if scores.number(name):
        slope = slope / scores.gamma(s)
    elif options["sigma"] == "effective":
        slope = slope / scores.spread(s)
    slope = np.broadcast_to(slope, s.shape)
    return np.mean([peaks(k * value, k * error) == 2 for k, value, error in zip(slope, s, se)])


def shape(resamples):
    deviation = resamples - resamples.mean(axis=0)
    variance = np.mean(deviation**2, axis=0)
    skewness = np.abs(np.mean(deviation**3, axis=0)) / variance**1.5
    kurtosis = np.mean(deviation**4, axis=0) / variance**2 - 3
    middle = resamples.shape[1] // 2
    skewness, kurtosis, b = np.sort(skewness)[middle], np.sort(kurtosis)[middle], len(resamples)
    normal = skewness <= 0.5 + np.sqrt(6 / b) and abs(kurtosis) <= 1.5 + np.sqrt(24 / b)
    return {"skewness": skewness, "excess_kurtosis": kurtosis, "normal": float(normal)}


def averaged(runs, options):
    """α-TCAV of several CAVs with the mean of their γ, for α that are numbers."""
    mean_gamma = np.mean([scores.gamma(r) for r in runs])
    names = ["1", "3"] + [a for a in options["alpha"] if scores.number(a)]
    return {"gamma": mean_gamma, "alpha_tcav": {a: scores.sigmoid(float(a) * np.array(runs) / mean_gamma).mean() for a in names}}


def stability(random, positive, fit, halves):
    """`halves`: pairs of complementary halves; None for differences of means."""
    if halves is None:
        noise = sum(np.trace(np.atleast_2d(np.cov(x.T))) / len(x) for x in (random, positive))
        relative = min(1, noise / np.sum((positive.mean(axis=0) - random.mean(axis=0)) ** 2))
        return {"cosine": 1 - relative, "relative_variance": relative, "split_half": np.nan}
    rows = np.vstack([random, positive])
    w = [fit(rows[r], rows[c]) for r, c in halves]
    lengths = [np.linalg.norm(x) for x in w]
    half = np.mean([w[i] @ w[i + 1] / (lengths[i] * lengths[i + 1]) if lengths[i] * lengths[i + 1] > 0 else 0
                    for i in range(0, len(w), 2)])
    return {"cosine": max(0, 2 * half / (1 + half)), "relative_variance": np.nan, "split_half": half}


def reading(low, high):
    """Of the profile: on which side of ½ its intervals lie."""
    low, high = np.array(low), np.array(high)
    above, below = low > 0.5, high < 0.5
    if above.any() == below.any():
        return "undecided"
    return "robust" if (above | below)[scores.GRID > 0.999].all() else "marginal"
