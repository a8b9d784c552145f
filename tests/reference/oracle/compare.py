"""Leaf-by-leaf comparison of an entry of results.json with the oracle's."""
import numpy as np

# Text about the result, not numbers of it.
NOT_COMPUTED = {"concept", "class", "layer", "warnings", "significance.welch_note", "significance.over", "verdict.text", "verdict.evidence"}
# Other negatives are held against a plain solver in src/stats/negatives_test.cpp.
NOT_COMPUTED |= {"negatives." + key for key in ("rows", "chi2", "strata", "line.chi2", "line.logits", "line.low", "line.high")}
# Counts and shares of counts: rounding cannot excuse a difference.
COUNTED = ("tcav", "zero_share", "multi_tcav.runs", "multi_tcav.mean", "multi_tcav.sd", "multi_tcav.scores", "significance.differs_p", "accuracy.held_out", "accuracy.auc")
# Fields that S and se decide; the others need the arrays.
FROM_SENSITIVITIES = ("n_class", "tcav", "magnitude", "zero_share", "gamma", "sigma_effective", "alpha.", "alpha_tcav.",
                      "posterior.flat", "posterior.empirical_bayes", "posterior.tau_squared", "profile.alpha", "profile.score", "standard_error.inputs")


def leaves(value, path=""):
    """name.name -> number, text or array."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path, value


def matches(path, prefixes):
    return any(path == p or (p.endswith(".") and path.startswith(p)) for p in prefixes)


def differences(found, expected, tolerance):
    """Texts that name each field that is missing, not computed, or further off than `tolerance` (relative).

    Signed numbers that may come close to zero are measured by the size of what they are sums of: sensitivities
    and their mean by γ, τ² by γ², the threshold by the distance it may lie from the middle.
    """
    step = found["effect"]["step"] if "effect" in found else 1
    logits = dict.fromkeys(("effect.logits", "effect.low", "effect.high", "effect.error.inputs"), step * found["gamma"])
    sizes = dict.fromkeys(("effect.d", "effect.d_low", "effect.d_high"), 1)
    scale = {**logits, **sizes, "magnitude": found["gamma"], "sensitivities": found["gamma"], "posterior.tau_squared": found["gamma"] ** 2,
             **dict.fromkeys(("accuracy.threshold", "accuracy.random.mean", "accuracy.concept.mean",
                              "held_out_scores.random", "held_out_scores.concept"),
                             expected.get("_threshold_scale", 0))}
    given, wanted = dict(leaves(found)), dict(leaves(expected))
    for path in sorted(set(given) - set(wanted) - NOT_COMPUTED):
        yield f"{path}: the reference does not compute it"
    for path, want in wanted.items():
        if path.startswith("_"):
            continue
        if path not in given:
            yield f"{path}: not in results.json"
            continue
        have = given[path]
        if isinstance(want, str):
            if have != want:
                yield f"{path}: {have} instead of {want}"
            continue
        if have is None and np.isnan(want):
            continue
        have, want = np.asarray(have, float), np.asarray(want, float)
        if have.shape != want.shape:
            yield f"{path}: {have.shape} values instead of {want.shape}"
            continue
        allowed = 1e-12 if matches(path, COUNTED) else tolerance
        size = np.maximum(np.abs(want), scale.get(path, 0))
        worst = np.max(np.abs(have - want) / np.where(size > 0, size, 1), initial=0)
        if not worst <= allowed:
            yield f"{path}: off by {worst:.2g} (allowed {allowed:g}): {have.ravel()[:3]} instead of {want.ravel()[:3]}"
