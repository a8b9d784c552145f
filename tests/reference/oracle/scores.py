"""Scores, the choice of α, posteriors: from sensitivities S and their errors se alone (MATH sections 3, 4, 7)."""
import numpy as np
from scipy.special import expit
from scipy.stats import norm

TAU1 = np.pi / 8
GRID = 10.0 ** (np.arange(-10, 21) / 10)  # of the profile


def gamma(s):
    return np.sqrt(np.mean(s**2)) + 1e-8


def spread(s):
    """Population standard deviation; written so that it also takes complex numbers."""
    return np.sqrt(np.mean((s - s.mean()) ** 2))


def sigmoid(x):
    return 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else expit(x)


def choose_alpha(s, se, sigma, examples, runs):
    effective = np.sqrt(np.var(s) * examples)
    noise = effective if sigma == "effective" else np.sqrt(np.mean(se**2) * examples)
    per_run = examples / runs
    star = gamma(s) / noise * np.sqrt(per_run / (TAU1 * (1 - 1 / runs)))
    dagger = gamma(s) / noise * np.sqrt(examples / TAU1)
    return effective, star, dagger


def fixed(alpha):
    return lambda s: sigmoid(alpha * s / gamma(s))


def number(name):
    return 0.0 if name in ("star", "dagger") else float(name)


def slope(name, options, runs, se):
    """What S is multiplied by in the score, but for the scale that star and dagger take from all sensitivities."""
    if number(name):
        return number(name)
    shrink = np.sqrt(TAU1 * (runs - 1 if name == "star" else 1))
    return 1 / shrink if options["sigma"] == "effective" else 1 / (se * shrink)


def rules(options, runs, se):
    """Name -> function of all sensitivities to the terms whose mean is the score."""
    def matched(shrink):
        # α S/γ with α = (γ/σ)√(N/τ₁)/shrink: γ and N cancel.
        if options["sigma"] == "effective":
            return lambda s: sigmoid(s / spread(s) / (np.sqrt(TAU1) * shrink))
        return lambda s: sigmoid(s / se / (np.sqrt(TAU1) * shrink))

    named = {"1": fixed(1.0), "3": fixed(3.0), "star": matched(np.sqrt(runs - 1)), "dagger": matched(1.0)}
    for alpha in options["alpha"]:
        if alpha not in named:
            named[alpha] = fixed(float(alpha))
    return named


def indicator(s):
    return (s > 0).astype(float)


def gradient(s, rule):
    """∂T/∂S_j by complex steps: exact to rounding, and no formula to get wrong."""
    m = len(s)
    return np.array([rule(s + 1e-30j * (np.arange(m) == j)).mean().imag / 1e-30 for j in range(m)])


def mean_error(terms):
    return np.std(terms, ddof=1) / np.sqrt(len(terms)) if len(terms) > 1 else 0.0


def from_sensitivities(s, se, options, examples, runs):
    """Every field of a result that S and se decide."""
    named = rules(options, runs, se)
    effective, star, dagger = choose_alpha(s, se, options["sigma"], examples, runs)
    tau2 = max(0.0, np.mean(s**2 - se**2))
    bayes = np.full(len(s), 0.5) if tau2 == 0 else norm.cdf(s / se * np.sqrt(tau2 / (tau2 + se**2)))
    headline = options["alpha"][0] if options["alpha"] else "dagger"
    return {
        "n_class": len(s),
        "tcav": np.mean(s > 0),
        "magnitude": np.mean(s),
        "zero_share": np.mean(s == 0),
        "gamma": gamma(s),
        "sigma_effective": effective,
        "alpha": {"star": star, "dagger": dagger},
        "alpha_tcav": {name: rule(s).mean() for name, rule in named.items()},
        "posterior": {
            "flat": norm.cdf(s / se).mean(),
            "empirical_bayes": bayes.mean(),
            "tau_squared": tau2,
        },
        "profile": {"alpha": GRID, "score": [fixed(a)(s).mean() for a in GRID]},
        "standard_error": {"inputs": mean_error(named[headline](s))},
    }
