"""20,000 examples × 100,352 columns, 8 GB of activations, through atcav.run with a module: at most 1 GB above the model."""
import resource
import sys
import time

import torch

import atcav

ROWS, COLUMNS, BATCH = 20_000, 100_352, 64


class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = torch.nn.Linear(16, COLUMNS)
        self.head = torch.nn.Linear(COLUMNS, 10)

    def forward(self, x):
        return self.head(torch.relu(self.wide(x)))


class Examples:
    """Batches that are drawn when they are asked for, the same ones every time."""

    def __init__(self, rows, shift):
        self.rows, self.shift = rows, shift

    def __iter__(self):
        draw = torch.Generator().manual_seed(1)
        for first in range(0, self.rows, BATCH):
            yield torch.randn(min(BATCH, self.rows - first), 16, generator=draw) + self.shift


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    torch.manual_seed(0)
    model = Wide()
    model(torch.zeros(BATCH, 16))
    before = peak_mb()
    started = time.monotonic()
    run = atcav.run(model, "wide", {"zebra": (3, Examples(60, 0.1))}, {"striped": Examples(500, 0.4)},
                    Examples(ROWS - 560, 0.0), permutations=99, progress=False)
    above = peak_mb() - before
    print(f"{run.examples_run} examples × {run[0].d}: {above:.0f} MB above the model's {before:.0f} MB, "
          f"{time.monotonic() - started:.0f} s")
    assert run.examples_run == ROWS and run[0].d == COLUMNS
    sys.exit(above > 1000)


if __name__ == "__main__":
    main()
