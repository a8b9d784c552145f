"""pool= on torch modules, against the same by hand: which positions count, and the gradient that belongs to them."""
import unittest

import numpy
from networks import draw, run, sensitivities
import torch

TOKENS, FEATURES = 5, 4


class Readout(torch.nn.Module):
    """logit 1 = Σ over tokens of w_t·h_t for unmasked tokens: the gradient at token t is w_t."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.mix = torch.nn.Linear(FEATURES, FEATURES)
        self.weights = torch.nn.Parameter(torch.randn(2, TOKENS, FEATURES))

    def forward(self, x, attention_mask=None):
        h = self.mix(x)
        seen = h if attention_mask is None else h * attention_mask[..., None]
        return torch.einsum("ntf,ctf->nc", seen, self.weights)


def masked(rows):
    """The first example sees all tokens, the others 2 to 5 of them."""
    lengths = torch.tensor([TOKENS] + [2 + k % 4 for k in range(rows - 1)])
    return (torch.arange(TOKENS) < lengths[:, None]).long()


class Pool(unittest.TestCase):
    def setUp(self):
        self.model = Readout()
        self.sets = {"zebra": draw(9, TOKENS, FEATURES), "striped": draw(12, TOKENS, FEATURES, shift=0.4),
                     "random": draw(15, TOKENS, FEATURES)}

    def found(self, pool, with_mask):
        sets = self.sets if not with_mask else {name: {"x": rows, "attention_mask": masked(len(rows))}
                                                for name, rows in self.sets.items()}
        return run(self.model, "mix", {"zebra": (1, sets["zebra"])}, {"striped": sets["striped"]}, sets["random"],
                   pool=pool)

    def wanted(self, pool, with_mask):
        """Example by example, in loops."""
        slopes = self.model.weights[1].detach().numpy()
        kept, gradients = {}, []
        for name, rows in self.sets.items():
            kept[name] = []
            for h, mask in zip(self.model.mix(rows).detach().numpy(), masked(len(rows)).numpy()):
                there = [t for t in range(TOKENS) if mask[t] or not with_mask]
                if pool == "mean":
                    kept[name].append(h[there].mean(0))
                    gradient = slopes[there].sum(0)
                elif pool == "max":
                    best = [max(there, key=lambda t: h[t, f]) for f in range(FEATURES)]
                    kept[name].append([h[t, f] for f, t in enumerate(best)])
                    gradient = [slopes[t, f] for f, t in enumerate(best)]
                else:
                    token = {"cls": 0, "last": there[-1]}.get(pool, pool)
                    kept[name].append(h[token])
                    gradient = slopes[token] * (token in there)
                if name == "zebra":
                    gradients.append(gradient)
        return numpy.array(gradients) @ (numpy.mean(kept["striped"], 0) - numpy.mean(kept["random"], 0))

    def test_every_word(self):
        for pool in ("mean", "max", "cls", "last", 3):
            for with_mask in (False, True):
                with self.subTest(pool=pool, mask=with_mask):
                    found = self.found(pool, with_mask)
                    self.assertEqual(found[0].d, FEATURES)
                    numpy.testing.assert_allclose(sensitivities(found), self.wanted(pool, with_mask), atol=1e-5)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "pool is '5', a token's number, must be below 5"):
            self.found(5, False)
        with self.assertRaisesRegex(ValueError, "pool is 'median'"):
            self.found("median", False)
        images = [draw(9, 3, 4, 4) for _ in range(3)]
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 1), torch.nn.Flatten(), torch.nn.Linear(32, 2))
        with self.assertRaisesRegex(ValueError, "a token, but the layer has 2 dimensions of positions"):
            run(net, "0", {"zebra": (1, images[0])}, {"striped": images[1]}, images[2], pool="cls")


class Order(unittest.TestCase):
    """Examples × channels × length behind 1-d convolutions, examples × tokens × features elsewhere."""

    def columns(self, model, layer, shape=(3, 8)):
        rows = [draw(6, *shape) for _ in range(3)]
        return run(model, layer, {"zebra": (1, rows[0])}, {"striped": rows[1]}, rows[2], pool="mean")[0].d

    def test_behind_convolutions(self):
        class Net(torch.nn.Module):
            def __init__(self, frozen):
                super().__init__()
                nn = torch.nn
                self.block = nn.Sequential(nn.Conv1d(3, 5, 3, padding=1), nn.BatchNorm1d(5), nn.ReLU(inplace=True))
                self.same = torch.nn.Identity()
                self.pool = torch.nn.MaxPool1d(2)
                self.norm = torch.nn.LayerNorm(5)
                self.head = torch.nn.Linear(5, 2)
                self.requires_grad_(not frozen)

            def forward(self, x):
                h = self.block(x)
                h = self.same(torch.nn.functional.leaky_relu(h) + h)
                tokens = self.norm(self.pool(h).transpose(1, 2))
                return self.head(tokens.mean(1))
        for frozen in (False, True):
            for layer in ("block.0", "block.1", "block.2", "block", "same", "pool", "norm"):
                with self.subTest(layer=layer, frozen=frozen):
                    self.assertEqual(self.columns(Net(frozen), layer), 5)

    def test_transformers(self):
        net = torch.nn.Sequential(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.nn.Flatten(),
                                  torch.nn.Linear(24, 2))
        self.assertEqual(self.columns(net, "0"), 8)
        self.assertEqual(self.columns(net, "0.linear1"), 16)


if __name__ == "__main__":
    unittest.main()
