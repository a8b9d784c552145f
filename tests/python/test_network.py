"""run() on a torch module: against closed forms; directions that are given."""
import json
import os
import tempfile
import unittest
import unittest.mock

import numpy
from networks import RANDOM, STRIPED, ZEBRAS, mlp, run, sensitivities

import atcav

import torch

from atcav import _network


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

    def test_one_backward_for_all_layers(self):
        with unittest.mock.patch("torch.autograd.grad", side_effect=torch.autograd.grad) as backward:
            run(mlp(), ["0", "1", "3"], batch=8)
        self.assertEqual(backward.call_count, 3)  # 20 class inputs in batches of 8
        self.assertEqual({len(call.args[1]) for call in backward.call_args_list}, {3})

    def test_pooling_is_done_before_rows_are_copied(self):
        class Wide(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.head = torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.Linear(4, 3)

            def forward(self, x):
                return self.head(self.conv(x.reshape(-1, 1, 2, 3)).mean((2, 3)))
        handed = []
        original = _network.TorchNetwork._handed
        def note(self, rows):
            handed.append(tuple(rows.shape[1:]))
            return original(self, rows)
        with unittest.mock.patch.object(_network.TorchNetwork, "_handed", note):
            run(Wide(), "conv", pool="mean")
        self.assertEqual(set(handed), {(4,)})

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

    @staticmethod
    def scored(given, **options):
        return atcav.score_directions(mlp(), given, {"zebra": (2, ZEBRAS)}, progress=False, **options)

    def test_a_matrix_is_its_rows(self):
        draw = numpy.random.default_rng(5)
        matrix = draw.normal(size=(12, 5)).astype(numpy.float32)
        want = self.scored({"0": {f"{k:02}": row for k, row in enumerate(matrix)}})
        for given in (matrix, torch.tensor(matrix), (matrix, [f"{k:02}" for k in range(12)])):
            self.assertEqual(self.scored({"0": given}).results, want.results)
        self.assertEqual([one.concept for one in self.scored({"0": (matrix[:2], ["b", "a"])})], ["a", "b"])

    def test_decoders_of_sparse_autoencoders(self):
        matrix = numpy.random.default_rng(6).normal(size=(11, 5)).astype(numpy.float32)
        want = self.scored({"0": matrix})
        for key, values in {"W_dec": matrix, "dictionary._weights": matrix, "decoder.weight": matrix.T}.items():
            with self.subTest(key), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "sae_weights.safetensors")
                write_tensors(path, {key: values, "b_dec": numpy.zeros(5, numpy.float32)})
                self.assertEqual(self.scored({"0": path}).results, want.results)
                self.assertEqual(self.scored(path, layers="0").results, want.results)
                with self.assertRaisesRegex(RuntimeError, "is a decoder, whose layer must be named"):
                    self.scored(path)

    # The t-test over inputs and the share of the sphere, with numpy and 20,000 drawn directions beside the formula.
    def test_the_test_is_over_inputs(self):
        matrix = numpy.random.default_rng(7).normal(size=(40, 5))
        found = self.scored({"0": matrix}, seed=3)
        for one in found:
            s = numpy.array(one.sensitivities)
            self.assertEqual(one.significance.over, "inputs")
            self.assertEqual(one.significance.use_p, one.effect.inputs_p)
            self.assertAlmostEqual(one.significance.bonferroni, min(1, 40 * one.significance.use_p), places=12)
            self.assertEqual(one.significance.use_p < 0.05, abs(s.mean()) > 2.0930240544 * s.std(ddof=1) / len(s) ** 0.5)
        model = mlp()
        before = model[0](ZEBRAS).detach()
        mean = (model[3].weight[2] * (before > 0)).mean(0).detach().double().numpy()
        random = numpy.random.default_rng(8).normal(size=(20000, 5))
        random *= 1 / numpy.linalg.norm(random, axis=1, keepdims=True)
        moved = numpy.abs(random @ mean)
        for one, row in zip(found, matrix):
            size = numpy.linalg.norm(row)
            share = (size * moved >= abs(one.effect.logits)).mean()
            self.assertLess(abs(one.baseline.p - share), 4 * (0.25 / 20000) ** 0.5)  # standard errors of a share
            self.assertAlmostEqual(one.baseline.logits, size * numpy.linalg.norm(mean) / 5 ** 0.5, places=5)
        self.assertEqual(self.scored({"0": matrix}, seed=3), found)
        self.assertEqual(found[0].baseline.drawn, 1000)


def write_tensors(path, tensors):
    header, body = {}, b""
    for name, values in tensors.items():
        data = numpy.ascontiguousarray(values).tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + body)


if __name__ == "__main__":
    unittest.main()
