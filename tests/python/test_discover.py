"""discover(): planted directions are found and tested on the other half; files, tables and numbers are the program's."""
import copy
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy
from networks import torch
from test_onnx import PLUGIN, PROGRAM, export

import atcav
from atcav import _autoencoder, _keywords, _network, _options

CHANNELS, SIDE = 16, 4
OPTIONS = {"seed": 3, "candidates": 3, "permutations": 199}


class Net(torch.nn.Module):
    """Sees its inputs' channels mixed, and reads one direction of them."""

    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Conv2d(CHANNELS, CHANNELS, 1)
        self.act = torch.nn.ReLU()
        self.head = torch.nn.Linear(CHANNELS, 2)
        torch.manual_seed(2)
        with torch.no_grad():
            self.mix.weight[:] = torch.nn.init.orthogonal_(torch.empty(CHANNELS, CHANNELS))[:, :, None, None]
            self.mix.bias.zero_()
            self.planted = torch.nn.functional.normalize(torch.randn(CHANNELS).abs(), dim=0)
            self.head.weight[0], self.head.weight[1] = self.planted, 0

    def forward(self, x):
        return self.head(self.act(self.mix(x)).mean((2, 3)))

    def pattern(self):
        """What a patch must have for the layer to show the planted direction."""
        return (self.mix.weight[:, :, 0, 0].T @ self.planted).detach().numpy()


class Discover(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = Net().eval()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        draw = numpy.random.default_rng(1)
        for name, rows, share in ("zebra", 24, 0.5), ("random", 40, 0), ("striped", 30, 1), ("plain", 30, 0):
            images = draw.normal(size=(rows, CHANNELS, SIDE, SIDE))
            there = draw.random((rows, 1, SIDE, SIDE)) < share
            numpy.save(cls.path / f"{name}.npy", (images + 6 * there * cls.model.pattern()[:, None, None]).astype(numpy.float32))

    def discover(self, model=None, layers="act", classes=None, random=None, **options):
        return atcav.discover(self.model if model is None else model, layers,
                              {"zebra": (0, self.path / "zebra.npy")} if classes is None else classes,
                              self.path / "random.npy" if random is None else random,
                              **{**OPTIONS, "progress": False, **options})

    # Where there is a GPU the autoencoder is trained there: forced onto the CPU here, beside C++'s.
    def test_a_sparse_autoencoder(self):
        want = self.discover(finder="sae")
        self.assertEqual((want[0].use, want.to_dict()["discover"]["finder"]), ("for", "sae"))
        started = []
        with unittest.mock.patch.object(_network, "_ROWS_STAY", ("cuda", "cpu")), \
                unittest.mock.patch.object(_network, "Trainer", lambda *a, **k: started.append(_autoencoder.Trainer(*a, **k)) or started[-1]):
            here = self.discover(finder="sae")
        self.assertGreater(len(started), 0)
        for one, other in zip(here, want):  # the same sums in another order
            self.assertEqual((one.name, one.use), (other.name, other.use))
            cosine = one.direction @ other.direction / numpy.linalg.norm(one.direction) / numpy.linalg.norm(other.direction)
            self.assertGreater(cosine, 0.99)

    def test_what_was_planted_is_found_and_used(self):
        found = self.discover(concepts={"striped": self.path / "striped.npy", "plain": self.path / "plain.npy"})
        first = found[0]
        self.assertEqual((first.class_, first.layer, first.use), ("zebra", "act", "for"))
        self.assertEqual(first.named.nearest, "striped")
        self.assertGreater(first.named.cosine, 0.9)
        self.assertEqual((first.result.n_class, first.result.n_random), (12, 20))  # halves
        # Adding it moves the logit as much as the linear head says.
        self.assertAlmostEqual(first.result.intervention.random.odd[-1], first.direction @ self.model.planted.numpy(), places=4)
        self.assertLess(first.baseline.p, 0.05)
        for one in found:  # used are those that are the planted one
            cosine = one.direction @ self.model.planted.numpy() / numpy.linalg.norm(one.direction)
            self.assertEqual(one.use, "for" if cosine > 0.9 else "none", one)
        self.assertEqual(found.families[0].tested, len(found.candidates))
        self.assertEqual({one.kind for one in found.families[0].baselines}, {"random images", "random direction"})
        self.assertTrue(any("'plain' is not told from random" in note for note in found.notes), found.notes)

    def test_it_reads_as_the_program_writes(self):
        found = self.discover()
        self.assertEqual(str(found), found.table())
        self.assertEqual(repr(found), f"<atcav.Discovery: {len(found)} candidates>\n{found.table()}")
        self.assertIn("shuffled direction", found.table())
        self.assertIs(found["zebra 1", "act"], found["zebra 1"])
        self.assertEqual([one.name for one in found[:2]], [one.name for one in found.candidates[:2]])
        self.assertIsNone(found[0].named)
        self.assertRegex(repr(found[0]), "Candidate\\(zebra . at act: ")
        with self.assertRaisesRegex(KeyError, "no candidate is 'zebra 9'"):
            found["zebra 9"]
        self.assertIn("activations", found.seconds)
        page = found.report(self.path / "out")
        self.assertEqual(sorted(os.listdir(self.path / "out")), ["report.html", "results.json", "timings.json"])
        self.assertEqual((self.path / "out/results.json").read_text(encoding="utf-8"), found.to_json())
        text = pathlib.Path(page).read_text(encoding="utf-8")
        self.assertIn("zebra 1", text)
        self.assertNotIn("<pre>", text)  # there is no command
        again = pickle.loads(pickle.dumps(found))
        self.assertEqual((again, str(again), copy.deepcopy(found)), (found, str(found), found))
        numpy.testing.assert_array_equal(again[0].direction, found[0].direction)
        again.report(self.path / "again")
        self.assertEqual((self.path / "again/report.html").read_bytes(), (self.path / "out/report.html").read_bytes())
        one = pickle.loads(pickle.dumps(found[0]))
        self.assertEqual((one, one.result), (found[0], found[0].result))

    def test_words_of_finding(self):
        self.assertEqual(list(_keywords.DiscoverOptions.__annotations__), list(_options.DISCOVER))
        self.assertEqual(self.discover(finder="nmf").to_dict()["discover"], {"concepts": 3, "merge": 0.95, "finder": "nmf"})
        numpy.save(self.path / "ways.npy", numpy.stack([self.model.planted.numpy(), -self.model.planted.numpy()]))
        found = self.discover(dictionary=self.path / "ways.npy", merge=0.5)
        self.assertEqual(found.to_dict()["discover"]["dictionary"], str(self.path / "ways.npy"))
        self.assertEqual((found["0"].use, found.to_dict()["discover"]["merge"]), ("for", 0.5))
        self.assertIn("candidates: of each class", atcav.discover.__doc__)
        self.assertIn("(default 8)", atcav.discover.__doc__)

    def test_bad_calls(self):
        zebra, striped = self.path / "zebra.npy", self.path / "striped.npy"
        for call, error, text in (
                (lambda: self.discover(classes={"zebra": (0, torch.zeros(9, CHANNELS, 4, 4))}), TypeError,
                 "class 'zebra' is Tensor, must be a folder of images or an array file"),
                (lambda: self.discover(random=numpy.zeros((9, 4))), TypeError, "random is ndarray, must be a folder"),
                (lambda: self.discover(concepts={"striped": [striped]}), TypeError, "concept 'striped' is list, must be"),
                (lambda: self.discover(concepts=[striped]), TypeError, "concepts is list, must be a dict"),
                (lambda: self.discover(classes={"zebra": ([0] * 24, zebra)}), ValueError, "a target for each example, must have one"),
                (lambda: self.discover(classes={"zebra": (5, zebra)}), ValueError, "has target 5, must be from 0 to 1"),
                (lambda: self.discover(classes={}), ValueError, "classes is empty, must have at least one"),
                (lambda: self.discover(candidates=0), ValueError, "number of candidates is 0, must be"),
                (lambda: self.discover(candidates="many"), TypeError, "candidates is 'many', must be a whole number"),
                (lambda: self.discover(merge="much"), TypeError, "merge is 'much', must be a number"),
                (lambda: self.discover(merge=2), ValueError, "merge is 2, must be"),
                (lambda: self.discover(finder="ace"), ValueError, "finder is 'ace', must be kmeans, nmf or sae"),
                (lambda: self.discover(dictionary=3), TypeError, "dictionary is int, must be text"),
                (lambda: self.discover(layers=["mix", "act"], dictionary="w.npy"), ValueError, "must be one with dictionary="),
                (lambda: self.discover(layers="act[:, 2:5]"), ValueError, "a part of a layer was named"),
                (lambda: self.discover(cav="ridge"), TypeError, "discover() has no option 'cav'"),
                (lambda: self.discover(device="cpu"), TypeError, "device is for ONNX files"),
                (lambda: self.discover(random=self.path / "none"), RuntimeError, "none"),
                (lambda: self.discover(model="none.onnx"), RuntimeError, "model is 'none.onnx', which is not a file"),
                (lambda: self.discover(model=3), TypeError, "model is int, must be a torch.nn.Module")):
            with self.subTest(text):
                with self.assertRaises(error) as raised:
                    call()
                self.assertIn(text, str(raised.exception))
                self.assertNotIn("\n", str(raised.exception))

    @unittest.skipUnless(PLUGIN.exists(), "the package was built without ATCAV_TORCH")
    def test_an_onnx_file_gives_the_bytes_of_the_program(self):
        model = export(self.model, (torch.zeros(2, CHANNELS, SIDE, SIDE),), ["x"], self.path / "model.onnx")
        found = self.discover(model=model, concepts={"striped": self.path / "striped.npy"})
        program = PROGRAM if PROGRAM and pathlib.Path(PROGRAM).with_name(PLUGIN.name).exists() else \
            str(pathlib.Path(sys.prefix, "bin", "atcav"))
        done = subprocess.run([program, "discover", "--model", model, "--layer", "act", "--class", f"zebra:0={self.path}/zebra.npy",
                               "--random", f"{self.path}/random.npy", "--concept", f"striped={self.path}/striped.npy",
                               "--concepts", "3", "--seed", "3", "--permutations", "199", "--json", "-"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(found.to_json(), done.stdout)
        module = self.discover(concepts={"striped": self.path / "striped.npy"})
        self.assertEqual([(one.name, one.use) for one in module], [(one.name, one.use) for one in found])
        for one, other in zip(module, found):
            numpy.testing.assert_allclose(one.direction, other.direction, atol=1e-5)
            self.assertAlmostEqual(one.result.effect.d, other.result.effect.d, places=4)


if __name__ == "__main__":
    unittest.main()
