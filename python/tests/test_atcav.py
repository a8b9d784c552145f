"""The package against NumPy, against the program on the same arrays, and on a small PyTorch model.

    PYTHONPATH=build/python python3 test_atcav.py build/atcav
"""
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import atcav

PROGRAM = None
DRAW = numpy.random.default_rng(7)
RANDOM = DRAW.normal(size=(40, 6)).astype(numpy.float32)
STRIPED = (DRAW.normal(size=(30, 6)) + [1, 0, 0, 0.5, 0, 0]).astype(numpy.float32)
DOTTED = DRAW.normal(size=(25, 6)).astype(numpy.float32)
ZEBRA = (DRAW.normal(size=(20, 6)) + [0.5, 0, 0, 0, 0, 0]).astype(numpy.float32)


class FitCav(unittest.TestCase):
    # Double arithmetic on 70 rows: 1e-12 is a thousand times its rounding.
    def test_pattern_is_the_difference_of_means(self):
        direction, intercept, converged = atcav.fit_cav(RANDOM, STRIPED)
        want = STRIPED.mean(axis=0, dtype=float) - RANDOM.mean(axis=0, dtype=float)
        numpy.testing.assert_allclose(direction, want, atol=1e-12)
        self.assertEqual((intercept, converged), (0, True))

    def test_ridge_solves_the_normal_equations(self):
        x = numpy.vstack([RANDOM, STRIPED]).astype(float)
        y = numpy.repeat([-1.0, 1.0], [len(RANDOM), len(STRIPED)])
        n = len(x)
        for centred in (False, True):
            if centred:
                x, y = x - x.mean(axis=0), y - y.mean()
            want = numpy.linalg.solve(x.T @ x / n + 0.3 * numpy.eye(6), x.T @ y / math.sqrt(n))
            direction, _, _ = atcav.fit_cav(RANDOM, STRIPED, "ridge", lambda_=0.3, centred=centred)
            numpy.testing.assert_allclose(direction, want, rtol=1e-9)

    def test_logistic_gradient_vanishes(self):
        direction, intercept, converged = atcav.fit_cav(RANDOM, STRIPED, method="logistic", cost=0.5)
        self.assertTrue(converged)
        x = numpy.vstack([RANDOM, STRIPED]).astype(float)
        y = numpy.repeat([-1.0, 1.0], [len(RANDOM), len(STRIPED)])
        pull = y / (1 + numpy.exp(y * (x @ direction + intercept)))
        numpy.testing.assert_allclose(direction, 0.5 * x.T @ pull, atol=1e-5)

    def test_further_dimensions_are_columns_and_strides_do_not_matter(self):
        images = STRIPED.reshape(30, 2, 3)
        want = atcav.fit_cav(RANDOM, STRIPED)[0]
        numpy.testing.assert_array_equal(atcav.fit_cav(RANDOM.reshape(40, 2, 3), images)[0], want)
        numpy.testing.assert_array_equal(atcav.fit_cav(numpy.asfortranarray(RANDOM), STRIPED)[0], want)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "pattern"):
            atcav.fit_cav(RANDOM, STRIPED, method="patern")
        with self.assertRaisesRegex(ValueError, "lambda"):
            atcav.fit_cav(RANDOM, STRIPED, method="ridge", lambda_=-1)
        with self.assertRaises(ValueError):
            atcav.fit_cav(RANDOM, STRIPED[:, :5])
        with self.assertRaisesRegex(ValueError, "concept has shape"):
            atcav.fit_cav(RANDOM, STRIPED[0])


class Scores(unittest.TestCase):
    S = numpy.array([1.5, -0.5, 0.0, 2.0])

    def test_tcav(self):
        self.assertEqual(atcav.tcav(self.S), 0.5)
        self.assertEqual(atcav.tcav([1, 2, -1, 4]), 0.75)

    def test_alpha_tcav(self):
        gamma = math.sqrt(numpy.mean(self.S**2)) + 1e-8
        want = numpy.mean(1 / (1 + numpy.exp(-3 * self.S / gamma)))
        self.assertAlmostEqual(atcav.alpha_tcav(self.S, 3), want, places=12)
        self.assertAlmostEqual(atcav.alpha_tcav(self.S, 3, gamma=gamma), want, places=12)
        self.assertEqual(atcav.alpha_tcav(self.S, math.inf), 0.625)

    def test_empirical_bayes(self):
        se = numpy.array([0.5, 0.5, 0.4, 1.0])
        tau = max(0, numpy.mean(self.S**2 - se**2))
        z = self.S / se * numpy.sqrt(tau / (tau + se**2))
        probability, tau_squared = atcav.empirical_bayes(self.S, se)
        self.assertAlmostEqual(tau_squared, tau, places=12)
        want = [0.5 * math.erfc(-value / math.sqrt(2)) for value in z]
        numpy.testing.assert_allclose(probability, want, atol=1e-12)
        with self.assertRaises(ValueError):
            atcav.empirical_bayes(self.S, se[:3])

    def test_profile(self):
        alpha, score = atcav.sensitivity_profile(self.S)
        self.assertAlmostEqual(alpha[0], 0.1)
        self.assertAlmostEqual(alpha[-1], 100)
        for at in (0, 10, -1):
            self.assertAlmostEqual(score[at], atcav.alpha_tcav(self.S, alpha[at]), places=12)


class Score(unittest.TestCase):
    CONCEPTS = {"striped": STRIPED, "dotted": DOTTED}

    def program(self, *options):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            arguments = ["--random", folder / "random.npy", "--gradients", f"zebra={folder / 'zebra.npy'}"]
            for concept in self.CONCEPTS:
                arguments += ["--concept", f"{concept}={folder / concept}.npy"]
            for key, values in {**self.CONCEPTS, "random": RANDOM, "zebra": ZEBRA}.items():
                numpy.save(folder / f"{key}.npy", values)
            done = subprocess.run([PROGRAM, "score", *arguments, "-q", "--json", "-", *options], check=True,
                                  capture_output=True, text=True)
            return json.loads(done.stdout)

    def compare(self, want, got):
        for key in ("atcav", "command", "seed", "options", "results", "entanglement"):
            self.assertEqual(want[key], got[key], key)
        for there, here in zip(want["inputs"], got["inputs"], strict=True):
            self.assertEqual((there["role"], there["shape"]), (here["role"], here["shape"]))
            self.assertEqual((here["path"], len(here["sha256"])), ("", 64))

    @unittest.skipUnless(len(sys.argv) > 1, "no program given")
    def test_the_same_as_the_program(self):
        got = atcav.score(self.CONCEPTS, RANDOM, {"zebra": ZEBRA}, seed=5, layer="layer3")
        self.compare(self.program("--seed", "5", "--layer", "layer3"), got)

    @unittest.skipUnless(len(sys.argv) > 1, "no program given")
    def test_every_option_arrives(self):
        got = atcav.score(self.CONCEPTS, RANDOM, {"zebra": ZEBRA}, cav="ridge", lambda_=0.5, cost=2, centred=True,
                          alpha=["star", 2], sigma="analytic", runs=4, split="both", interval="bootstrap",
                          bootstrap=50, permutations=60, level=0.9, seed=2, threads=1)
        self.compare(self.program(*"--cav ridge --lambda 0.5 --cost 2 --centred --alpha star --alpha 2 --sigma "
                                  "analytic --runs 4 --split both --interval bootstrap --bootstrap 50 "
                                  "--permutations 60 --level 0.9 --seed 2".split()), got)
        got = atcav.score(self.CONCEPTS, RANDOM, {"zebra": ZEBRA}, moments=True)
        self.compare(self.program("--moments"), got)

    def test_deterministic_whatever_the_threads_and_the_type(self):
        first = atcav.score(self.CONCEPTS, RANDOM, ZEBRA, seed=3, alpha=2.5, threads=1)
        doubles = {name: rows.astype(float) for name, rows in self.CONCEPTS.items()}
        second = atcav.score(doubles, RANDOM.astype(float), ZEBRA.astype(float), seed=3, alpha=2.5, threads=3)
        self.assertEqual(first, second)
        self.assertEqual(first["results"][0]["class"], "class")
        self.assertEqual(first["results"][0]["interval"]["of"], "2.5")
        self.assertNotEqual(first["results"], atcav.score(self.CONCEPTS, RANDOM, ZEBRA, seed=4)["results"])

    def test_the_same_array_twice_is_noticed(self):
        warnings = atcav.score({"copy": RANDOM.copy()}, RANDOM, ZEBRA)["results"][0]["warnings"]
        self.assertIn("the concept and the random examples are the same array", warnings)

    def test_errors(self):
        broken = STRIPED.copy()
        broken[3, 2] = numpy.nan
        for concepts, options, message in [
                ({"a": broken}, {}, "concept 'a'.*row 3, column 2"),
                ({"a": STRIPED[:, :4]}, {}, "concept 'a' has 4 columns but random"),
                ({"a": STRIPED[:1]}, {}, "concept 'a' is 1, must be at least 2"),
                ({"a": STRIPED[:0]}, {}, "concept 'a' is 0, must be at least 2"),
                ({"a": STRIPED.astype(str)}, {}, "concept 'a' has shape"),
                ({}, {}, "number of concepts"),
                ({"a": STRIPED}, {"cav": "lasso"}, "lasso"),
                ({"a": STRIPED}, {"runs": 1}, "runs"),
                ({"a": STRIPED}, {"alpha": "steep"}, "steep")]:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                atcav.score(concepts, RANDOM, ZEBRA, **options)
        with self.assertRaises(TypeError):
            atcav.score({"a": STRIPED}, RANDOM, ZEBRA, lamda=1)


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        import torch
        from atcav.torch import TCAV, Concept
        torch.manual_seed(1)
        # The in-place ReLU overwrites what layer 0 gave, dropout needs evaluation mode.
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(inplace=True), torch.nn.Dropout(),
                                         torch.nn.Linear(5, 3)).train()
        self.tcav = TCAV(self.model, ["1", "0"], batch_size=7)
        self.zebra = torch.from_numpy(ZEBRA)
        self.random = Concept(0, "random", torch.from_numpy(RANDOM))
        batches = [(torch.from_numpy(part), None) for part in numpy.split(STRIPED, 3)]
        self.striped = Concept(1, "striped", batches)

    # Linear, ReLU, linear: d logit_k / d h = W2[k], and d logit_k / d a = W2[k] where a > 0, else 0.
    def arrays(self, target):
        first, last = self.model[0], self.model[3]
        w1, b1 = first.weight.detach().numpy(), first.bias.detach().numpy()
        before = {name: rows @ w1.T + b1 for name, rows in
                  {"random": RANDOM, "striped": STRIPED, "zebra": ZEBRA}.items()}
        after = {name: numpy.maximum(rows, 0) for name, rows in before.items()}
        row = numpy.broadcast_to(last.weight.detach().numpy()[target], before["zebra"].shape)
        return {"0": (before, row * (before["zebra"] > 0)), "1": (after, row)}

    # Both multiply in float32, in another order: 1e-5 relative to numbers of order 1.
    def test_interpret(self):
        found = self.tcav.interpret(self.zebra, [self.striped], self.random, target=2, class_name="zebra", seed=1)
        self.assertEqual(list(found), ["1", "0"])
        p = []
        for layer, (rows, gradients) in self.arrays(2).items():
            want = atcav.score({"striped": rows["striped"]}, rows["random"], {"zebra": gradients}, seed=1)
            want, got = want["results"][0], found[layer]["results"][0]
            numpy.testing.assert_allclose(got["sensitivities"], want["sensitivities"], atol=1e-5)
            self.assertAlmostEqual(got["alpha_tcav"]["dagger"], want["alpha_tcav"]["dagger"], places=4)
            self.assertEqual((got["layer"], got["class"]), (layer, "zebra"))
            p.append((got["significance"]["use_p"], got["significance"]["bonferroni"]))
        for raw, corrected in p:
            self.assertAlmostEqual(corrected, min(1, 2 * raw))

    def test_the_model_is_left_as_it_was(self):
        before = self.model(self.zebra * 0)[:, 0].std().item()
        self.tcav.interpret(self.zebra, [self.striped], self.random, target=0)
        self.assertGreater(before, 0)  # dropout is on again
        self.assertTrue(all(module.training for module in self.model.modules()))
        self.assertFalse(any(module._forward_hooks for module in self.model.modules()))
        self.assertTrue(all(weight.grad is None for weight in self.model.parameters()))

    def test_frozen_weights_change_nothing(self):
        free = self.tcav.interpret(self.zebra, [self.striped], self.random, target=1)
        for weight in self.model.parameters():
            weight.requires_grad_(False)
        self.assertEqual(free, self.tcav.interpret(self.zebra, [self.striped], self.random, target=1))

    def test_compute_cavs(self):
        cav = self.tcav.compute_cavs([self.striped], self.random)["0"][0]
        rows = self.arrays(0)["0"][0]
        want = rows["striped"].mean(axis=0) - rows["random"].mean(axis=0)
        numpy.testing.assert_allclose(cav.direction, want, atol=1e-5)
        self.assertEqual([concept.name for concept in cav.concepts], ["striped", "random"])

    def test_errors(self):
        from atcav.torch import TCAV
        with self.assertRaisesRegex(ValueError, "no layer 'layer9'"):
            TCAV(self.model, ["layer9"])
        with self.assertRaisesRegex(ValueError, "target is 3"):
            self.tcav.interpret(self.zebra, [self.striped], self.random, target=3)
        with self.assertRaisesRegex(ValueError, "not used"):
            self.tcav.interpret([], [self.striped], self.random, target=0)
        with self.assertRaisesRegex(ValueError, "same name"):
            self.tcav.interpret(self.zebra, [self.striped, self.striped], self.random, target=0)


if __name__ == "__main__":
    PROGRAM = sys.argv[1] if len(sys.argv) > 1 else None
    unittest.main(argv=sys.argv[:1])
