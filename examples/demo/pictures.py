"""Pictures of the demo as NumPy arrays, drawn by the program itself (draw_images, a developer build)."""
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pictures(name, count, seed, build=ROOT / "build"):
    """count × 3 × 48 × 48, RGB in [0, 1]."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "pictures.npy"
        tool = pathlib.Path(build) / "examples/demo/draw_images"
        subprocess.run([tool, name, str(count), str(seed), path], check=True)
        return np.load(path).reshape(count, 3, 48, 48)
