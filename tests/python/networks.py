"""A small network, its examples and runs of it, for the tests of run()."""
import importlib.util
import unittest

import numpy

import atcav

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("PyTorch is not installed")
import torch  # noqa: E402

SEEDED = torch.Generator().manual_seed(4)


def draw(rows, *shape, shift=0.0):
    return torch.randn(rows, *shape, generator=SEEDED) + shift


ZEBRAS, STRIPED, RANDOM = draw(20, 6), draw(30, 6, shift=0.5), draw(40, 6)
FAST = {"permutations": 99, "progress": False}


def mlp():
    torch.manual_seed(1)
    # The in-place ReLU overwrites what layer 0 gave, dropout needs evaluation mode.
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(inplace=True), torch.nn.Dropout(),
                               torch.nn.Linear(5, 3)).train()


def run(model, layers="0", classes=None, concepts=None, random=RANDOM, **options):
    return atcav.run(model, layers, classes or {"zebra": (2, ZEBRAS)}, concepts or {"striped": STRIPED}, random,
                     **{**FAST, **options})


def sensitivities(found, at=0):
    return numpy.array(found[at].sensitivities)
