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


class Masks(unittest.TestCase):
    """Which input says which tokens count, and which way round."""

    def setUp(self):
        self.model = Readout()
        self.sets = [draw(9, TOKENS, FEATURES), draw(12, TOKENS, FEATURES, shift=0.4), draw(15, TOKENS, FEATURES)]

    def found(self, masks, pool="mean"):
        def forward(model, batch):
            return model(batch["x"], attention_mask=masked(len(batch["x"])))
        zebra, striped, random = ({"x": rows, **masks(masked(len(rows)))} for rows in self.sets)
        return sensitivities(run(self.model, "mix", {"zebra": (1, zebra)}, {"striped": striped}, random, pool=pool,
                                 forward=forward))

    def test_padding_is_the_other_way_round(self):
        for pool in ("mean", "max", "last"):
            want = self.found(lambda mask: {"attention_mask": mask}, pool)
            for padding in (lambda mask: mask.eq(0), lambda mask: torch.zeros(mask.shape).masked_fill(mask.eq(0), -numpy.inf)):
                found = self.found(lambda mask: {"src_key_padding_mask": padding(mask)}, pool)
                numpy.testing.assert_allclose(found, want, atol=1e-5)

    def test_the_attention_mask_wins(self):
        want = self.found(lambda mask: {"attention_mask": mask})
        for other in ("special_tokens_mask", "src_key_padding_mask", "mask", "head_mask"):
            found = self.found(lambda mask: {other: torch.ones_like(mask), "attention_mask": mask})
            numpy.testing.assert_allclose(found, want, atol=1e-5, err_msg=other)

    def test_special_tokens_never_count_as_a_mask(self):
        numpy.testing.assert_allclose(self.found(lambda mask: {"special_tokens_mask": mask}), self.found(lambda mask: {}),
                                      atol=1e-5)

    def test_interventions_are_at_tokens_that_count(self):
        # The logit is linear in the tokens: what it moves by is what the gradient says.
        for pool in ("mean", "last"):
            zebra, striped, random = ({"x": rows, "attention_mask": masked(len(rows))} for rows in self.sets)
            found = run(self.model, "mix", {"zebra": (1, zebra)}, {"striped": striped}, random, pool=pool, intervene=9)[0]
            self.assertAlmostEqual(found.intervention.ratio, 1, places=3)

    def test_what_does_not_fit_is_an_error(self):
        with self.assertRaisesRegex(ValueError, r"'attention_mask' has shape \(9, 1, 5, 5\), must be examples × tokens, "
                                    r"\(9, 5\) here, for pool=\"mean\""):
            self.found(lambda mask: {"attention_mask": mask[:, None, :, None] * mask[:, None, None]})
        with self.assertRaisesRegex(ValueError, "'mask' has negative numbers"):
            self.found(lambda mask: {"mask": (mask - 1) * 1e9})
        self.found(lambda mask: {"mask": mask[:, :2]}, "cls")  # which needs none


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

    def test_texts_with_frozen_weights(self):
        class TextCnn(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = torch.nn.Embedding(10, 4)
                self.conv = torch.nn.Conv1d(4, 6, 3)
                self.head = torch.nn.Linear(6, 2)

            def forward(self, ids):
                return self.head(self.conv(self.embed(ids).transpose(1, 2)).amax(2))
        ids = [torch.randint(0, 10, (7, 9)) for _ in range(3)]
        for frozen in (False, True):
            net = TextCnn().requires_grad_(not frozen)
            found = run(net, ["embed", "conv"], {"zebra": (1, ids[0])}, {"striped": ids[1]}, ids[2], pool="mean")
            self.assertEqual([one.d for one in found], [4, 6], frozen)

    def test_images_with_channels_last(self):
        class Swin(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.patches = torch.nn.Conv2d(3, 24, 4, 4)
                self.norm = torch.nn.LayerNorm(24)
                self.mlp = torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.GELU(), torch.nn.Linear(48, 24))
                self.same = torch.nn.Identity()
                self.head = torch.nn.Linear(24, 2)

            def forward(self, x):
                h = self.norm(self.patches(x).permute(0, 2, 3, 1))
                h = self.same(h + self.mlp(h))
                return self.head(h.mean((1, 2)))
        images = [draw(6, 3, 32, 32) for _ in range(3)]
        net = Swin()
        layers = ["patches", "norm", "mlp.0", "mlp.1", "mlp", "same"]
        found = run(net, layers, {"zebra": (1, images[0])}, {"striped": images[1]}, images[2], pool="mean")
        self.assertEqual([one.d for one in found], [24, 24, 48, 48, 24, 24])
        # The head sees the mean over positions alone: its gradient is the same for all examples.
        hidden = [net.head.weight[1].detach() @ found.cavs["same"]["striped"]]
        numpy.testing.assert_allclose(sensitivities(found, 5), numpy.full(6, hidden[0]), rtol=1e-4)

    def test_transformers(self):
        net = torch.nn.Sequential(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.nn.Flatten(),
                                  torch.nn.Linear(24, 2))
        self.assertEqual(self.columns(net, "0"), 8)
        self.assertEqual(self.columns(net, "0.linear1"), 16)


if __name__ == "__main__":
    unittest.main()
