"""Same seed, same bytes; a concept's numbers do not depend on what else is tested or in which order."""
import json
import subprocess

from harness import PROGRAM, ProgramTest, main, np

METHODS = ("pattern", "fast", "ridge", "logistic", "svm")


class Determinism(ProgramTest):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(2)
        # Wide enough for several stripes of columns and tiles of rows, so that threads have parts to share.
        self.random = self.save("r", generator.normal(size=(60, 1500)) + 2)
        self.concepts = {name: self.save(name, generator.normal(size=(n, 1500)) + 2.05)
                         for name, n in (("a", 40), ("b", 25), ("c", 31))}
        self.classes = {name: self.save(name, generator.normal(size=(m, 1500))) for name, m in (("x", 12), ("y", 7))}

    def bytes_of(self, *options, concepts="abc", classes="xy"):
        command = [PROGRAM, "score", "--random", self.random, "--json", "-", "--quiet", "--bootstrap", "40",
                   "--permutations", "39", *options]
        for name in concepts:
            command += ["--concept", f"{name}={self.concepts[name]}"]
        for name in classes:
            command += ["--gradients", f"{name}={self.classes[name]}"]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def by_name(self, *options, **chosen):
        """Results without what is corrected over all tests of the call."""
        results = {}
        for result in json.loads(self.bytes_of(*options, **chosen))["results"]:
            for key in ("bonferroni", "benjamini_hochberg", "max_t"):
                del result["significance"][key]
            for key in ("some_inputs", "equivalence"):
                result[key] = result[key]["p"]
            del result["effect"]["simultaneous"], result["verdict"]
            results[result["concept"], result["class"]] = result
        return results

    def test_threads_and_second_run_give_the_same_bytes(self):
        for options in [["--cav", method] for method in METHODS] + [["--moments"], ["--interval", "bootstrap"]]:
            one = self.bytes_of("--threads", "1", *options)
            self.assertEqual(one, self.bytes_of("--threads", "2", *options), options)
            self.assertEqual(one, self.bytes_of("--threads", "5", *options), options)
            self.assertEqual(one, self.bytes_of(*options), options)

    def test_float_passes_too(self):
        # More multiplications than are done in double: 100 · 1000 · 25,000.
        generator = np.random.default_rng(3)
        self.random = self.save("r", generator.normal(size=(900, 25000)))
        self.concepts = {"a": self.save("a", generator.normal(size=(100, 25000)))}
        self.classes = {"x": self.save("x", generator.normal(size=(100, 25000)))}
        one = self.bytes_of("--threads", "1", concepts="a", classes="x")
        self.assertEqual(one, self.bytes_of("--threads", "2", concepts="a", classes="x"))

    def test_another_seed_changes_only_what_is_random(self):
        first, second = (self.by_name("--seed", seed, concepts="a", classes="x")["a", "x"] for seed in ("1", "2"))
        self.assertNotEqual(first["multi_tcav"]["scores"], second["multi_tcav"]["scores"])
        self.assertNotEqual(first["intervals"]["tcav"], second["intervals"]["tcav"])
        for field in ("sensitivities", "sensitivity_errors", "alpha_tcav", "posterior", "interval", "accuracy"):
            self.assertEqual(first[field], second[field])

    def assert_same_tests(self, one, other):
        """Counts are equal; the t-test follows the sensitivities' rounding."""
        for key in ("differs_p", "welch_p"):
            self.assertEqual(one["significance"][key], other["significance"][key])
        self.assertAlmostEqual(one["significance"]["use_p"], other["significance"]["use_p"], delta=1e-6)

    def test_order_and_company_do_not_matter(self):
        for method in ("pattern", "fast"):
            everything = self.by_name("--cav", method)
            self.assertEqual(everything, self.by_name("--cav", method, concepts="cab"))
            self.assertEqual(everything["b", "x"], self.by_name("--cav", method, concepts="b", classes="x")["b", "x"])
            # Classes share one product, in which a row's place may change its last bit.
            turned = self.by_name("--cav", method, classes="yx")["b", "x"]
            np.testing.assert_allclose(everything["b", "x"]["sensitivities"], turned["sensitivities"], rtol=1e-12)
            self.assert_same_tests(everything["b", "x"], turned)

    def test_order_and_company_change_only_rounding_where_a_gram_matrix_is_shared(self):
        # All concepts share one factorisation, whose pivots depend on all of them: the same to rounding.
        for method in ("ridge", "logistic", "svm"):
            everything = self.by_name("--cav", method)["b", "x"]
            for chosen in ({"concepts": "cab", "classes": "yx"}, {"concepts": "b", "classes": "x"}):
                other = self.by_name("--cav", method, **chosen)["b", "x"]
                for field in ("sensitivities", "sensitivity_errors"):
                    np.testing.assert_allclose(everything[field], other[field], rtol=1e-5,
                                               atol=1e-6 * everything["gamma"])
                self.assert_same_tests(everything, other)
                for field in ("runs", "scores", "mean", "sd"):
                    self.assertEqual(everything["multi_tcav"][field], other["multi_tcav"][field])

    def test_regions_stand_beside_and_change_nothing(self):
        for method in METHODS:
            plain = json.loads(self.bytes_of("--cav", method))["results"]
            beside = json.loads(self.bytes_of("--cav", method, "--regions"))["results"]
            for one in beside:
                self.assertIn("auc", one.pop("region"), method)
            self.assertEqual(json.dumps(beside), json.dumps(plain), method)


if __name__ == "__main__":
    main()
