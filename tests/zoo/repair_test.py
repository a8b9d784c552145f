"""repair_test.py PROGRAM PYTHON: what `atcav repair` writes, in ONNX Runtime, against the module with run.erased.

PYTHON is the folder of the developer build's package. Both ways find their directions themselves, from the same arrays.
Largest difference of a logit, relative to the largest logit: at most 1e-5.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PACKAGE = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, PACKAGE)
try:
    import numpy
    import onnxruntime
    import torch

    import atcav
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-5


class Convolutions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU())
        self.block = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.ReLU())
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        stem = self.stem(x)
        return self.head(torch.relu(stem + self.block(stem)).mean((2, 3)))


class Tokens(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm, self.head = torch.nn.Linear(4, 6), torch.nn.LayerNorm(6), torch.nn.Linear(30, 3)

    def forward(self, x):
        return self.head(torch.tanh(self.norm(self.embed(x))).flatten(1))


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(12, 20), torch.nn.ReLU(), torch.nn.Linear(20, 16), torch.nn.Tanh(),
                               torch.nn.Linear(16, 4))


class Repaired(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        torch.manual_seed(3)
        self.seeded = torch.Generator().manual_seed(5)

    def draw(self, name, rows, shape, shift, dtype=torch.float32):
        values = torch.randn(rows, *shape, generator=self.seeded) + shift
        numpy.save(self.folder / f"{name}.npy", values.numpy())
        return values

    def agrees(self, model, shape, layer, concepts=1, dtype=torch.float32, opset=13, **options):
        model = model.eval().to(dtype)
        sets = {f"c{k}": self.draw(f"c{k}", 40, shape, 0.6 - 0.9 * k) for k in range(concepts)}
        random, inputs = self.draw("random", 60, shape, 0), self.draw("inputs", 16, shape, 0.2)
        torch.onnx.export(model, inputs[:2].to(dtype), self.folder / "m.onnx", input_names=["x"], opset_version=opset,
                          dynamic_axes={"x": {0: "batch"}})
        run = atcav.run(model, layer, {"k": (1, inputs)}, sets, random, permutations=9, progress=False, **options)
        with run.erased(model, list(sets), layer), torch.no_grad():
            hooked = model(inputs.to(dtype)).numpy()
        with torch.no_grad():
            before = model(inputs.to(dtype)).numpy()
        flags = [text for key, value in options.items() for text in ("--" + key.replace("_", "-").rstrip("-"), str(value))]
        for name in sets:
            flags += ["--concept", f"{name}={name}.npy"]
        subprocess.run([PROGRAM, "repair", "m.onnx", "--layer", layer, "--random", "random.npy", *flags, "-o", "fixed.onnx", "-q"],
                       cwd=self.folder, check=True)
        session = onnxruntime.InferenceSession(str(self.folder / "fixed.onnx"), providers=["CPUExecutionProvider"])
        repaired = session.run(None, {"x": inputs.to(dtype).numpy()})[0]
        largest = abs(hooked).max()
        apart = abs(repaired - hooked).max() / largest
        moved = abs(hooked - before).max() / largest
        print(f"{type(model).__name__} {layer} {options} {dtype} opset {opset}: {apart:.1e} apart, moved {moved:.1e}")
        self.assertLess(apart, TOLERANCE)
        self.assertGreater(moved, 100 * TOLERANCE)

    def test_convolutions(self):
        for options in ({"pooling": "none"}, {"pooling": "mean"}, {"pooling": "mean", "cav": "ridge", "lambda_": 0.01}):
            self.agrees(Convolutions(), (3, 8, 8), "stem", **options)
        self.agrees(Convolutions(), (3, 8, 8), "block", pooling="mean", opset=16)
        self.agrees(Convolutions(), (3, 8, 8), "block", concepts=2, pooling="mean", opset=9)

    def test_mlp(self):
        self.agrees(mlp(), (12,), "1")
        self.agrees(mlp(), (12,), "3", concepts=2, cav="ridge")
        self.agrees(mlp(), (12,), "1", dtype=torch.float64)

    def test_tokens(self):
        for pool in ("cls", "last", 2, "mean", "none"):
            self.agrees(Tokens(), (5, 4), "embed", pooling=pool)


if __name__ == "__main__":
    unittest.main()
