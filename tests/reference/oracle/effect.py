"""Effect, test of use, shared posterior and the bound on TCAV, from the formulas in atcav/effect.h, posterior.h and
interval.h, with dense matrices and SciPy."""
import numpy as np
from scipy.stats import f as fisher, multivariate_normal, norm, t as student

DRAWINGS = 4
MOST_TOGETHER = 160


def variance_and_degrees(parts, differences, known):
    """parts: [(variance, degrees)] of the examples. differences: of the inputs; `known` of their variance is noise."""
    m, spread = len(differences), np.var(differences, ddof=1)
    own = max(0, spread - known) / m
    total = sum(v for v, _ in parts) + own
    below = sum(v * v / k for v, k in parts) + (spread / m) ** 2 / (m - 1)
    return total, own, max(1, total**2 / below) if below > 0 else min([m - 1, *(k for _, k in parts)])


def t_interval(value, variance, degrees, level):
    reach = student.ppf((1 + level) / 2, degrees) * np.sqrt(variance)
    return value - reach, value + reach


def measure(random, gradients, s, covariance, example_parts, step, level, moments):
    """example_parts: [(variance of the mean sensitivity, degrees)], the random set's last; all of the CAV's own scale."""
    m, mean = len(s), gradients.mean(axis=0)
    s, covariance = step * s, step**2 * covariance
    parts = [(step**2 * v, k) for v, k in example_parts]
    examples = sum(v for v, _ in parts)
    within = max(0, np.trace(covariance) - m * examples) / (m - 1)
    logits = s.mean()
    total, inputs, df = variance_and_degrees(parts, s, within)
    low, high = t_interval(logits, total, df, level)
    q = random @ mean
    sd = np.std(q, ddof=1)
    d = logits / sd
    z = (q - q.mean()) / np.std(q)
    skewness, kurtosis = (0, 3) if moments else (np.mean(z**3), np.mean(z**4))
    slopes = np.array([np.cov(random @ g, q)[0, 1] for g in gradients]) / sd**2
    scaled = [(v / sd**2, k) for v, k in parts]
    v, k = scaled[-1]
    scaled[-1] = (max(0, v + (d * skewness + d**2 * (kurtosis - 1) / 4) / len(random)), k)
    d_total, _, d_df = variance_and_degrees(scaled, s / sd - d * slopes, within / sd**2)
    d_low, d_high = t_interval(d, d_total, d_df, level)
    by_set = len(parts) == 2
    errors = {"concept": np.sqrt(parts[0][0]) if by_set else np.nan, "random": np.sqrt(parts[1][0]) if by_set else np.nan,
              "examples": np.sqrt(examples), "inputs": np.sqrt(inputs)}
    effect = {"logits": logits, "low": low, "high": high, "d": d, "d_low": d_low, "d_high": d_high, "error": errors,
              "df": df, "step": step, "standardised": np.nan}
    few = len(random) / kurtosis < 30 and kurtosis > 6
    of_d = {"error": np.sqrt(d_total), "degrees": d_df, "few": few, "unit": sd}
    return effect, 2 * student.sf(abs(logits) / np.sqrt(total), df), of_d


def degrees(parts):
    return sum(v for v, _ in parts) ** 2 / sum(v * v / k for v, k in parts)


def some_inputs_p(s, covariance, df):
    """No input uses it: S'S/tr C against F, group by group of inputs, the smallest p corrected for their number."""
    found = []
    for group in groups_of(len(s)):
        c = covariance[group, group]
        free = np.trace(c) ** 2 / np.sum(c * c)
        found.append(fisher.sf(s[group] @ s[group] / np.trace(c), free, free * df))
    return min(1, min(found) * len(found))


def groups_of(m):
    groups = -(-m // MOST_TOGETHER)
    edges = [g * m // groups for g in range(groups + 1)]
    return [slice(a, b) for a, b in zip(edges, edges[1:])]


def shared_posterior(s, covariance, gradients):
    return np.concatenate([group_posterior(s[g], covariance[g, g], gradients[g]) for g in groups_of(len(s))])


def group_posterior(s, covariance, gradients):
    m, se = len(s), np.sqrt(np.diag(covariance))
    noise = 0.98 * covariance / np.outer(se, se) + 0.02 * np.eye(m)
    prior = (gradients @ gradients.T) / np.outer(se, se)
    prior *= m / np.trace(prior)
    taus = 10 ** np.linspace(-2.5, 3.5, 25)
    logs, chances = [], []
    for tau in taus:
        total = noise + tau * prior
        logs.append(multivariate_normal(np.zeros(m), total, allow_singular=True).logpdf(s / se))
        gain = np.linalg.solve(total, tau * prior).T
        mean, left = gain @ (s / se), tau * prior - gain @ (tau * prior)
        chances.append(norm.cdf(mean / np.sqrt(np.diag(left))))
    weights = np.exp(np.array(logs) - max(logs))
    return weights @ np.array(chances) / weights.sum()


def positive_share(s, se, resamples, level):
    """Lower and upper bound for the share of positive true sensitivities."""

    def sure(statistics, noise):
        count, m = noise.shape
        ordered = -np.sort(-noise, axis=1)
        extreme = np.array([[np.sum(ordered[:, k] >= row[k]) for k in range(m)] for row in ordered]).min(axis=1)
        chosen = np.sort(extreme)[int((1 - level) / 2 * count)]
        limits = np.sort(ordered, axis=0)[count - chosen]
        return max(0, max(int((statistics > max(0, limits[k])).sum()) - k for k in range(m)))

    noise = (resamples - s) / se
    return sure(s / se, noise) / len(s), 1 - sure(-s / se, -noise) / len(s)


def wilson(k, n, level):
    z = norm.ppf((1 + level) / 2)
    centre, reach = (k + z * z / 2) / (n + z * z), z / (n + z * z) * np.sqrt(k * (n - k) / n + z * z / 4)
    return max(0, min(k / n, centre - reach)), min(1, max(k / n, centre + reach))
