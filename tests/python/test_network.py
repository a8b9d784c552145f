"""run() on a torch module: against closed forms; directions that are given."""
import os
import tempfile
import unittest

import numpy
from networks import RANDOM, STRIPED, ZEBRAS, mlp, run, sensitivities

import atcav


class ClosedForm(unittest.TestCase):
    # Linear, ReLU, linear: d logit / d h = W2[k], and d logit / d a = W2[k] where a > 0, else 0.
    def arrays(self, model, layer, target=2):
        before = {name: model[0](rows).detach().numpy() for name, rows in
                  {"random": RANDOM, "striped": STRIPED, "zebra": ZEBRAS}.items()}
        slope = numpy.broadcast_to(model[3].weight.detach().numpy()[target], before["zebra"].shape)
        if layer == "0":
            return before, slope * (before["zebra"] > 0)
        return {name: numpy.maximum(rows, 0) for name, rows in before.items()}, slope

    # Both multiply in float32, in another order: 1e-5 relative to numbers of order 1.
    def test_equals_the_arrays_of_the_formula(self):
        model = mlp()
        found = run(model, ["1", "0"], seed=1)
        self.assertEqual([one.layer for one in found], ["1", "0"])
        for one in found:
            rows, gradients = self.arrays(model, one.layer)
            want = atcav.score({"striped": rows["striped"]}, rows["random"], {"zebra": gradients}, seed=1,
                               permutations=99)[0]
            numpy.testing.assert_allclose(one.sensitivities, want.sensitivities, atol=1e-5)
            self.assertAlmostEqual(one.score, want.score, places=5)
            self.assertEqual(one.significance.to_dict()["welch_p"] < 0.05,
                             want.significance.to_dict()["welch_p"] < 0.05)

    def test_double_precision_and_half(self):
        want = sensitivities(run(mlp()))
        numpy.testing.assert_allclose(sensitivities(run(mlp().double())), want, atol=1e-5)
        bfloat = sensitivities(run(mlp().bfloat16()))
        self.assertLess(numpy.abs(bfloat - want).max(), 0.1 * numpy.abs(want).max())

    def test_per_example_targets(self):
        targets = [0, 2] * 10
        found = sensitivities(run(mlp(), classes={"mixed": (targets, ZEBRAS)}))
        for target in (0, 2):
            own = sensitivities(run(mlp(), classes={"one": (target, ZEBRAS)}))
            rows = [i for i, one in enumerate(targets) if one == target]
            numpy.testing.assert_allclose(found[rows], own[rows], atol=1e-6)


class Directions(unittest.TestCase):
    def test_score_directions_equals_the_run_that_found_them(self):
        model = mlp()
        found = run(model, ["0", "1"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cavs.safetensors")
            found.save_cavs(path)
            again = atcav.score_directions(model, path, {"zebra": (2, ZEBRAS)}, progress=False)
        mine = atcav.score_directions(model, found.cavs, {"zebra": (2, ZEBRAS)}, progress=False)
        for one, other, third in zip(found, again, mine):
            numpy.testing.assert_allclose(other.sensitivities, one.sensitivities, rtol=1e-4, atol=1e-7)
            self.assertEqual(other.sensitivities, third.sensitivities)
            self.assertEqual((other.cav, other.accuracy), ("given", None))
        for direction, message in [([1, 2, 3, 4], "has 4 values, the layer has 5 columns"), ([0] * 5, "is zero in all 5")]:
            with self.assertRaisesRegex(ValueError, message):
                atcav.score_directions(model, {"0": {"x": direction}}, {"zebra": (2, ZEBRAS)}, progress=False)


if __name__ == "__main__":
    unittest.main()
