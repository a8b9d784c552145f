"""Arrays: the package against NumPy, and against the program on the same arrays."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import atcav

PROGRAM = os.environ.get("ATCAV_PROGRAM")  # build/atcav
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
        got = json.loads(got.to_json())
        for key in ("atcav", "command", "seed", "options", "results", "entanglement"):
            self.assertEqual(want[key], got[key], key)
        self.assertEqual(len(want["inputs"]), len(got["inputs"]))
        for there, here in zip(want["inputs"], got["inputs"]):
            self.assertEqual((there["role"], there["shape"]), (here["role"], here["shape"]))
            self.assertEqual((here["path"], len(here["sha256"])), ("", 64))

    @unittest.skipUnless(PROGRAM, "ATCAV_PROGRAM is not set")
    def test_the_same_as_the_program(self):
        got = atcav.score(self.CONCEPTS, RANDOM, {"zebra": ZEBRA}, seed=5, layer="layer3")
        self.compare(self.program("--seed", "5", "--layer", "layer3"), got)

    @unittest.skipUnless(PROGRAM, "ATCAV_PROGRAM is not set")
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
        self.assertEqual(first.to_json(), second.to_json())
        self.assertEqual(first[0].class_, "class")
        self.assertEqual(first[0].interval.of, "2.5")
        self.assertNotEqual(first.results, atcav.score(self.CONCEPTS, RANDOM, ZEBRA, seed=4).results)

    def test_the_same_array_twice_is_noticed(self):
        warnings = atcav.score({"copy": RANDOM.copy()}, RANDOM, ZEBRA)[0].warnings
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
                ({}, {}, "no concept was given"),
                ({"a": STRIPED}, {"cav": "lasso"}, "lasso"),
                ({"a": STRIPED}, {"runs": 1}, "runs"),
                ({"a": STRIPED}, {"alpha": "steep"}, "steep")]:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                atcav.score(concepts, RANDOM, ZEBRA, **options)
        with self.assertRaises(TypeError):
            atcav.score({"a": STRIPED}, RANDOM, ZEBRA, lamda=1)


if __name__ == "__main__":
    unittest.main()
