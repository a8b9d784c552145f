"""run() on torch modules: against closed forms, odd modules and odd data, and the model left as it was."""
import importlib.util
import math
import os
import pathlib
import tempfile
import unittest

import numpy

import atcav

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("PyTorch is not installed")
import torch  # noqa: E402

SEEDED = torch.Generator().manual_seed(4)


def draw(rows, *shape, shift=0.0):
    return torch.randn(rows, *shape, generator=SEEDED) + shift


ZEBRAS, STRIPED, RANDOM = draw(20, 6), draw(30, 6, shift=0.5), draw(40, 6)
FAST = {"permutations": 99, "progress": False}


def mlp():
    torch.manual_seed(1)
    # The in-place ReLU overwrites what layer 0 gave, dropout needs evaluation mode.
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(inplace=True), torch.nn.Dropout(),
                               torch.nn.Linear(5, 3)).train()


def run(model, layers="0", classes=None, concepts=None, random=RANDOM, **options):
    return atcav.run(model, layers, classes or {"zebra": (2, ZEBRAS)}, concepts or {"striped": STRIPED}, random,
                     **{**FAST, **options})


def sensitivities(found, at=0):
    return numpy.array(found[at].sensitivities)


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

    def test_the_model_is_left_as_it_was(self):
        model = mlp()
        model[3].eval()
        noise = []
        hook = model[0].register_forward_hook(lambda *_: noise.append(1))
        run(model, ["0", "1"])
        self.assertEqual([module.training for module in model.modules()], [True, True, True, True, False])
        self.assertEqual(sum(len(module._forward_hooks) for module in model.modules()), 1)
        self.assertTrue(all(weight.grad is None for weight in model.parameters()))
        self.assertTrue(all(weight.requires_grad for weight in model.parameters()))
        self.assertTrue(torch.is_grad_enabled())
        self.assertGreater(len(noise), 0)
        hook.remove()

    def test_also_after_an_error(self):
        model = mlp()

        def broken():
            yield ZEBRAS[:5]
            raise OSError("disk gone")
        with self.assertRaisesRegex(OSError, "disk gone"):
            run(model, concepts={"striped": broken()})

        class Later:
            def __init__(self):
                self.looks = 0

            def __iter__(self):
                self.looks += 1
                yield STRIPED[:15]
                if self.looks > 1:
                    raise OSError("disk gone")
                yield STRIPED[15:]
        with self.assertRaisesRegex(OSError, "disk gone"):
            run(model, concepts={"striped": Later()})
        self.assertTrue(all(module.training for module in model.modules()))
        self.assertFalse(any(module._forward_hooks for module in model.modules()))
        self.assertTrue(torch.is_grad_enabled())

    def test_frozen_weights_and_no_grad_around_change_nothing(self):
        model = mlp()
        free = run(model)
        for weight in model.parameters():
            weight.requires_grad_(False)
        with torch.no_grad():
            self.assertEqual(free.results, run(model).results)

    def test_hooks_of_the_user_count(self):
        model = mlp()
        model[0].register_forward_hook(lambda module, inputs, output: 2 * output)
        rows, gradients = self.arrays(mlp(), "0")
        want = (2 * (rows["striped"].mean(0) - rows["random"].mean(0)) * gradients).sum(1)
        numpy.testing.assert_allclose(sensitivities(run(model)), want, atol=1e-5)

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


class Data(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = mlp()
        cls.want = sensitivities(run(cls.model))

    def same(self, **data):
        numpy.testing.assert_allclose(sensitivities(run(self.model, **data)), self.want, atol=1e-5)

    def test_arrays_lists_generators(self):
        self.same(random=RANDOM.numpy(), concepts={"striped": STRIPED.numpy()})
        self.same(random=[RANDOM[:7], RANDOM[7:]])
        self.same(random=(part for part in RANDOM.split(9)))
        self.same(classes={"zebra": (2, iter(ZEBRAS.split(6)))})

    def test_datasets_and_loaders(self):
        data = torch.utils.data
        labelled = data.TensorDataset(RANDOM, torch.zeros(40))
        self.same(random=labelled)
        self.same(random=data.DataLoader(labelled, batch_size=13))
        self.same(random=data.DataLoader(labelled, batch_sampler=data.BatchSampler(range(40), 11, False)))
        self.same(random=data.DataLoader(data.Subset(labelled, range(40)), batch_size=16, num_workers=1))
        dropped = run(self.model, random=data.DataLoader(labelled, batch_size=16, drop_last=True))
        self.assertEqual(dropped[0].n_random, 32)
        shuffled = data.DataLoader(labelled, batch_size=13, shuffle=True)
        self.same(random=shuffled)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "random.npy"
            numpy.save(path, RANDOM.numpy())
            self.same(random=path)
            numpy.save(pathlib.Path(folder) / "zebra.npy", ZEBRAS.numpy())
            numpy.save(pathlib.Path(folder) / "striped.npy", STRIPED.numpy())
            self.same(random=str(path), classes={"zebra": (2, pathlib.Path(folder) / "zebra.npy")},
                      concepts={"striped": pathlib.Path(folder) / "striped.npy"})

    def test_the_cache_is_used_and_belongs_to_the_weights(self):
        with tempfile.TemporaryDirectory() as cache:
            first = run(self.model, cache=cache)
            second = run(self.model, cache=cache)
            self.assertEqual((first.examples_run, second.examples_run), (90, 0))
            self.assertEqual(first, second)
            changed = mlp()
            with torch.no_grad():
                changed[0].weight[0, 0] += 1
            self.assertEqual(run(changed, cache=cache).examples_run, 90)

    def test_the_same_examples_twice_are_noticed(self):
        found = run(self.model, concepts={"striped": RANDOM.clone()})
        self.assertTrue(any("are also in random" in note for note in found.notes), found.notes)

    def test_errors(self):
        for error, message, data in [
                (ValueError, "has no layer 'layer9'; closest", {"layers": "layer9"}),
                (ValueError, "has no layer 'x\\*'", {"layers": "x*"}),
                (ValueError, "given twice", {"layers": ["0", "0"]}),
                (ValueError, "layers is empty", {"layers": []}),
                (ValueError, "class 'zebra' has target 3, must be from 0 to 2", {"classes": {"zebra": (3, ZEBRAS)}}),
                (ValueError, "class 'zebra' has no target", {"classes": {"zebra": ZEBRAS}}),
                (ValueError, "20 examples but 2 targets", {"classes": {"zebra": ([0, 1], ZEBRAS)}}),
                (ValueError, "number of examples of random is 1, must be at least 2", {"random": RANDOM[:1]}),
                (TypeError, "random is int", {"random": 3}),
                (TypeError, "no option 'lamda'; closest: lambda_", {"lamda": 1}),
                (TypeError, "device is for ONNX files", {"device": "cuda"}),
                (ValueError, "lasso", {"cav": "lasso"}),
                (RuntimeError, "no_such_folder", {"random": "/no_such_folder"}),
                (ValueError, "must be finite", {"random": RANDOM * math.nan})]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                run(self.model, **data)
        with self.assertRaisesRegex(TypeError, "model is int, must be a torch.nn.Module"):
            run(3)


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
        with self.assertRaisesRegex(ValueError, "pool=\"mean\" makes layers of any length equal"):
            run(Net(), "embed", {"zebra": (0, short)}, {"striped": short}, long)

    def test_what_cannot_work_is_said(self):
        class Random(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(20, 2)

            def forward(self, x):
                return torch.nn.functional.dropout(self.body(x.flatten(1)), 0.5, True)

        class Detached(Random):
            def forward(self, x):
                return self.body(x.flatten(1)).detach() * 2

        class Skips(Random):
            def forward(self, x):
                return x.flatten(1)[:, :2]

        class Learns(Random):
            def forward(self, x):
                with torch.no_grad():
                    self.body.weight += 1e-6
                return self.body(x.flatten(1))
        for kind, error, message in ((Random, ValueError, "different answers for the same input"),
                                     (Detached, RuntimeError, "do not depend on layer 'body'"),
                                     (Skips, ValueError, "layer 'body' was not used"),
                                     (Learns, RuntimeError, "the model changed while it was used")):
            with self.subTest(kind.__name__), self.assertRaisesRegex(error, message):
                self.run_it(kind(), "body")

    def test_globs_and_modules(self):
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(20, 4), torch.nn.Linear(4, 2))
        self.assertEqual([one.layer for one in self.run_it(net, "[12]")], ["1", "2"])
        self.assertEqual([one.layer for one in self.run_it(net, [net[2], "1"])], ["2", "1"])
        with self.assertRaisesRegex(ValueError, "not part of the model"):
            self.run_it(net, torch.nn.Linear(4, 2))


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
        with self.assertRaisesRegex(RuntimeError, "has 4 values, the layer has 5 columns"):
            atcav.score_directions(model, {"0": {"x": [1, 2, 3, 4]}}, {"zebra": (2, ZEBRAS)}, progress=False)


if __name__ == "__main__":
    unittest.main()
