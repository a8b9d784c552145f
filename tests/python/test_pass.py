"""The pass in PyTorch, which runs where there is a GPU: forced onto the CPU here, beside the host's pass and float64."""
import unittest
import unittest.mock

import numpy
from networks import draw, run

from atcav import _network, _pass
import torch


def on_device():
    return unittest.mock.patch.object(_network, "_ROWS_STAY", ("cuda", "cpu"))


class Wide(unittest.TestCase):
    """Large enough that the host's pass is in float too, with as many dimensions as examples nearly: K is no noise."""

    @classmethod
    def setUpClass(cls):
        torch.manual_seed(3)
        cls.model = torch.nn.Sequential(torch.nn.Linear(400, 6000), torch.nn.Softplus(), torch.nn.Linear(6000, 7001),
                                        torch.nn.ReLU(inplace=True), torch.nn.Linear(7001, 3))
        cls.sets = {"classes": {"zebra": (2, draw(70, 400))}, "concepts": {"striped": draw(230, 400, shift=0.5),
                                                                         "dotted": draw(110, 400, shift=-0.5)},
                    "random": draw(411, 400)}

    def found(self, **options):
        started = []
        with unittest.mock.patch.object(_network.TorchNetwork, "start_pass",
                                        staticmethod(lambda *a, **k: started.append(1) or _pass.TorchPass(*a, **k))):
            result = run(self.model, ["0", "2"], **self.sets, **options)
        return result, len(started)

    # Both add up products of floats in double, in other blocks.
    def test_is_the_host_s_pass_to_1e_6(self):
        for options in ({"batch": 32}, {"cav": "ridge", "batch": 32}, {"batch": 17, "runs": 20, "split": "random"}):
            want, started = self.found(**options)
            self.assertEqual(started, 0)
            with on_device():
                here, started = self.found(**options)
                again, _ = self.found(**options)
            self.assertEqual(started, 2)  # one per layer
            self.assertEqual(here.to_json(), again.to_json())
            for one, other in zip(here, want):
                # Ridge solves a system with K, which carries the rounding of K on.
                allowed = (3e-6 if "cav" in options else 1e-6) * numpy.abs(other.sensitivities).max()
                numpy.testing.assert_allclose(one.sensitivities, other.sensitivities, atol=allowed)
                self.assertAlmostEqual(one.accuracy.auc, other.accuracy.auc, places=5)
                self.assertAlmostEqual(one.score, other.score, places=5)

    def test_directions_are_tried_out_where_the_rows_are(self):
        for options in ({}, {"cav": "ridge"}):
            want, _ = self.found(batch=32, intervene=40, **options)
            moved = []
            with on_device(), unittest.mock.patch.object(_pass, "GROUP_BYTES", 3 * 56000), \
                    unittest.mock.patch.object(_network.TorchNetwork, "moved",
                                               staticmethod(lambda *a: moved.append(1) or _pass.moved(*a))):
                here, _ = self.found(batch=32, intervene=40, **options)
            self.assertGreater(len(moved), 0)
            for one, other in zip(here, want):
                for value, wanted in ((one.erasure.change, other.erasure.change),
                                      (one.erasure.error.inputs, other.erasure.error.inputs),
                                      (one.erasure.error.examples, other.erasure.error.examples)):
                    self.assertAlmostEqual(value, wanted, places=5)
                numpy.testing.assert_allclose(one.intervention.random.low, other.intervention.random.low, atol=1e-5)

    def test_a_cache_keeps_what_the_device_gives(self):
        import tempfile
        with tempfile.TemporaryDirectory() as cache, on_device():
            first, started = self.found(cache=cache)
            second, _ = self.found(cache=cache)
        self.assertEqual((started, second.examples_run), (0, 0))
        self.assertEqual(first.to_json(), second.to_json())

    def test_the_switch_is_as_it_was(self):
        torch.set_float32_matmul_precision("medium")
        try:
            with _pass.full_floats():
                self.assertEqual(torch.get_float32_matmul_precision(), "highest")
            self.assertEqual(torch.get_float32_matmul_precision(), "medium")
        finally:
            torch.set_float32_matmul_precision("highest")


class Parts(unittest.TestCase):
    def test_every_function_against_float64(self):
        random = numpy.random.default_rng(0)
        sets = [random.normal(3, 1, (rows, 5000)).astype(numpy.float32) for rows in (33, 21)]
        gradients = random.normal(size=(4, 5000)).astype(numpy.float32)
        scored = [numpy.arange(33), numpy.array([0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20])]
        first = torch.from_numpy(sets[0][:8])
        with unittest.mock.patch.multiple(_pass, PRODUCTS=40, GROUP_BYTES=3 * 20000):  # pieces and groups: several of each
            self.compare_parts(sets, gradients, scored, first, random)

    def compare_parts(self, sets, gradients, scored, first, random):
        passed = _pass.TorchPass(first, gradients=gradients, folds=5, groups=10, gram=True, centre=None,
                                 sets=list(zip(map(len, sets), scored)), input_groups=[(0, 2), (2, 4)])
        for group, found in zip((gradients[:2], gradients[2:]), passed.gradient_products()):
            numpy.testing.assert_allclose(found, group.astype(float) @ group.astype(float).T, rtol=1e-5, atol=1e-2)
        for index, rows in enumerate(sets):
            passed.continue_at(index, 0)
            for block in range(0, len(rows), 8):
                passed.add(index, torch.from_numpy(rows[block:block + 8]) if block % 16 else rows[block:block + 8].copy())
            passed.continue_at(index, len(rows))
        centre = passed.centre()
        numpy.testing.assert_allclose(centre, sets[0][:8].mean(0), rtol=1e-6)
        directions = random.normal(size=(5, 5000))
        for index, rows in enumerate(sets):
            centred = rows.astype(float) - centre
            # 2,048 float products with |z x| of about 1 and sums of about 70: rounding of some 1e-5.
            numpy.testing.assert_allclose(passed.take_projections(index), gradients.astype(float) @ centred.T, atol=2e-4)
            self.assertIsNone(passed.take_projections(index))
            numpy.testing.assert_allclose(passed.take_group_sums(index), [centred[f::10].sum(0) for f in range(10)], atol=1e-11)
            numpy.testing.assert_allclose(passed.take_squares(index), (centred**2).sum(1), rtol=1e-5)
            want = [centred[i] @ directions[i % 5] for i in scored[index]]
            numpy.testing.assert_allclose(passed.scored_products(index, directions), want, atol=1e-9)
            back = numpy.zeros((4, 5000), numpy.float32)
            passed.read_rows(index, 7, back)
            numpy.testing.assert_array_equal(back, rows[7:11])
        every = numpy.vstack([numpy.vstack(sets).astype(float) - centre, centre])
        numpy.testing.assert_allclose(passed.gram(), every @ every.T, rtol=1e-6, atol=1e-2)


if __name__ == "__main__":
    unittest.main()
