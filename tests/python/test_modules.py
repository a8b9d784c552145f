"""run() on modules of every kind, against the same computation by hand."""
import unittest

import numpy
from networks import SEEDED, draw, run, sensitivities
import torch


class Odd(unittest.TestCase):
    """Modules of every kind, against the same computation by hand."""

    def by_hand(self, found, activations, logit):
        """Sensitivities from autograd of `logit`, a function of the layer's activations of the zebras."""
        h = activations["zebra"].detach().requires_grad_()
        gradient, = torch.autograd.grad(logit(h).sum(), h)
        direction = activations["striped"].flatten(1).mean(0) - activations["random"].flatten(1).mean(0)
        want = (gradient.flatten(1) @ direction.detach()).numpy()
        numpy.testing.assert_allclose(sensitivities(found), want, rtol=1e-3, atol=1e-5)

    def sets(self, function):
        return {"zebra": function(self.zebra), "striped": function(self.striped), "random": function(self.random)}

    def setUp(self):
        torch.manual_seed(2)
        self.zebra, self.striped, self.random = draw(12, 5, 4), draw(15, 5, 4, shift=0.4), draw(18, 5, 4)

    def run_it(self, model, layer, target=1, **options):
        classes = {"zebra": (target, self.zebra)}
        return run(model, layer, classes, {"striped": self.striped}, self.random, **options)

    def test_lstm_gives_a_tuple(self):
        for batch_first in (True, False):
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.lstm = torch.nn.LSTM(4, 3, batch_first=batch_first)
                    self.head = torch.nn.Linear(3, 2)

                def forward(self, x):
                    steps, _ = self.lstm(x if batch_first else x.transpose(0, 1))
                    return self.head(steps[:, -1] if batch_first else steps[-1])
            net = Net()
            found = self.run_it(net, "lstm")
            order = (lambda x: x) if batch_first else (lambda x: x.transpose(0, 1))
            self.by_hand(found, self.sets(lambda x: order(net.lstm(order(x))[0])), lambda h: net.head(h[:, -1])[:, 1])
            pooled = self.run_it(net, "lstm", pool="mean")
            self.assertEqual((found[0].d, pooled[0].d), (15, 3))

    def test_attention_and_pooling_over_tokens(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)
                self.head = torch.nn.Linear(4, 2)

            def forward(self, x):
                return self.head(self.attention(x, x, x)[0].mean(1))
        net = Net()
        whole = self.run_it(net, "attention")
        self.by_hand(whole, self.sets(lambda x: net.attention(x, x, x)[0]), lambda h: net.head(h.mean(1))[:, 1])
        # The head sees the mean over tokens alone: pooling loses nothing.
        numpy.testing.assert_allclose(sensitivities(self.run_it(net, "attention", pool="mean")), sensitivities(whole),
                                      atol=1e-5)

    def test_a_module_that_runs_twice(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = torch.nn.Linear(4, 4)
                self.head = torch.nn.Linear(20, 2)

            def forward(self, x):
                return self.head(torch.tanh(self.mix(torch.tanh(self.mix(x)))).flatten(1))
        net = Net()
        last = self.run_it(net, "mix")
        self.by_hand(last, self.sets(lambda x: net.mix(torch.tanh(net.mix(x)))),
                     lambda h: net.head(torch.tanh(h).flatten(1))[:, 1])
        self.assertIn("layer 'mix' runs 2 times", last.notes[0])
        first = self.run_it(net, ["mix#1", "mix#2"])
        self.by_hand(first, self.sets(net.mix), lambda h: net.head(torch.tanh(net.mix(torch.tanh(h))).flatten(1))[:, 1])
        numpy.testing.assert_allclose(sensitivities(first, 1), sensitivities(last), atol=1e-6)
        with self.assertRaisesRegex(ValueError, "'mix#3' was used 2 times"):
            self.run_it(net, "mix#3")

    def test_a_softmax_at_the_end(self):
        body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(20, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3))
        plain = self.run_it(body, "1")
        stepped = self.run_it(torch.nn.Sequential(*body, torch.nn.Softmax(1)), "1")
        numpy.testing.assert_allclose(sensitivities(stepped), sensitivities(plain), atol=1e-6)
        self.assertIn("Softmax at the end of the model was stepped over", stepped.notes[0])

        class Functional(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = body

            def forward(self, x):
                return self.body(x).softmax(1)
        self.assertIn("the model gives probabilities", self.run_it(Functional(), "body.1").notes[0])

    def test_scalar_output_tuple_dict_and_forward(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(20, 3)
                self.head = torch.nn.Linear(3, 2)

            def forward(self, x, scale=None, what="logits"):
                h = self.head(torch.tanh(self.body(x.flatten(1)))) * (1 if scale is None else scale[:, None])
                return {"logits": h, "tuple": ("no tensor", h), "scalar": h[:, 1], "named": {"x": 1, "score": h},
                        "dict": {"logits": h}}[what]
        net = Net()
        want = sensitivities(self.run_it(net, "body"))
        for what, output, target in (("tuple", None, 1), ("tuple", 1, 1), ("dict", None, 1), ("named", "score", 1),
                                     ("named", lambda result: result["score"], 1), ("scalar", None, None)):
            with self.subTest(f"{what} {output}"):
                found = self.run_it(net, "body", target, output=output, forward=lambda m, x: m(x, what=what))
                numpy.testing.assert_allclose(sensitivities(found), want, atol=1e-6)
        with self.assertRaisesRegex(TypeError, "output= must pick"):
            self.run_it(net, "body", forward=lambda m, x: "text")

        def with_scale(x):
            return {"x": x, "scale": torch.ones(len(x)), "labels": torch.zeros(len(x))}
        data = [with_scale(x) for x in (self.zebra, self.striped, self.random)]
        found = run(net, "body", {"zebra": (1, data[0])}, {"striped": data[1]}, data[2])
        numpy.testing.assert_allclose(sensitivities(found), want, atol=1e-6)
        data = [(x, torch.ones(len(x))) for x in (self.zebra, self.striped, self.random)]
        found = run(net, net.body, {"zebra": (1, data[0])}, {"striped": data[1]}, data[2],
                    forward=lambda model, batch: model(batch[0], scale=batch[1]))
        numpy.testing.assert_allclose(sensitivities(found), want, atol=1e-6)

    def test_texts_of_any_length(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = torch.nn.Embedding(10, 4)
                self.head = torch.nn.Linear(4, 2)

            def forward(self, ids):
                return self.head(self.embed(ids).mean(1))
        short, long = torch.randint(0, 10, (10, 3), generator=SEEDED), torch.randint(0, 10, (10, 7), generator=SEEDED)
        found = run(Net(), "embed", {"zebra": (0, short)}, {"striped": [short[:5], long[:5]]}, [long, short], pool="mean")
        self.assertEqual((found[0].d, found[0].n_concept, found[0].n_random), (4, 10, 20))
        with self.assertRaisesRegex(ValueError, "sequences of different lengths need pool="):
            run(Net(), "embed", {"zebra": (0, short)}, {"striped": short}, long)

    def test_texts_of_any_length_are_tried_out(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = torch.nn.Embedding(10, 4)
                self.head = torch.nn.Linear(4, 2)

            def forward(self, ids):
                return self.head(self.embed(ids)[:, -1])
        short, long = torch.randint(0, 10, (10, 3), generator=SEEDED), torch.randint(0, 10, (10, 7), generator=SEEDED)
        for pool in ("last", "mean", 2):
            found = run(Net(), "embed", {"zebra": (0, [short[:5], long[:5]])}, {"striped": long}, [long, short], pool=pool,
                        intervene=10)[0]
            self.assertEqual(found.intervention.random.inputs, 10)
            self.assertTrue(numpy.isfinite(found.erasure.change))
            if pool == "last":  # linear in the last token
                self.assertAlmostEqual(found.intervention.random.odd[2], found.effect.logits, places=5)
                self.assertIn("zebra", found.verdict.text)

    def test_globs_and_modules(self):
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(20, 4), torch.nn.Linear(4, 2))
        self.assertEqual([one.layer for one in self.run_it(net, "?")], ["0", "1", "2"])
        self.assertEqual([one.layer for one in self.run_it(net, [net[2], "1"])], ["2", "1"])
        with self.assertRaisesRegex(ValueError, "not part of the model"):
            self.run_it(net, torch.nn.Linear(4, 2))
        net.alias = net[1]
        net.forward = lambda x: net[2](net[1](net[0](x)))
        self.assertEqual([one.layer for one in self.run_it(net, ["alias", "2"])], ["alias", "2"])
        self.assertEqual([one.layer for one in self.run_it(net, "*")], ["0", "1", "2"])


class Globs(unittest.TestCase):
    """As for ONNX files: * and ? stop at a dot, ** does not."""

    def setUp(self):
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix, self.unused = torch.nn.Linear(4, 4), torch.nn.Dropout()

            def forward(self, x):
                return torch.tanh(self.mix(x))

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer2, self.layer1 = Block(), Block()
                self.blocks = torch.nn.ModuleList([Block(), torch.nn.Dropout(), Block()])
                self.head = torch.nn.Linear(4, 2)

            def forward(self, x):
                return self.head(self.blocks[2](self.blocks[0](self.layer2(self.layer1(x)))))
        self.net, self.rows = Net(), [draw(8, 4) for _ in range(3)]

    def layers(self, text):
        found = run(self.net, text, {"zebra": (1, self.rows[0])}, {"striped": self.rows[1]}, self.rows[2])
        return [one.layer for one in found]

    def test_dots_are_not_crossed(self):
        self.assertEqual(self.layers("layer*"), ["layer1", "layer2"])  # in the order in which they run
        self.assertEqual(self.layers("layer?.mix"), ["layer1.mix", "layer2.mix"])
        self.assertEqual(self.layers("layer**"), ["layer1.mix", "layer1", "layer2.mix", "layer2"])

    def test_what_is_not_used_is_left_out_unless_it_is_named(self):
        self.assertEqual(self.layers("blocks.*"), ["blocks.0", "blocks.2"])
        self.assertEqual(self.layers(["head", "blocks.*"]), ["head", "blocks.0", "blocks.2"])
        with self.assertRaisesRegex(ValueError, "layer 'blocks.1' was not used"):
            self.layers("blocks.1")
        with self.assertRaisesRegex(ValueError, "no module that '\\*.unused' stands for is used"):
            self.layers("*.unused")

    def test_the_end_of_a_name_that_only_one_has(self):
        self.net.layer1.only = self.net.layer1.mix
        self.assertEqual(self.layers("only"), ["only"])
        with self.assertRaisesRegex(ValueError, "layer 'mix' could be 4 modules"):
            self.layers("mix")


if __name__ == "__main__":
    unittest.main()
