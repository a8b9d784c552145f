"""NumPy-level functions against closed forms and simulation."""
import math
import unittest

import numpy

import atcav
from atcav import theory


class Theory(unittest.TestCase):
    def test_tcav_law_is_bernoulli(self):
        mean, sd = theory.tcav_law(mu=0.2, sigma=1, samples=25)
        p = 0.5 * math.erfc(-1 / math.sqrt(2))
        self.assertAlmostEqual(mean, p, places=12)
        self.assertAlmostEqual(sd, math.sqrt(p * (1 - p)), places=12)

    def test_alpha_tcav_law_against_simulation(self):
        draws = numpy.random.default_rng(1).normal(0.2, 0.2, 400_000)
        values = 1 / (1 + numpy.exp(-3 * draws))
        mean, sd = theory.alpha_tcav_law(0.2, 1, 25, 3)
        self.assertAlmostEqual(mean, values.mean(), delta=4 * values.std() / math.sqrt(len(values)))
        self.assertAlmostEqual(sd, values.std(), delta=0.001)

    def test_variance_ratio_of_the_paper(self):
        self.assertAlmostEqual(theory.variance_ratio_approximate(2), 0.5535, places=4)
        self.assertAlmostEqual(theory.variance_ratio(2), 0.6281, places=4)

    def test_plan(self):
        plan = theory.plan_random(0.8, 0.3, standard_error=0.1, n_concept=60)
        self.assertTrue(plan["possible"])
        error = math.sqrt(0.8 / plan["n_random"] + 0.3 / 60)
        self.assertLessEqual(error, 0.1)
        self.assertGreater(math.sqrt(0.8 / (plan["n_random"] - 1) + 0.3 / 60), 0.1)
        self.assertFalse(theory.plan_random(0.8, 0.3, 0.01, 60)["possible"])
        self.assertGreater(theory.plan_cheapest(0.8, 0.3, 0.1, cost_concept=10)["cost"], 0)

    def test_pattern_law_and_error(self):
        d, shift = 4, numpy.array([1.0, 0, 0, 0])
        classes = theory.TwoClasses(numpy.zeros(d), numpy.eye(d), shift, numpy.eye(d), 100, 50)
        mean, covariance = classes.cav_law("pattern")
        numpy.testing.assert_allclose(mean, shift)
        numpy.testing.assert_allclose(covariance, numpy.eye(d) * (1 / 100 + 1 / 50))
        self.assertAlmostEqual(classes.predict_error()["error"], 0.5 * math.erfc(0.5 / math.sqrt(2)), delta=0.03)
        ridge = classes.ridge(0.5)
        self.assertTrue(ridge["converged"])
        self.assertGreater(ridge["mean"][0], 0)
        with self.assertRaisesRegex(ValueError, "pattern or fast"):
            classes.cav_law("svm")

    def test_small_statistics(self):
        s, se = numpy.array([1.0, -0.5, 2.0]), numpy.array([0.5, 0.5, 1.0])
        want = [0.5 * math.erfc(-value / math.sqrt(2)) for value in s / se]
        numpy.testing.assert_allclose(atcav.flat_posterior(s, se), want)
        self.assertEqual(atcav.magnitude(s), s.mean())
        self.assertEqual(atcav.auc(numpy.array([0.0, 1]), numpy.array([1.0, 2])), 0.875)
        self.assertEqual(atcav.bonferroni([0.01, 0.5]), [0.02, 1])
        low, high = atcav.normal_interval(0.7, 0.1)
        self.assertAlmostEqual(low, 0.7 - 0.195996398454, places=9)
        self.assertAlmostEqual(high, 0.7 + 0.195996398454, places=9)
        found = atcav.reliability(numpy.array([0.9, 0.9, 0.1]), numpy.array([1.0, 1, 0]), bins=2)
        self.assertAlmostEqual(found["expected_calibration_error"], 0.1)
        statistic, degrees, p = atcav.welch_t_test(numpy.array([1.0, 2, 3]), numpy.array([4.0, 5, 6]))
        self.assertAlmostEqual(statistic, -3 / math.sqrt(2 / 3))
        self.assertAlmostEqual(degrees, 4)
        self.assertLess(p, 0.05)


if __name__ == "__main__":
    unittest.main()
