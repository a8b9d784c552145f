"""Concept activation vectors: what a network knows and what it uses, with honest uncertainty.

    run = atcav.run(model, ["layer3"], {"zebra": (340, zebras)}, {"striped": striped}, random)
    print(run)                       # a table: scores with intervals, tests, warnings
    run.report("out")                # results.json and report.html

`model` is your torch.nn.Module or an ONNX file; examples are folders, arrays, tensors, data loaders. `atcav.score`
does the same for activations and gradients that are there already, `atcav.discover` finds unnamed concepts.

    atcav.captum       Captum's TCAV, CAV, Concept and Classifier: change one import
    atcav.theory       laws of the scores, ridge equivalents, planning
    PatternCAV, …      the five CAVs as scikit-learn's estimators

Bad arguments raise ValueError or TypeError, other failures RuntimeError.
"""
import typing as _typing

import numpy as _numpy

from . import _atcav, theory
from ._atcav import (__version__, alpha_dagger, alpha_star, alpha_tcav, auc, benjamini_hochberg, bonferroni,
                     empirical_bayes, flat_posterior, gamma, magnitude, normal_interval, percentile_interval,
                     reliability, sensitivity_profile, sigma_effective, tcav, welch_t_test)
from ._discover import Candidate, Discovery, discover
from ._results import Result, Run
from ._run import fit_cav, load_cavs, run, score, score_directions
from ._shares import Share, merge, share

if _typing.TYPE_CHECKING:
    from . import captum
    from ._estimators import FastCAV, LogisticCAV, PatternCAV, RidgeCAV, SvmCAV

__all__ = [
    "Candidate", "Discovery", "FastCAV", "LogisticCAV", "PatternCAV", "Result", "RidgeCAV", "Run", "Share", "SvmCAV",
    "__version__", "alpha_dagger", "alpha_star", "alpha_tcav", "auc", "benjamini_hochberg", "bonferroni", "discover",
    "empirical_bayes", "fit_cav", "flat_posterior", "gamma", "load_cavs", "magnitude", "merge", "normal_interval",
    "percentile_interval", "reliability", "run", "score", "score_directions", "sensitivity_profile", "share", "sigma_effective",
    "tcav", "theory", "welch_t_test"]

if int(_numpy.__version__.split(".")[0]) >= 2 and not _atcav.knows_numpy_2:
    # Debian's pybind11 reads arrays of NumPy 2 wrongly, without an error.
    raise ImportError(f"this atcav was built with a pybind11 older than 2.12, which NumPy {_numpy.__version__} needs: "
                      "pip install atcav's checkout into this environment")


def __getattr__(name):
    # The estimators import scikit-learn where it is there, which takes a second.
    if name in ("FastCAV", "LogisticCAV", "PatternCAV", "RidgeCAV", "SvmCAV"):
        from . import _estimators
        return getattr(_estimators, name)
    if name == "captum":
        import importlib
        return importlib.import_module("atcav.captum")
    raise AttributeError(f"module 'atcav' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__, "captum"})
