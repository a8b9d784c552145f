"""Arrays with a known answer for examples and documentation: arrays.py FOLDER.

64 columns. `striped` differs from `random` along column 0, `dotted` along column 1, `faint` not at all.
The gradients of `zebra` go up along column 0 and down along column 1: zebra uses stripes, dots speak
against it.
"""
import pathlib
import sys

import numpy as np


def write_arrays(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(7)

    def rows(count: int, column=None) -> np.ndarray:
        values = generator.standard_normal((count, 64))
        if column is not None:
            values[:, column] += 1.5
        return values.astype(np.float32)

    gradients = 0.3 * generator.standard_normal((50, 64))
    gradients[:, 0] += 1
    gradients[:, 1] -= 1
    arrays = {
        "random": rows(500),
        "striped": rows(100, 0),
        "dotted": rows(100, 1),
        "faint": rows(100),
        "zebra": gradients.astype(np.float32),
    }
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)


if __name__ == "__main__":
    write_arrays(pathlib.Path(sys.argv[1]))
