"""Concept activation vectors: what a network knows and what it uses, with honest uncertainty.

NumPy arrays in, results out. Rows are examples; further dimensions are flattened to columns. Data are held
as float32, statistics are computed in float64.

    scores = atcav.score({"striped": striped}, random, {"zebra": gradients}, seed=1)
    scores["results"][0]["alpha_tcav"]["dagger"]

Bad arguments raise ValueError, other failures RuntimeError. `atcav.torch` has a Captum-shaped class that
collects the arrays from a PyTorch model.
"""
import json
import math

import numpy

from . import _atcav
from ._atcav import __version__, alpha_tcav, empirical_bayes, sensitivity_profile, tcav

__all__ = ["__version__", "alpha_tcav", "empirical_bayes", "fit_cav", "score", "sensitivity_profile", "tcav"]


def _rows(name, values, dtype):
    array = numpy.asarray(values)
    if array.ndim < 2 or array.dtype.kind not in "fiub":
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}; "
                         "must be numbers, one row per example")
    flat = array.reshape(array.shape[0], math.prod(array.shape[1:]))
    with numpy.errstate(over="ignore"):  # what becomes infinite is refused by name later
        return numpy.ascontiguousarray(flat, dtype=dtype)


def fit_cav(random, concept, method="pattern", lambda_=1.0, cost=1.0, centred=False):
    """Fit a concept activation vector: a direction from random examples towards the concept's.

    method: "pattern" (difference of means), "fast", "ridge" (penalty lambda_; centred subtracts the means
    first), "logistic" or "svm" (C is cost).
    Returns (direction, intercept, converged).
    """
    return _atcav.fit_cav(_rows("random", random, numpy.float64), _rows("concept", concept, numpy.float64),
                          method, lambda_, cost, centred)


_OPTIONS = dict(_atcav.score_options())


def _texts(value):
    values = value if isinstance(value, (list, tuple)) else [value]
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in values]


def score(concepts, random, gradients, *, layer="", **options):
    """Score concepts from activations and gradients: `atcav score` on arrays in memory.

    concepts: {name: activations}, at least two rows each. random: activations of random examples.
    gradients: {class: gradients of its logit at the layer, one row per input}, or one array.
    options: those of the command line (`atcav score --help`), as keywords: cav, lambda_, cost, centred, alpha
    ("star", "dagger", a number, or several; the first is the headline score), sigma, runs, split, interval,
    bootstrap, permutations, level, seed, threads, moments. The same seed gives the same results, whatever the
    threads.
    Returns the content of results.json as a dict (docs/results.md). Its inputs have no path, and their
    hashes are of the values as float32.
    """
    if not isinstance(gradients, dict):
        gradients = {"class": gradients}
    texts = []
    for keyword, value in options.items():
        key = keyword.rstrip("_").replace("_", "-")
        if key not in _OPTIONS:
            raise TypeError(f"score() has no option '{keyword}'; it has {', '.join(_OPTIONS)}")
        if not isinstance(value, (list, tuple)) or value:
            texts.append((key, _texts(value)))
    return json.loads(_atcav.score(
        [(name, _rows(f"concept '{name}'", rows, numpy.float32)) for name, rows in concepts.items()],
        _rows("random", random, numpy.float32),
        [(name, _rows(f"gradients '{name}'", rows, numpy.float32)) for name, rows in gradients.items()],
        layer, texts))
