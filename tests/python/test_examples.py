"""run() takes examples of every kind, and says what it cannot take."""
import math
import pathlib
import tempfile
import unittest

import numpy
from networks import RANDOM, STRIPED, ZEBRAS, mlp, run, sensitivities
import torch


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
                (ValueError, "there is no layer 'layer9'; closest", {"layers": "layer9"}),
                (ValueError, "there is no layer 'x\\*'", {"layers": "x*"}),
                (ValueError, "given twice", {"layers": ["0", "0"]}),
                (ValueError, "layers is empty", {"layers": []}),
                (ValueError, "class 'zebra' has target 3, must be from 0 to 2", {"classes": {"zebra": (3, ZEBRAS)}}),
                (ValueError, "class 'zebra' has no target", {"classes": {"zebra": ZEBRAS}}),
                (ValueError, "20 examples but 2 targets", {"classes": {"zebra": ([0, 1], ZEBRAS)}}),
                (ValueError, "number of examples of random is 1, must be at least 2", {"random": RANDOM[:1]}),
                (TypeError, "random is int", {"random": 3}),
                (TypeError, "classes is list, must be a dict", {"classes": [("zebra", 2, ZEBRAS)]}),
                (TypeError, "concepts is list, must be a dict", {"concepts": [STRIPED]}),
                (TypeError, "concepts: a name is 7, must be text", {"concepts": {7: STRIPED}}),
                (TypeError, "class 'zebra' has target 2.0, must be the index", {"classes": {"zebra": (2.0, ZEBRAS)}}),
                (TypeError, "class 'zebra' has target 'two'", {"classes": {"zebra": ("two", ZEBRAS)}}),
                (TypeError, "layers is 0, must be names or modules", {"layers": 0}),
                (TypeError, "no option 'lamda'; closest: lambda_", {"lamda": 1}),
                (TypeError, "device is for ONNX files", {"device": "cuda"}),
                (ValueError, "lasso", {"cav": "lasso"}),
                (RuntimeError, "no_such_folder", {"random": "/no_such_folder"}),
                (ValueError, "must be finite", {"random": RANDOM * math.nan})]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                run(self.model, **data)
        with self.assertRaisesRegex(TypeError, "model is int, must be a torch.nn.Module"):
            run(3)


if __name__ == "__main__":
    unittest.main()
