"""What of a batch the model gets, in which order rows come, and what bad sets are told."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
from networks import RANDOM, STRIPED, ZEBRAS, draw, mlp, run, sensitivities
import torch

import atcav

LOADER, DATA = torch.utils.data.DataLoader, torch.utils.data.TensorDataset


class Two(torch.nn.Module):
    """h = body(x) + by · shift(y), which both inputs change."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.body, self.shift, self.head = torch.nn.Linear(6, 5), torch.nn.Linear(6, 5), torch.nn.Linear(5, 3)

    def forward(self, x, y):
        return self.head(torch.tanh(self.body(x + y)))


class Optional(Two):
    def forward(self, x=None, y=None):
        return super().forward(x, 0 if y is None else y)


class Any(Two):
    def forward(self, *inputs):
        return super().forward(*inputs)


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.embed, self.head = torch.nn.Embedding(10, 4), torch.nn.Linear(4, 2)

    def forward(self, input_ids, attention_mask=None):
        return self.head((self.embed(input_ids) * attention_mask[..., None]).sum(1))


def pairs(rows):
    return rows, rows.flip(1) * 0.5


class Tuples(unittest.TestCase):
    def found(self, model, give, layers="body", **options):
        return sensitivities(run(model, layers, {"zebra": (2, give(ZEBRAS))}, {"striped": give(STRIPED)}, give(RANDOM),
                                 **options))

    def test_all_inputs_reach_the_model(self):
        want = self.found(Two(), pairs, forward=lambda model, batch: model(batch[0], batch[1]))
        unlike = self.found(Optional(), lambda rows: rows)
        self.assertGreater(numpy.abs(want - unlike).max(), 1e-3)
        for model in (Two(), Optional()):
            for give in (pairs, lambda rows: DATA(*pairs(rows)), lambda rows: LOADER(DATA(*pairs(rows)), batch_size=7)):
                numpy.testing.assert_allclose(self.found(model, give), want, atol=1e-5)

    def test_labels_behind_what_the_model_takes_are_left_out(self):
        want = self.found(Two(), pairs)
        labelled = self.found(Two(), lambda rows: LOADER(DATA(*pairs(rows), torch.arange(len(rows))), batch_size=7))
        numpy.testing.assert_allclose(labelled, want, atol=1e-5)

    def test_what_could_be_either_is_an_error(self):
        def labelled(rows):
            return LOADER(DATA(rows, torch.zeros(len(rows)).long()), batch_size=7)
        for model, takes in ((Optional(), "0 to 2 inputs"), (Any(), "any number of inputs")):
            with self.assertRaisesRegex(ValueError, f"class 'zebra': a batch is a tuple of 2 and forward of .* takes {takes}"):
                self.found(model, labelled)
            self.found(model, labelled, forward=lambda model, batch: model(batch[0], batch[0]))

    def test_masks_that_come_by_position(self):
        def give(rows):
            ids = (rows * 5).long().abs() % 10
            return ids, (torch.arange(6) < 1 + torch.arange(len(rows))[:, None] % 6).long()

        def named(rows):
            return dict(zip(("input_ids", "attention_mask"), give(rows)))
        sets = [{"zebra": (1, one(ZEBRAS))} for one in (give, named)]
        found = [sensitivities(run(Masked(), "embed", classes, {"striped": one(STRIPED)}, one(RANDOM), pool="mean"))
                 for classes, one in zip(sets, (give, named))]
        numpy.testing.assert_allclose(*found, atol=1e-6)


class Order(unittest.TestCase):
    targets = [0, 2] * 10

    def test_a_loader_that_shuffles_has_no_targets_for_each(self):
        want = sensitivities(run(mlp(), classes={"mixed": (self.targets, ZEBRAS)}))
        straight = run(mlp(), classes={"mixed": (self.targets, LOADER(DATA(ZEBRAS), batch_size=7))})
        numpy.testing.assert_allclose(sensitivities(straight), want, atol=1e-5)
        for loader in (LOADER(DATA(ZEBRAS), batch_size=7, shuffle=True),
                       LOADER(DATA(ZEBRAS), batch_sampler=torch.utils.data.BatchSampler(
                           torch.utils.data.RandomSampler(ZEBRAS), 7, False)),
                       LOADER(DATA(ZEBRAS), sampler=torch.utils.data.SubsetRandomSampler(range(20)))):
            with self.assertRaisesRegex(ValueError, "class 'mixed': targets for each example need a loader that does not shuf"):
                run(mlp(), classes={"mixed": (self.targets, loader)})

    def test_an_iterable_that_shuffles(self):
        class Shuffles:
            def __iter__(self):
                return iter(ZEBRAS[torch.randperm(20)].split(6))
        with self.assertRaisesRegex(ValueError, "class 'mixed': examples come in another order each time"):
            run(mlp(), classes={"mixed": (self.targets, Shuffles())})


class Told(unittest.TestCase):
    """Errors name the set and say what it must be."""

    def test_sets(self):
        class DataFrame:
            def __iter__(self):
                return iter(["a", "b"])

            def to_numpy(self):
                return ZEBRAS.numpy()
        for error, message, data in [
                (ValueError, "class 'zebra' is empty, must have at least one", {"classes": {"zebra": (2, ZEBRAS[:0])}}),
                (ValueError, "concept 'striped' is empty", {"concepts": {"striped": []}}),
                (ValueError, "random is empty", {"random": LOADER(DATA(RANDOM[:0]))}),
                (TypeError, r"class 'zebra' is \(examples, 2\), must be \(target, examples\)",
                 {"classes": {"zebra": (ZEBRAS, 2)}}),
                (TypeError, r"random is DataFrame, must be .*to_numpy\(\) gives one", {"random": DataFrame()}),
                (ValueError, r"random is a list of 40 arrays of shape \(6,\), must be a list of batches",
                 {"random": list(RANDOM)}),
                (TypeError, "random is a list of texts", {"random": ["one", "two"]}),
                (TypeError, "pool and labels come together", {"labels": ["zebra", "horse"]}),
                (TypeError, "an option is <object", {"seed": object()}),
                (ValueError, "seed is 'true', must be a whole number", {"seed": True}),
                (RuntimeError, "concept 'striped', batch 2: .*shapes cannot be multiplied",
                 {"concepts": {"striped": [STRIPED, draw(5, 7)]}})]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                run(mlp(), **data)
        with self.assertRaisesRegex(ValueError, "directions of layer '0' has shape .5,., must be directions × columns"):
            atcav.score_directions(mlp(), {"0": numpy.ones(5)}, {"zebra": (2, ZEBRAS)})

    def test_options_have_the_names_of_keywords(self):
        texts = [{"zebra": (0, torch.randint(0, 10, (9, 4)))}, {"striped": torch.randint(0, 10, (9, 4))},
                 torch.randint(0, 10, (9, 4))]
        net = torch.nn.Sequential(torch.nn.Embedding(10, 4), torch.nn.Flatten(), torch.nn.Linear(16, 2))
        with self.assertRaisesRegex(ValueError, r"pool=\"mean\" leaves channels"):
            atcav.score_directions(net, {"0": {"x": numpy.ones(4)}}, texts[0], progress=False)
        with self.assertRaisesRegex(ValueError, "intervene= and no_intervene= exclude each other"):
            run(mlp(), intervene=3, no_intervene=True)


class Files(unittest.TestCase):
    def test_an_array_whose_file_became_shorter(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "random.npy"
            numpy.save(path, numpy.ones((40, 600), numpy.float32))
            mapped = numpy.load(path, mmap_mode="r")
            os.truncate(path, 4096)
            net = torch.nn.Sequential(torch.nn.Linear(600, 5), torch.nn.Linear(5, 3))
            with self.assertRaisesRegex(RuntimeError, "random: .*random.npy has become shorter"):
                run(net, "0", {"zebra": (1, draw(9, 600))}, {"striped": draw(9, 600)}, mapped)
            with self.assertRaisesRegex(RuntimeError, "random: .*random.npy has become shorter"):
                atcav.score({"striped": draw(9, 600)}, mapped[3:], draw(9, 600))
            with self.assertRaisesRegex((RuntimeError, ValueError), "random.npy"):
                run(net, "0", {"zebra": (1, draw(9, 600))}, {"striped": draw(9, 600)}, path)


class AtExit(unittest.TestCase):
    def test_a_daemon_thread_that_still_runs(self):
        script = f"""
import sys, threading
sys.path.insert(0, {os.path.dirname(__file__)!r})
import networks, atcav
started = threading.Event()
told = {{"progress": lambda *_: started.set(), "permutations": 99999, "interval": "bootstrap", "bootstrap": 99999}}
if sys.argv[1] == "run":
    work = lambda: networks.run(networks.mlp(), batch=1, **told)
else:
    rows = networks.draw(600, 300).numpy()
    work = lambda: atcav.score({{"a": rows}}, rows + 0.1, rows, cav="logistic", **told)
threading.Thread(target=work, daemon=True).start()
started.wait()
print(sys.argv[1])
"""
        for what in ("run", "score"):
            with self.subTest(what):
                done = subprocess.run([sys.executable, "-", what], input=script, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, what + "\n"))


if __name__ == "__main__":
    unittest.main()
