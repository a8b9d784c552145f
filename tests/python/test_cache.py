"""What cached activations belong to: everything that the answer depends on, or nothing is cached and a note says so."""
import functools
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy
from networks import mlp, run, sensitivities
import torch

SCALE = 1.0


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, model, x):
        return model(x) * self.scale


def scaled(model, x, scale):
    return model(x) * scale


def closure(scale):
    return lambda model, x: model(x) * scale


def by_default(scale):
    def forward(model, x, by=scale, *, more=scale):
        return model(x) * by * more
    return forward


def inner(scale):
    def forward(model, x):
        def times(h):
            return h * scale
        return times(model(x))
    return forward


def with_hook(kind, scale):
    model = mlp()
    if kind == "hook":
        model[3].register_forward_hook(lambda module, inputs, output: output * scale)
    else:
        model[3].register_forward_pre_hook(lambda module, inputs: (inputs[0] * scale,))
    return model


class Net(torch.nn.Module):
    def __init__(self, scale, activation=torch.tanh):
        super().__init__()
        torch.manual_seed(1)
        self.body, self.head = torch.nn.Linear(6, 5), torch.nn.Linear(5, 3)
        self.settings = {"scale": [scale]}
        self.activation = activation

    def forward(self, x):
        return self.head(self.activation(self.body(x))) * self.settings["scale"][0]


class Cache(unittest.TestCase):
    def apart(self, first, second, layer="0"):
        """Both give with one cache what they give without."""
        with tempfile.TemporaryDirectory() as cache:
            for model, options in (first, second):
                want = sensitivities(run(model, layer, **options))
                numpy.testing.assert_allclose(sensitivities(run(model, layer, cache=cache, **options)), want, rtol=1e-5)
            model, options = second
            self.assertEqual(run(model, layer, cache=cache, **options).examples_run, 0)

    def test_functions_and_what_they_carry(self):
        for make in (closure, by_default, inner, Scaled, lambda scale: functools.partial(scaled, scale=scale),
                     lambda scale: Scaled(scale).__call__, lambda scale: closure(torch.tensor([scale]))):
            with self.subTest(make=make):
                self.apart((mlp(), {"forward": make(1.0)}), (mlp(), {"forward": make(-2.0)}))
        for make in (lambda scale: lambda result: result * scale, lambda scale: functools.partial(torch.mul, scale)):
            with self.subTest(make=make):
                self.apart((mlp(), {"output": make(1.0)}), (mlp(), {"output": make(-2.0)}))

    def test_globals_that_a_function_reads(self):
        global SCALE
        found = []
        with tempfile.TemporaryDirectory() as cache:
            for SCALE in (1.0, -2.0):
                found.append(sensitivities(run(mlp(), cache=cache, forward=lambda model, x: model(x) * SCALE)))
        numpy.testing.assert_allclose(found[1], -2 * found[0], rtol=1e-5)

    def test_hooks(self):
        for kind in ("hook", "pre-hook"):
            with self.subTest(kind):
                self.apart((with_hook(kind, 1.0), {}), (with_hook(kind, -2.0), {}))

    def test_hooks_of_all_modules_and_patched_classes(self):
        want = sensitivities(run(mlp()))
        with tempfile.TemporaryDirectory() as cache:
            run(mlp(), cache=cache)
            hook = torch.nn.modules.module.register_module_forward_hook(
                lambda module, inputs, output: output * -2.0 if isinstance(module, torch.nn.Sequential) else None)
            self.addCleanup(hook.remove)
            numpy.testing.assert_allclose(sensitivities(run(mlp(), cache=cache)), -2 * want, rtol=1e-5)
            hook.remove()
            plain = torch.nn.Sequential.forward
            self.addCleanup(setattr, torch.nn.Sequential, "forward", plain)
            torch.nn.Sequential.forward = lambda self, input: plain(self, input) * -3.0
            numpy.testing.assert_allclose(sensitivities(run(mlp(), cache=cache)), -3 * want, rtol=1e-5)

    def test_attributes_of_modules(self):
        self.apart((Net(1.0), {}), (Net(-2.0), {}), "body")
        self.apart((Net(1.0), {}), (Net(1.0, torch.sigmoid), {}), "body")

    def test_what_cannot_be_seen_is_not_cached(self):
        lock = threading.Lock()

        def forward(model, x):
            with lock:
                return model(x)
        with tempfile.TemporaryDirectory() as cache:
            first = run(mlp(), cache=cache, forward=forward)
            again = run(mlp(), cache=cache, forward=forward)
            self.assertEqual((first.examples_run, again.examples_run), (90, 90))
            self.assertIn("nothing was cached: 'lock', which", " ".join(first.notes))
            named = [run(mlp(), cache=cache, forward=forward, model_id="mine") for _ in range(2)]
            self.assertEqual(named[1].examples_run, 0)
        self.assertEqual([note for note in run(mlp(), forward=forward).notes if "cached" in note], [])

    def test_the_same_in_another_process_and_from_standard_input(self):
        script = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import networks
found = networks.run(networks.mlp(), cache=sys.argv[1], forward=lambda model, x: model(x) * FACTOR)
print(found.examples_run, networks.sensitivities(found).sum())
"""
        with tempfile.TemporaryDirectory() as cache:
            found = [subprocess.run([sys.executable, "-", cache], input=script.replace("FACTOR", factor), text=True,
                                    stdout=subprocess.PIPE, check=True).stdout.split() for factor in ("1.5", "1.5", "-3.0")]
        self.assertEqual([one[0] for one in found], ["90", "0", "90"])
        self.assertAlmostEqual(float(found[2][1]), -2 * float(found[0][1]), places=3)


if __name__ == "__main__":
    unittest.main()
