"""Data that say nothing or too much: a warning in the table and in results.json, valid JSON, never NaN."""
import json

from harness import ProgramTest, main, np

METHODS = ("pattern", "fast", "ridge", "logistic", "svm")


class Degenerate(ProgramTest):
    def assert_warned(self, text, *options, **arrays):
        result = self.result(*options, **arrays)
        self.assertTrue([w for w in result["warnings"] if text in w], (options, result["warnings"]))
        self.assertIn(text, self.table(*options, **arrays))
        return result

    def test_zero_direction(self):
        same = self.path("random.npy")
        for options in [["--cav", method] for method in METHODS] + [["--cav", "ridge", "--centred"]]:
            result = self.assert_warned("every sensitivity is zero: the concept's direction is zero", *options, concept=same)
            self.assertEqual(result["zero_share"], 1)
            self.assertEqual(result["tcav"], 0)
            self.assertEqual(set(result["alpha_tcav"].values()), {0.5})
            self.assertEqual(result["posterior"]["empirical_bayes"], 0.5)
            self.assertIn("the concept and the random examples are the same array", result["warnings"])

    def test_zero_gradients(self):
        zeros = self.save("zeros", np.zeros((8, 6)))
        for method in METHODS:
            for sigma in ("effective", "analytic"):
                result = self.assert_warned("every gradient is zero", "--cav", method, "--sigma", sigma, gradients=zeros)
                self.assertEqual(set(result["sensitivities"]), {0})
                self.assertEqual(result["alpha_tcav"]["dagger"], 0.5)
                self.assertEqual(result["significance"]["use_p"], 1)

    def test_some_zero_gradients(self):
        some = self.load("gradients")
        some[[1, 4]] = 0
        result = self.assert_warned("2 of 8 inputs have a zero gradient", gradients=self.save("some", some))
        self.assertEqual(result["zero_share"], 0.25)
        self.assertTrue([w for w in result["warnings"] if "25.0 % of the sensitivities are exactly zero" in w])

    def test_all_ties(self):
        equal = self.save("equal", np.ones((8, 6)))
        for method in METHODS:
            result = self.assert_warned("all sensitivities are equal: alpha star and dagger are infinite", "--cav", method,
                                        gradients=equal)
            self.assertEqual(result["alpha"], {"star": None, "dagger": None})
            self.assertIn(result["alpha_tcav"]["dagger"], (0, 1))

    def test_saturation(self):
        far = self.save("far", self.load("random") + 5)
        positive = self.save("positive", np.abs(self.load("gradients")) + 0.1)
        for method in METHODS:
            result = self.assert_warned("saturated: all 8 inputs have a positive sensitivity", "--cav", method, concept=far,
                                        gradients=positive)
            self.assertEqual(result["tcav"], 1)

    def test_random_examples_that_do_not_move_the_logit(self):
        """A unit that is silent on all of them: the strongest effect there is, and no unit to measure it in."""
        generator = np.random.default_rng(4)
        random, concept = generator.normal(size=(40, 6)), generator.normal(size=(30, 6))
        random[:, 0], concept[:, 0] = 0.1, 4 + generator.normal(size=30)
        gradients = np.zeros((8, 6))
        gradients[:, 0] = generator.uniform(1, 2, size=8)
        arrays = {"concept": self.save("loud", concept), "random": self.save("silent", random),
                  "gradients": self.save("slopes", gradients)}
        for options in [["--cav", method] for method in METHODS] + [["--moments"]]:
            result = self.assert_warned("d is undefined: random examples do not move the logit", *options, **arrays)
            effect = result["effect"]
            self.assertEqual([effect[key] for key in ("d", "d_low", "d_high")], [None] * 3)
            self.assertGreater(effect["low"], 2)
            # Fits: 19 or 12 degrees of freedom, and the noise of the step from mean to mean.
            self.assertLess(result["significance"]["use_p"], 1e-6 if {"pattern", "fast", "--moments"} & set(options) else 1e-3)
        self.assertRegex(self.table(**arrays), r"undefined +\+[0-9.]+ +<\.001")

    def test_a_concept_that_does_not_move_the_logit_as_the_other_side(self):
        """Its rows are not those that activations are centred on, so that their products differ by rounding."""
        generator = np.random.default_rng(5)
        sets = {name: generator.normal(size=(n, 30)) for name, n in (("random", 67), ("loud", 40), ("silent", 60))}
        sets["loud"][:, :3] += 4
        sets["silent"][:, :3] = 0.1
        gradients = np.zeros((20, 30))
        gradients[:, :3] = 1 + 0.1 * generator.normal(size=(20, 3))
        paths = {name: self.save(name, values) for name, values in sets.items()}
        for options in ([], ["--moments"], ["--cav", "ridge"]):
            done = self.run_program("--json", "-", "--concept", f"silent={paths['silent']}", "--relative", "c:silent",
                                    *options, concept=paths["loud"], random=paths["random"],
                                    gradients=self.save("z", gradients))
            (one,) = [r for r in json.loads(done.stdout)["results"] if r["concept"] == "c vs silent"]
            self.assertIsNone(one["effect"]["d"], options)

    def test_moments_of_one_dimension(self):
        for seed in range(5):
            generator = np.random.default_rng(seed)
            arrays = {name: self.save(name + "1", generator.normal(size=(n, 1)))
                      for name, n in (("concept", 40), ("random", 60), ("gradients", 20))}
            self.result("--moments", **arrays)

    def test_constant_activations(self):
        flat = self.save("flat", np.full((12, 6), 2.0))
        also = self.save("also", np.full((15, 6), 1.0))
        for method in METHODS:
            self.result("--cav", method, concept=flat, random=also)
            self.result("--cav", method, "--sigma", "analytic", "--interval", "bootstrap", concept=flat, random=also)

    def test_a_layer_that_is_always_the_same(self):
        for columns in (6, 60):  # fewer than examples: fits see rows; more: inner products
            arrays = {"concept": self.save("flat", np.full((12, columns), 2.0)),
                      "random": self.save("also", np.full((15, columns), 2.0)),
                      "gradients": self.save("slopes", np.random.default_rng(2).normal(size=(8, columns)))}
            for method in METHODS:
                for options in ([], ["--centred"] if method == "ridge" else ["--split", "both"]):
                    result = self.assert_warned("every sensitivity is zero", "--cav", method, *options, **arrays)
                    self.assertEqual(result["significance"]["use_p"], 1)
                    self.assertEqual(result["tcav"], 0)

    def test_next_to_no_penalty(self):
        """Ridge tends to the shortest direction that fits best, whatever form the system has."""
        generator = np.random.default_rng(3)
        for columns in (6, 49, 60):
            parts = {"random": generator.normal(size=(30, columns)), "concept": generator.normal(size=(20, columns)),
                     "gradients": generator.normal(size=(4, columns))}
            arrays = {name: self.save("wide_" + name, values) for name, values in parts.items()}
            rows = np.vstack([np.load(arrays["random"]), np.load(arrays["concept"])]).astype(float)
            labels = np.r_[-np.ones(30), np.ones(20)]
            direction = np.linalg.pinv(rows - rows.mean(0)) @ (labels - labels.mean()) * np.sqrt(50)
            expected = np.load(arrays["gradients"]) @ direction
            for penalty in ("1e-12", "1e-18", "1e-30", "1e-300"):
                found = self.result("--cav", "ridge", "--lambda", penalty, **arrays)["sensitivities"]
                self.assertLess(np.abs(found - expected).max(), 1e-4 * np.abs(expected).max(), (columns, penalty))

    def test_tiny_and_huge_values(self):
        for size in (1e-30, 1e-12, 1e12, 1e18):
            concept = self.save("scaled", self.load() * np.float32(size))
            random = self.save("scaled_random", self.load("random") * np.float32(size))
            for method in METHODS:
                self.result("--cav", method, concept=concept, random=random)

    def test_least_sizes(self):
        two = self.save("two", self.load()[:2])
        one = self.save("one", self.load("gradients")[:1])
        for method in METHODS:
            for options in ([], ["--split", "both"], ["--sigma", "analytic"]):
                result = self.assert_warned("few examples", "--cav", method, *options, concept=two, random=two,
                                            gradients=one)
                self.assertEqual(result["multi_tcav"]["runs"], 2)
        self.assert_warned("one class input", gradients=one)

    def test_one_column(self):
        arrays = {name: self.save("thin_" + name, self.load(name)[:, :1]) for name in ("concept", "random", "gradients")}
        for method in METHODS:
            self.assertEqual(self.result("--cav", method, **arrays)["d"], 1)


if __name__ == "__main__":
    main()
