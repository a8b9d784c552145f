"""One entry of `results`, from the arrays."""
import numpy as np
from scipy.stats import norm, t as student, ttest_ind

from oracle import effect, family, fits, laws, refits, scores
from oracle.accuracy import accuracy, held_out
from oracle.resampling import Resampling

HALF_SPLITS = 32
QUARTER_SPLITS = 16
MOST_GROUPS = 20
MOST_SMOOTH = 10


def jackknife_error(values):
    values = np.asarray(values)
    groups = len(values)
    return np.sqrt((groups - 1) / groups * ((values - values.mean(axis=0)) ** 2).sum(axis=0))


class ClosedForm:
    """pattern and fast: the error of a difference of means, along any weighing v of the inputs."""

    method = "delta"

    def __init__(self, random, positive, gradients, options):
        self.products = [x @ gradients.T for x in (random, positive)]
        n1, n2 = len(random), len(positive)
        self.factor = n1 / (n1 + n2) if options["cav"] == "fast" else 1

    def along(self, v):
        return self.factor * np.sqrt(sum(np.var(p @ v, ddof=1, axis=0) / len(p) for p in self.products))

    def mean_parts(self):
        random, positive = [(self.factor**2 * np.var(p.mean(axis=1), ddof=1) / len(p), len(p) - 1) for p in self.products]
        return [positive, random]

    def covariance(self):
        return self.factor**2 * sum(np.atleast_2d(np.cov(p.T)) / len(p) for p in self.products)

    def input_errors(self):
        return self.along(np.eye(self.products[0].shape[1]))

    def score_error(self, s, rule):
        return self.along(scores.gradient(s, rule))

    def extrapolated_error(self, s, rule, halves):
        own = 2 * scores.gradient(s, rule) - np.mean([scores.gradient(h, rule) for h in halves], axis=0)
        pairs = np.array([rule(h).mean() for h in halves]).reshape(-1, 2).mean(axis=1)
        return np.hypot(self.along(own), scores.mean_error(pairs))


class Jackknife:
    method = "jackknife"

    def __init__(self, rows, draw, smooth):
        runs = list(draw.jackknife(min(MOST_GROUPS, rows.n1, rows.n2)))
        self.whole = rows.all([whole for whole, _ in runs])
        self.smooth = smooth
        self.halves = [rows.all(halves) for _, halves in runs]
        if smooth:
            groups = len(runs)
            drawn = [rows.all([whole for whole, _ in draw.jackknife(groups, k)]) for k in range(1, effect.DRAWINGS)]
            self._covariance = np.mean([(groups - 1) ** 2 / groups * np.cov(r.T) for r in [self.whole] + drawn], axis=0)
            return
        # svm: disjoint parts are independent, so each split's covariance over its parts is that of a fit on one part.
        by_half, by_quarter = [
            np.mean([np.cov(fits.T) for fits in rows.all(draw.parts(parts, splits)).reshape(splits, parts, -1)], axis=0)
            for parts, splits in ((2, HALF_SPLITS), (4, QUARTER_SPLITS))
        ]
        self._covariance = by_half * np.clip(np.trace(by_half) / np.trace(by_quarter), 0.5, 1)

    def input_errors(self):
        return jackknife_error(self.whole) if self.smooth else np.sqrt(np.diag(self.covariance()))

    def covariance(self):
        return self._covariance

    def mean_parts(self):
        degrees = len(self.whole) - 1
        return [(self.covariance().mean(), degrees if self.smooth else min(degrees, 12))]

    def score_error(self, _, rule):
        return jackknife_error([rule(s).mean() for s in self.whole])

    def extrapolated_error(self, _, rule, __):
        return jackknife_error(
            [2 * rule(s).mean() - np.mean([rule(h).mean() for h in halves]) for s, halves in zip(self.whole, self.halves)]
        )


def normal_interval(value, error, level):
    reach = norm.ppf((1 + level) / 2) * error
    return np.clip(value - reach, 0, 1), np.clip(value + reach, 0, 1)


def intervals(s, resamples, noise, named, headline, options, extrapolated, halves):
    level = options["level"]

    parts = noise.mean_parts()
    coherent = sum(v for v, _ in parts) > 0.2 * np.mean(np.square(noise.input_errors()))
    means = resamples.mean(axis=1) - resamples.mean()
    reach = student.ppf((1 + level) / 2, effect.degrees(parts))
    shift = reach * (resamples - resamples.mean(axis=0)).T @ means / np.sqrt(means @ means * (len(means) - 1))

    def entry(method, low, high, error):
        return {"level": level, "method": method, "approximate": method != "bound", "low": low, "high": high,
                "standard_error": error}

    def by_bootstrap(rule):
        values = [rule(r).mean() for r in resamples]
        return entry("bootstrap", *np.quantile(values, [(1 - level) / 2, (1 + level) / 2]), np.std(values, ddof=1))

    def by_error(value, error):
        return entry(noise.method, *normal_interval(value, error, level), error)

    def entry_of(rule, alpha=0.0):
        # The closed form is not for sigmoids as steep as steps, nor where refits scatter much more than it says.
        # Where inputs share their noise, the interval holds the scores expected at the ends of their mean.
        return widened(narrow(rule, alpha), rule)

    def widened(found, rule):
        ends = [np.mean([rule(r + side * shift).mean() for r in resamples]) for side in (-1, 1)] if coherent else []
        return {**found, "low": min([found["low"], *ends]), "high": max([found["high"], *ends])}

    def narrow(rule, alpha):
        resampled = by_bootstrap(rule)
        if options["interval"] == "bootstrap" or alpha > MOST_SMOOTH:
            return resampled
        error = noise.score_error(s, rule)
        if resampled["standard_error"] > 2 * error + 0.01:
            return resampled
        return by_error(rule(s).mean(), error)

    table = {name: entry_of(rule, scores.number(name)) for name, rule in named.items()}
    low, high = effect.positive_share(s, noise.input_errors(), resamples, level)
    table["tcav"] = entry("bound", low, high, by_bootstrap(scores.indicator)["standard_error"])
    own = table[headline]
    error = noise.extrapolated_error(s, named[headline], halves)
    table["extrapolated"] = by_error(extrapolated, max(error, 2 * own["standard_error"] * (own["method"] == "bootstrap")))
    profile = [entry_of(scores.fixed(alpha), alpha) for alpha in scores.GRID]
    return table, {side: [e[side] for e in profile] for side in ("low", "high")}


def permutation_p(s, permuted, slope):
    """`slope` is α of a normalised score, applied here to one scale for all labellings; or per input, as it is."""
    if np.ndim(slope) == 0:
        slope = slope / np.sqrt(np.mean(np.square(np.vstack([permuted, s]))))

    def rule(values):
        return scores.sigmoid(slope * values)

    distance = abs(rule(s).mean() - 0.5)
    extreme = sum(abs(rule(p).mean() - 0.5) >= distance - 1e-12 for p in permuted)
    return (1 + extreme) / (1 + len(permuted))


def compute(random, positive, gradients, name, options, seed, folds):
    """Every number of one result but the corrected p-values."""
    closed = options["cav"] in ("pattern", "fast")
    moments = options["moments"]
    rows = (refits.Blocks if moments else refits.Rows)(random, positive, gradients, options)
    draw = Resampling(rows.n1, rows.n2, seed, name)
    runs = min([options["runs"], rows.n1] + ([rows.n2] if options["split"] == "both" else []))
    s = rows.sensitivities(draw.full())
    noise = ClosedForm(random, positive, gradients, options) if closed else Jackknife(rows, draw, options["cav"] != "svm")
    se = noise.input_errors()
    result = scores.from_sensitivities(s, se, options, len(random) + len(positive), runs)
    named = scores.rules(options, runs, se)
    headline = options["alpha"][0] if options["alpha"] else "dagger"
    rule = named[headline]

    of_runs = rows.all(draw.splits(runs, options["split"] == "both"))
    multi = [scores.indicator(r).mean() for r in of_runs]
    null = [scores.indicator(r).mean() for r in rows.all(draw.random_null(runs))]
    halves = rows.all(draw.parts(2, HALF_SPLITS))
    extrapolated = np.clip(2 * rule(s).mean() - np.mean([rule(h).mean() for h in halves]), 0, 1)
    if moments:
        permuted = refits.gaussian_permutations(
            random, positive, gradients, options["permutations"], seed, name, options["cav"] == "fast"
        )
    else:
        permuted = rows.relabelled(draw.permutations(options["permutations"]))
    means, of_means = (s, se) if moments else (rows.relabelled([draw.full()])[0],
                                               ClosedForm(random, positive, gradients, {"cav": "pattern"}).input_errors())
    resamples = rows.all(draw.bootstrap(options["bootstrap"]))
    table, profile_band = intervals(s, resamples, noise, named, headline, options, extrapolated, halves)
    profile_band["reading"] = laws.reading(profile_band["low"], profile_band["high"])
    # The direction of fast differs from pattern's by a factor only, so its rows are scored with pattern's.
    fit = fits.mean_difference if closed else fits.fitter(options)
    own = table[headline]
    held = held_out(random, positive, fit, folds, thin=closed)
    step = 1 + len(positive) / len(random) if options["cav"] == "fast" else 1
    if not closed:
        w, way = fit(random, positive), positive.mean(axis=0) - random.mean(axis=0)
        step = abs(w @ way) / (w @ w)
    found, use_p, of_d = effect.measure(random, gradients, s, noise.covariance(), noise.mean_parts(), step, options["level"],
                                  moments)
    some = effect.some_inputs_p(s, noise.covariance(), effect.degrees(noise.mean_parts()))
    result["posterior"]["calibrated"] = some < 0.05
    result["posterior"]["shared"] = effect.shared_posterior(s, noise.covariance(), gradients).mean()
    result.update(
        cav=options["cav"],
        d=gradients.shape[1],
        n_random=len(random),
        n_concept=len(positive),
        multi_tcav={"runs": runs, "mean": np.mean(multi), "sd": np.std(multi, ddof=1), "scores": multi, **laws.averaged(of_runs, options)},
        laws={"two_peaks": {a: laws.two_peaks(s, se, a, options, runs) for a in named}, **laws.shape(resamples)},
        stability=laws.stability(random, positive, fit, None if closed else list(draw.parts(2, laws.SPLITS))),
        interval={**{k: own[k] for k in ("level", "method", "approximate", "low", "high")}, "of": headline},
        intervals=table,
        extrapolated=extrapolated,
        accuracy=accuracy(held, options["level"]),
        effect=found,
        some_inputs={"p": some},
        _of_d={**of_d, "step": step},
        _dealt=(random @ gradients.mean(axis=0), positive @ gradients.mean(axis=0)) if closed and not moments else None,
        held_out_scores={"random": held[0][0], "concept": held[1][0]},
        significance={
            "use_p": use_p,
            "differs_p": permutation_p(means, permuted, scores.slope(headline, options, runs, of_means)),
            "welch_p": ttest_ind(multi, null, equal_var=False).pvalue,
        },
        sensitivities=s,
        sensitivity_errors=se,
        _threshold_scale=np.std(np.concatenate([values for values, _ in held])),
    )
    result["profile"].update(profile_band)
    result["standard_error"]["cav"] = own["standard_error"]
    return result


def correct_family(expected, pairs, options, seed):
    """What rests on all results of a call: corrected p-values, max_t, simultaneous intervals and verdicts."""
    family.decide(expected, options, corrected)
    family.add_max_t(expected, pairs, options, seed)


def corrected(p):
    """Bonferroni and Benjamini–Hochberg over all tests of a call."""
    p = np.asarray(p)
    order = np.argsort(p)
    steps = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.minimum.accumulate(steps[::-1])[::-1])
    return np.minimum(1, p * len(p)), adjusted
