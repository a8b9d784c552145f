"""The five CAVs as estimators, with scikit-learn where it is there."""
import importlib.util
import unittest

import numpy

import atcav

DRAW = numpy.random.default_rng(5)
X = numpy.vstack([DRAW.normal(size=(40, 6)), DRAW.normal(size=(30, 6)) + 1])
Y = numpy.repeat(["other", "striped"], [40, 30])
CAVS = {"pattern": atcav.PatternCAV, "fast": atcav.FastCAV, "ridge": atcav.RidgeCAV, "logistic": atcav.LogisticCAV,
        "svm": atcav.SvmCAV}


class Estimators(unittest.TestCase):
    def test_coefficients_are_the_cav(self):
        order = [0] + list(range(69, 0, -1))  # the order of rows must not matter beyond rounding
        for method, kind in CAVS.items():
            want, _, _ = atcav.fit_cav(X[:40], X[40:], method)
            cav = kind().fit(X[order], Y[order])
            numpy.testing.assert_allclose(cav.coef_[0], want, rtol=1e-5, atol=1e-7)
            self.assertEqual(list(cav.classes_), ["other", "striped"])
            self.assertGreater(cav.score(X, Y), 0.85, method)

    def test_scores_of_gradients(self):
        gradients = DRAW.normal(size=(20, 6)) + 0.3
        cav = atcav.PatternCAV().fit(X, Y)
        s = gradients @ cav.coef_[0]
        self.assertEqual(cav.tcav(gradients), numpy.mean(s > 0))
        self.assertAlmostEqual(cav.alpha_tcav(gradients, 3), atcav.alpha_tcav(s, 3), places=12)

    def test_parameters(self):
        cav = atcav.RidgeCAV(lambda_=0.3, centred=False)
        self.assertEqual(cav.get_params(), {"lambda_": 0.3, "centred": False})
        want, _, _ = atcav.fit_cav(X[:40], X[40:], "ridge", lambda_=0.3, centred=False)
        numpy.testing.assert_allclose(cav.fit(X, Y).coef_[0], want, rtol=1e-9)
        self.assertEqual(cav.set_params(lambda_=2).lambda_, 2)

    def test_errors(self):
        for values, labels in ((X, Y[:5]), (X, numpy.full(70, "one")), (X * numpy.nan, Y), (X[0], Y)):
            with self.assertRaises(ValueError):
                atcav.PatternCAV().fit(values, labels)
        with self.assertRaises(ValueError):
            atcav.PatternCAV().fit(X, Y).predict(X[:, :3])

    @unittest.skipUnless(importlib.util.find_spec("sklearn"), "scikit-learn is not installed")
    def test_check_estimator(self):
        from sklearn.utils.estimator_checks import check_estimator
        for kind in CAVS.values():
            with self.subTest(kind.__name__):
                check_estimator(kind())


if __name__ == "__main__":
    unittest.main()
