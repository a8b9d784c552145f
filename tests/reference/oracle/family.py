"""Over all results of a call: relabelled tests of use, equivalence and verdicts, from include/atcav/effect.h,
planning.h and src/fit/max_t.h."""
import numpy as np
from scipy.stats import chi2
from scipy.stats import t as student

from oracle import streams
from oracle.resampling import Resampling
from oracle.streams import Stream


def welch_t(a, b, moved):
    difference, variance = b.mean() - a.mean(), np.var(a, ddof=1) / len(a) + np.var(b, ddof=1) / len(b)
    if moved is not None:
        difference, variance = difference + moved.mean(), variance + np.var(moved, ddof=1) / len(moved)
    return difference / np.sqrt(variance)


def relabelled_t(result, concept, of_class, options, seed):
    random, positive = result["_dealt"]
    rows, error = np.concatenate([random, positive]), result["effect"]["error"]["inputs"]
    inputs = result["effect"]["step"] * (result["sensitivities"] - result["sensitivities"].mean())
    inputs = inputs * (error * np.sqrt(len(inputs)) / np.std(inputs, ddof=1))
    key = streams.key_word(of_class)
    draw = Resampling(len(random), len(positive), seed, concept)
    return [
        welch_t(rows[rest], rows[chosen],
                inputs * Stream(seed, streams.INPUTS, key, k).normals(len(inputs)) if error > 0 else None)
        for k, (rest, chosen) in enumerate(draw.permutations(options["permutations"]))
    ]


def add_max_t(expected, pairs, options, seed):
    for result in expected:
        result["significance"]["max_t"] = result["effect"]["simultaneous"] = np.nan
    if expected[0]["_dealt"] is None:
        return
    largest = np.max([np.abs(relabelled_t(result, *pair, options, seed)) for result, pair in zip(expected, pairs)], axis=0)
    place = int(np.ceil(options["level"] * (1 + len(largest)) - 1e-9))
    for result in expected:
        found = result["effect"]
        error = np.hypot(found["error"]["examples"], found["error"]["inputs"])
        t = abs(found["logits"]) / error
        result["significance"]["max_t"] = (1 + np.sum(largest >= t * (1 - 1e-12))) / (1 + len(largest))
        if place <= len(largest):
            reach = np.sort(largest)[place - 1] * error
            found["simultaneous"] = {"low": found["logits"] - reach, "high": found["logits"] + reach}


def factor(d, error, degrees, bound, level):
    upper = lambda tail: student.isf(tail, degrees)  # noqa: E731
    both = upper(level) + upper(0.2 if abs(d) > error else 0.1)
    wanted = max(abs(d) / (upper(level / 2) + upper(0.2)), (bound - abs(d)) / both)
    # The pilot's error may be too small by chance.
    wanted *= np.sqrt(min(1, chi2.ppf(0.3, degrees) / degrees))
    return max(1, (error / wanted) ** 2)


def decide(expected, options, corrected):
    bound, alpha = options["negligible"], 1 - options["level"]
    for result in expected:
        d, of_d = result["effect"]["d"], result["_of_d"]
        p = 1 if of_d["few"] else student.cdf((abs(d) - bound) / of_d["error"], of_d["degrees"])
        result["equivalence"] = {"bound": bound, "p": p}
    for path, p in (("significance", "use_p"), ("equivalence", "p"), ("some_inputs", "p")):
        adjusted = corrected([result[path][p] for result in expected])
        for result, bonferroni, hochberg in zip(expected, *adjusted):
            result[path].update(bonferroni=bonferroni, benjamini_hochberg=hochberg)
    for result in expected:
        d, of_d, found = result["effect"]["d"], result["_of_d"], result["equivalence"]
        spread = of_d["step"] * np.sqrt(result["posterior"]["tau_squared"])
        divided = result["some_inputs"]["bonferroni"] < 0.05 and spread > bound * of_d["unit"]
        found["decides"] = np.nan
        sign = np.sign(result["effect"]["logits"]) if result["significance"]["bonferroni"] < alpha else 0
        result["verdict"] = {"use": {1: "for", -1: "against", 0: "none"}[int(sign)], "agrees": True}  # gradients alone
        if result["significance"]["bonferroni"] < alpha:
            found["verdict"] = "used"
        elif not divided and found["bonferroni"] < alpha:
            found["verdict"] = "not beyond"
        else:
            found["verdict"] = "undecided"
            times = factor(d, of_d["error"], of_d["degrees"], bound, alpha / len(expected))
            if not divided and not of_d["few"] and times < 1e6:
                found["decides"] = {n: np.ceil(times * result[n]) for n in ("n_concept", "n_random", "n_class")}
