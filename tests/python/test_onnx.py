"""A module in Python and its ONNX export, in the program and in Python: the same numbers, the same report but for the
model's name."""
import difflib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy
from networks import torch

import atcav

# The program with its plugin: of the build, or the one that came with the wheel.
PROGRAM = os.environ.get("ATCAV_PROGRAM")
PLUGIN = pathlib.Path(atcav.__file__).with_name("libatcav_torch.so")
SETS = (("zebra", 20, 0.1), ("striped", 30, 0.4), ("dotted", 25, -0.2), ("random", 50, 0))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(True))
        self.body = torch.nn.Sequential(torch.nn.Conv2d(8, 12, 3, 2, 1), torch.nn.ReLU(True))
        self.head = torch.nn.Linear(12, 4)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean((2, 3)))


class Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(20, 8)
        self.mix = torch.nn.Linear(8, 6)
        self.head = torch.nn.Linear(6, 3)

    def forward(self, ids, attention_mask):
        x = self.embed(ids)
        x = x + x.mean(1, keepdim=True)  # no two examples have the same row: an AUC counts ties by their last bits
        h = torch.tanh(self.mix(x)) * attention_mask[..., None]
        return self.head(h.sum(1) / attention_mask.sum(1, keepdim=True))


def export(model, inputs, names, path, dynamo=False):
    settings = {"input_names": names}
    if dynamo:
        settings["dynamic_shapes"] = {name: {0: torch.export.Dim("n")} for name in names}
    else:
        settings["dynamic_axes"] = {name: {0: "n"} for name in names}
    if not torch.__version__.startswith("1."):
        settings["dynamo"] = dynamo
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, inputs, str(path), **settings)
    return str(path)


EXPORTERS = [False] if importlib.util.find_spec("onnxscript") is None else [False, True]


@unittest.skipIf(not torch.__version__.startswith("1.") and importlib.util.find_spec("onnx") is None,
                 "PyTorch cannot export here: onnx is not installed")
class Onnx(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Net().eval()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        draw = numpy.random.default_rng(1)
        for name, rows, shift in SETS:
            numpy.save(self.path / f"{name}.npy", (draw.normal(size=(rows, 3, 16, 16)) + shift).astype(numpy.float32))
        self.arguments = ({"zebra": (2, self.path / "zebra.npy")},
                          {name: self.path / f"{name}.npy" for name in ("striped", "dotted")}, self.path / "random.npy")
        self.options = {"seed": 3, "intervene": 6, "progress": False}

    def exports(self):
        """Files of both exporters; layers have the module's names in both."""
        for dynamo in EXPORTERS:
            yield export(self.model, (torch.zeros(2, 3, 16, 16),), ["x"], self.path / f"model{dynamo}.onnx", dynamo)

    def run_program(self, program, onnx):
        arguments = [program, "run", "--model", onnx, "--class", f"zebra:2={self.path}/zebra.npy", "--quiet",
                     "--seed", "3", "--intervene", "6", "--concept", f"striped={self.path}/striped.npy",
                     "--concept", f"dotted={self.path}/dotted.npy", "--random", f"{self.path}/random.npy",
                     "--layer", "stem", "--layer", "body", "-o", str(self.path / "program")]
        done = subprocess.run(arguments, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / "program/results.json").read_text(encoding="utf-8"))

    @unittest.skipUnless(PROGRAM and pathlib.Path(PROGRAM).with_name(PLUGIN.name).exists(), "no program with a plugin")
    def test_equal_scores_and_the_same_report(self):
        found = atcav.run(self.model, ["stem", "body"], *self.arguments, **self.options)
        page = pathlib.Path(found.report(self.path / "python")).read_text(encoding="utf-8")
        for onnx in self.exports():
            with self.subTest(onnx):
                self.compare(found.to_dict(), self.run_program(PROGRAM, onnx))
                self.compare_pages(page, (self.path / "program/report.html").read_text(encoding="utf-8"))

    @unittest.skipUnless(PLUGIN.exists(), "the package was built without ATCAV_TORCH")
    def test_an_onnx_file_in_python(self):
        found = atcav.run(self.model, ["stem", "body"], *self.arguments, **self.options)
        for onnx in self.exports():
            with self.subTest(onnx):
                own = atcav.run(onnx, ["stem", "body"], *self.arguments, **self.options)
                self.compare(found.to_dict(), own.to_dict())
                installed = str(pathlib.Path(sys.prefix, "bin", "atcav"))
                self.compare(own.to_dict(), self.run_program(installed, onnx))
        with open("/proc/self/maps", encoding="utf-8") as lines:
            loaded = {line.split()[-1] for line in lines if "/libtorch_cpu.so" in line}
        self.assertEqual(len(loaded), 1, "the plugin must use the library that Python has loaded")

    @unittest.skipUnless(PLUGIN.exists(), "the package was built without ATCAV_TORCH")
    def test_pools_and_masks(self):
        reader = Reader().eval()
        draw = numpy.random.default_rng(2)
        sets = {}
        for name, rows, _ in SETS:
            lengths = draw.integers(2, 8, size=rows)
            sets[name] = {"ids": draw.integers(0, 20, size=(rows, 7)),
                          "attention_mask": (numpy.arange(7) < lengths[:, None]).astype(numpy.int64)}
        example = tuple(torch.from_numpy(part[:2]) for part in sets["zebra"].values())
        onnx = export(reader, example, ["ids", "attention_mask"], self.path / "reader.onnx")
        for pool in ("mean", "max", "cls", "last", 1):
            runs = [atcav.run(model, "mix", {"zebra": (1, sets["zebra"])}, {"striped": sets["striped"]}, sets["random"],
                              pool=pool, seed=1, permutations=99, progress=False) for model in (reader, onnx)]
            with self.subTest(pool=pool):
                self.assertEqual(runs[0][0].d, 6)
                self.compare(runs[0][0].to_dict(), runs[1][0].to_dict())

    @unittest.skipUnless(PLUGIN.exists(), "the package was built without ATCAV_TORCH")
    def test_parts_give_the_bytes_of_one_run(self):
        onnx = next(self.exports())
        classes, concepts, random = self.arguments
        found = atcav.run(str(onnx), ["body"], *self.arguments, seed=1, permutations=99, progress=False)
        path = self.path / "run.yaml"
        path.write_text("\n".join([f"model: {onnx}", "layer: [body]", "class:"]
                                  + [f"  - '{name}:{target}={rows}'" for name, (target, rows) in classes.items()]
                                  + ["concept:"] + [f"  - {name}={rows}" for name, rows in concepts.items()]
                                  + [f"random: {random}", "seed: 1", "permutations: 50"]), encoding="utf-8")
        files = [self.path / f"share-{number}" for number in (2, 1)]
        options = {"permutations": 99, "progress": False}
        for number, file in zip((2, 1), files):
            done = atcav.share(path, (number, 2), file, **options)
            self.assertEqual((done.was_there, done.bytes), (False, file.stat().st_size))
        self.assertTrue(atcav.share(path, (1, 2), files[1], **options).was_there)
        merged = atcav.merge(files, threads=1, progress=False)
        self.assertEqual(merged.to_json(), found.to_json())
        with self.assertRaisesRegex(RuntimeError, "part 2 of 2 is missing"):
            atcav.merge(files[1:])
        with self.assertRaisesRegex(TypeError, "files is str, must be a list of paths"):
            atcav.merge(str(files[0]))
        with self.assertRaisesRegex(TypeError, "merge\\(\\) has no option 'level'"):
            atcav.merge(files, level=0.9)
        with self.assertRaisesRegex(ValueError, "part is 3, must be at most 2"):
            atcav.share(path, (3, 2), files[0])

    def compare_pages(self, module, onnx):
        """The same texts but for what names the model: its file, its tensors, the library, the command."""
        def texts_of(page):
            shown = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
            shown = re.sub(r"model (Net|model(True|False)\.onnx) · ", "model · ", shown)  # the rest of the header is equal
            return re.findall(r">\s*([^<>]*[^<>\s])\s*<", shown)

        texts = [texts_of(page) for page in (module, onnx)]
        self.assertGreater(len(texts[0]), 100)
        for what, a, b, c, d in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
            if what != "equal":
                self.assertRegex(" ".join(texts[0][a:b]), "^$|^Net|^[0-9a-f]{64}$|^atcav [0-9.]+ · ")
                self.assertRegex(" ".join(texts[1][c:d]), "atcav run --model|is the tensor|LibTorch|model(True|False).onnx|^[0-9a-f]{64}$")

    def compare(self, mine, theirs, path=""):
        """All numbers to 1e-5 of what they are made of; p-values and words exactly."""
        if isinstance(mine, dict):
            skipped = {"libraries", "config", "notes", "tensor"} | ({"inputs"} if path == "" else set())
            self.assertEqual(mine.keys() - skipped, theirs.keys() - skipped, path)
            for key in mine.keys() - skipped:
                self.compare(mine[key], theirs[key], f"{path}/{key}")
        elif isinstance(mine, list):
            self.assertEqual(len(mine), len(theirs), path)
            for i, (one, other) in enumerate(zip(mine, theirs)):
                self.compare(one, other, f"{path}/{i}")
        elif isinstance(mine, float):
            self.assertAlmostEqual(mine, theirs, delta=1e-5 * max(1, abs(theirs)), msg=path)
        else:
            self.assertEqual(mine, theirs, path)


if __name__ == "__main__":
    unittest.main()
