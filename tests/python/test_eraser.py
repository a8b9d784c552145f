"""run.eraser and run.erased against the closed form, and what a linear probe finds afterwards."""
import unittest

import numpy
from networks import RANDOM, STRIPED, atcav, draw, mlp, run, torch

DOTTED = draw(30, 6, shift=-0.4)
BOTH = {"striped": STRIPED, "dotted": DOTTED}


def closed_form(rows, delta, teller, mean):
    """In float64, by another way than C++: one system of equations per row."""
    shares = numpy.linalg.solve(teller @ delta.T, teller @ (rows - mean).T).T
    return rows - shares @ delta


class Erased(unittest.TestCase):
    def setUp(self):
        self.model = mlp().eval()
        with torch.no_grad():
            self.rows = {name: self.model[0](data).double().numpy() for name, data in [("random", RANDOM), *BOTH.items()]}
        self.mean = self.rows["random"].mean(0)
        self.delta = numpy.array([self.rows[name].mean(0) - self.mean for name in BOTH])

    def expect(self, found, concepts, tellers, at):
        eraser = found.eraser(concepts, "0")
        h = torch.from_numpy(self.rows["random"])
        expected = closed_form(self.rows["random"], self.delta[at], tellers[at], self.mean)
        # δ and R are kept as float32, h is of order 1.
        numpy.testing.assert_allclose(eraser(h).numpy(), expected, atol=2e-6)

    def test_pattern_is_the_closed_form(self):
        found = run(self.model, concepts=BOTH)
        self.expect(found, "striped", self.delta, [0])
        self.expect(found, ["dotted"], self.delta, [1])
        self.expect(found, ["striped", "dotted"], self.delta, [0, 1])

    def test_other_cavs_read_and_the_step_is_taken(self):
        for cav in ("fast", "ridge", "logistic", "svm"):
            found = run(self.model, concepts=BOTH, cav=cav)
            tellers = numpy.array([found.cavs["0"][name] for name in BOTH], numpy.float64)
            self.expect(found, ["striped", "dotted"], tellers, [0, 1])

    def test_score_has_erasers_too(self):
        found = atcav.score({"striped": self.rows["striped"]}, self.rows["random"], self.rows["dotted"], layer="0",
                            permutations=9)
        self.expect(found, "striped", self.delta, [0])

    def test_the_model_is_as_it_was(self):
        found = run(self.model)
        before = self.model(RANDOM)
        with found.erased(self.model, "striped", "0") as model:
            inside = model(RANDOM)
        expected = self.model[1:](found.eraser("striped", "0")(self.model[0](RANDOM)))
        self.assertTrue(torch.allclose(inside, expected, atol=1e-6))
        self.assertFalse(torch.allclose(inside, before, atol=1e-2))
        self.assertTrue(torch.equal(self.model(RANDOM), before))
        with self.assertRaisesRegex(RuntimeError, "mine"), found.erased(self.model, "striped", "0"):
            raise RuntimeError("mine")
        self.assertTrue(torch.equal(self.model(RANDOM), before))

    def test_gradients_pass_through(self):
        eraser = run(self.model).eraser("striped", "0")
        h = self.model[0](RANDOM).detach().requires_grad_()
        eraser(h).sum().backward()
        delta, reader = eraser.directions[0], eraser.readers[0]
        self.assertTrue(torch.allclose(h.grad, (1 - delta.sum() * reader).expand_as(h), atol=1e-5))

    def test_bad_arguments(self):
        found = run(self.model)
        with self.assertRaisesRegex(ValueError, "no layer 'nowhere'"):
            found.eraser("striped", "nowhere")
        with self.assertRaisesRegex(ValueError, "no concept 'plaid'"):
            found.eraser("plaid", "0")
        with self.assertRaisesRegex(ValueError, "cannot be told"):
            found.eraser(["striped", "striped"], "0")
        with self.assertRaisesRegex(ValueError, "7 columns here, must be 5"):
            found.eraser("striped", "0")(torch.zeros(2, 7))
        given = atcav.score_directions(self.model, found.cavs, {"zebra": (2, RANDOM)}, progress=False)
        with self.assertRaisesRegex(ValueError, "was given its directions"):
            given.eraser("striped", "0")


class Positions(unittest.TestCase):
    """Pooled layers: what pooling leaves is erased, and positions keep their differences."""

    def test_mean_over_positions(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(36, 3)).eval()
        images, random = draw(20, 2, 5, 5, shift=0.5), draw(30, 2, 5, 5)
        found = run(model, classes={"zebra": (2, draw(8, 2, 5, 5))}, concepts={"a": images}, random=random, pooling="mean")
        h, rows = model[0](images), model[0](random)
        mean = rows.mean((0, 2, 3))
        delta = h.mean((0, 2, 3)) - mean
        shares = (h.mean((2, 3)) - mean) @ delta / (delta @ delta)
        expected = h - (shares[:, None] * delta)[:, :, None, None]
        eraser = found.eraser("a", "0")
        self.assertTrue(torch.allclose(eraser(h), expected, atol=1e-5))
        for dtype, close in ((torch.float64, 1e-5), (torch.bfloat16, 5e-2)):
            erased = eraser(h.to(dtype))
            self.assertEqual(erased.dtype, dtype)
            self.assertTrue(torch.allclose(erased.float(), expected, atol=close))
        with self.assertRaisesRegex(ValueError, "pool is 'max'"):
            run(model, classes={"zebra": (2, draw(8, 2, 5, 5))}, concepts={"a": images}, random=random,
                pooling="max").eraser("a", "0")

    def test_tokens(self):
        class Sequence(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.block, self.head = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)

            def forward(self, x):
                return self.head(self.block(x).tanh().mean(1))

        model = Sequence().eval()
        classes = {"zebra": (1, draw(8, 5, 3))}
        for pool, place in (("cls", 0), ("last", 4), (2, 2)):
            found = run(model, "block", classes, {"a": draw(20, 5, 3, shift=0.5)}, draw(30, 5, 3), pooling=pool)
            eraser = found.eraser("a", "block")
            h = model.block(draw(6, 5, 3))
            erased = eraser(h)
            others = [k for k in range(5) if k != place]
            self.assertTrue(torch.equal(erased[:, others], h[:, others]))
            # Nothing of the concept is left there.
            self.assertLess(eraser.shares(erased[:, place]).abs().max(), 1e-5)
            self.assertGreater(eraser.shares(h[:, place]).abs().max(), 0.1)

    def test_padded_sequences(self):
        found = run(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Flatten(), torch.nn.Linear(20, 2)).eval(),
                    classes={"zebra": (1, draw(8, 5, 3))}, concepts={"a": draw(20, 5, 3, shift=0.5)}, random=draw(30, 5, 3),
                    pooling="mean")
        eraser, h = found.eraser("a", "0"), draw(2, 5, 4)
        counts = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
        erased = eraser(h, counts)
        self.assertTrue(torch.equal(erased[0, 3:], h[0, 3:]))
        self.assertTrue(torch.allclose(erased[:1, :3], eraser(h[:1, :3]), atol=1e-6))
        self.assertTrue(torch.allclose(erased[1:], eraser(h[1:]), atol=1e-6))


class Probe(unittest.TestCase):
    def test_a_linear_probe_is_at_chance_after_the_ridge_eraser(self):
        generator = numpy.random.default_rng(7)
        mix = generator.normal(size=(20, 20))
        rows = generator.normal(size=(4000, 20)) @ mix
        rows[:2000] += 1.5 * mix[0] + mix[1]
        concept, random = rows[:2000], rows[2000:]
        train, test = slice(0, 1000), slice(1000, 2000)
        found = atcav.score({"c": concept[train]}, random[train], random[:5], layer="l", cav="ridge", lambda_=1e-6,
                            permutations=9)
        eraser = found.eraser("c", "l")

        def accuracy(change):
            a, b = (change(torch.from_numpy(part)).numpy() for part in (concept, random))
            fitted = numpy.concatenate([a[train], b[train]])
            y = numpy.repeat([1, -1], 1000)
            # Directions of which only float32's rounding is left say which rows were moved, not what is in them.
            w = numpy.linalg.lstsq(numpy.c_[fitted, numpy.ones(2000)], y, rcond=1e-5)[0]
            scores = [numpy.c_[part[test], numpy.ones(1000)] @ w for part in (a, b)]
            return ((scores[0] > 0).mean() + (scores[1] <= 0).mean()) / 2

        self.assertGreater(accuracy(lambda part: part), 0.75)
        self.assertLess(abs(accuracy(eraser) - 0.5), 0.045)  # four standard errors of a share of 2000


if __name__ == "__main__":
    unittest.main()
