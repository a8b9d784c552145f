"""A module in Python and its ONNX export in the program: the same numbers, the same report but for the model's name."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import warnings

import numpy

import atcav

PROGRAM = os.environ.get("ATCAV_PROGRAM")
for needed in ("torch", "onnx", "onnxscript"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")
import torch  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(True))
        self.body = torch.nn.Sequential(torch.nn.Conv2d(8, 12, 3, 2, 1), torch.nn.ReLU(True))
        self.head = torch.nn.Linear(12, 4)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean((2, 3)))


@unittest.skipUnless(PROGRAM, "ATCAV_PROGRAM is not set")
class Onnx(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Net().eval()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        draw = numpy.random.default_rng(1)
        for name, rows, shift in (("zebra", 20, 0.1), ("striped", 30, 0.4), ("dotted", 25, -0.2), ("random", 50, 0)):
            numpy.save(self.path / f"{name}.npy", (draw.normal(size=(rows, 3, 16, 16)) + shift).astype(numpy.float32))

    def program(self, onnx, layers):
        arguments = [PROGRAM, "run", "--model", onnx, "--class", f"zebra:2={self.path}/zebra.npy", "--quiet", "--seed", "3", "--intervene", "6",
                     "--concept", f"striped={self.path}/striped.npy", "--concept", f"dotted={self.path}/dotted.npy",
                     "--random", f"{self.path}/random.npy", "-o", str(self.path / "program")]
        for layer in layers:
            arguments += ["--layer", layer]
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode and "LibTorch" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / "program/results.json").read_text(encoding="utf-8"))

    def test_equal_scores_and_the_same_report(self):
        found = atcav.run(self.model, ["stem", "body"], {"zebra": (2, self.path / "zebra.npy")},
                          {name: self.path / f"{name}.npy" for name in ("striped", "dotted")}, self.path / "random.npy",
                          seed=3, intervene=6, progress=False)
        page = pathlib.Path(found.report(self.path / "python")).read_text(encoding="utf-8")
        for dynamo in (False, True):
            with self.subTest(dynamo=dynamo), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                onnx = str(self.path / f"model{dynamo}.onnx")
                torch.onnx.export(self.model, (torch.zeros(2, 3, 16, 16),), onnx, input_names=["x"], dynamo=dynamo,
                                  **({"dynamic_shapes": {"x": {0: torch.export.Dim("n")}}} if dynamo else
                                     {"dynamic_axes": {"x": {0: "n"}}}))
                # The new exporter calls tensors after functions; those are what the modules end in.
                want = self.program(onnx, ["relu", "relu_1"] if dynamo else ["stem", "body"])
                self.compare(found.to_dict(), want)
                other = (self.path / "program/report.html").read_text(encoding="utf-8")
                self.assertEqual(self.headings(page), self.headings(other))

    @staticmethod
    def headings(page):
        found = re.findall(r"<h[1-6][^>]*>(.*?)</h[1-6]>", page)
        return [re.sub("relu_1|body", "body", re.sub("relu(?!_)|stem", "stem", one)) for one in found]

    def compare(self, mine, theirs, path=""):
        """All numbers to 1e-5 of what they are made of; p-values and words exactly."""
        if isinstance(mine, dict):
            skipped = {"libraries", "config", "notes", "layer", "tensor"} | ({"inputs"} if path == "" else set())
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
