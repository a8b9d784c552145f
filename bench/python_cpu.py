#!/usr/bin/env python3
"""atcav.run on one CPU thread beside TCAV written by hand in PyTorch, and beside Captum where it is installed.

    python_cpu.py [--small]        (PYTHONPATH: where the built package is, BUILD/python)

ResNet-18's shapes with random weights, 64 x 64, layer3: 100 concept, 400 random, 100 class inputs in memory, pattern CAVs.
By hand is as in python_gpu.py: two means, one gradient per class input, their products. Answers are proved before they
are timed; exit status 1 if one is wrong. Times are the processor's, so that others may use the machine; they alternate, and
the least of each counts.
"""
import os
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy  # noqa: E402
import torch  # noqa: E402
from python_gpu import FAILED, by_hand, check  # noqa: E402

import atcav  # noqa: E402

SMALL = "--small" in sys.argv
ROUNDS = 2 if SMALL else 7
nn = torch.nn


def timed(function, repeats):
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        function()
        times.append(time.process_time() - begun)
    return min(times)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, 2, 1))
        inputs = 64
        for i, width in enumerate((64, 128, 256, 512), 1):
            setattr(self, f"layer{i}", nn.Sequential(Block(inputs, width, 1 if i == 1 else 2), Block(width, width, 1)))
            inputs = width
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(x.mean((2, 3)))


def captum_time(model, sets, batch):
    """Its own classifier once, as its users have it; None where it is not installed."""
    try:
        from captum.concept import TCAV, Concept
    except ImportError:
        return None
    def loader(rows):
        return [rows[first:first + batch] for first in range(0, len(rows), batch)]
    def work():
        with tempfile.TemporaryDirectory() as folder:
            concepts = [Concept(0, "concept", loader(sets["concept"])), Concept(1, "random", loader(sets["random"]))]
            TCAV(model, ["layer3"], save_path=folder).interpret(sets["class"], [concepts], target=3)
    return timed(work, 1 if SMALL else 2)


def main() -> int:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = ResNet18().eval().requires_grad_(False)
    counts = (20, 40, 10) if SMALL else (100, 400, 100)
    sets = {}
    for role, count, grain in zip(("concept", "random", "class"), counts, (7, 28, 14)):
        coarse = torch.randn(count, 3, grain, grain)
        sets[role] = nn.functional.interpolate(coarse, (64, 64), mode="bilinear", align_corners=False).contiguous()
    batch = 32

    def hand():
        return by_hand(model, ["layer3"], sets, 3, False, batch)

    def own(**options):
        return atcav.run(model, "layer3", {"class": (3, sets["class"])}, {"concept": sets["concept"]}, sets["random"],
                         batch=batch, threads=1, progress=False, **options)
    print(f"CPU, torch {torch.__version__}, atcav {atcav.__version__}, one thread", flush=True)
    want, run = hand()["layer3"], own()
    worst = numpy.abs(numpy.array(run[0].sensitivities) - want).max() / numpy.abs(want).max()
    check(worst < 1e-5, f"sensitivities beside by hand: {worst:.1e} of the largest (at most 1e-5)")
    times = {"by hand": [], "atcav": []}
    for _ in range(ROUNDS):
        times["by hand"].append(timed(hand, 1))
        times["atcav"].append(timed(own, 1))
    least = {name: min(taken) for name, taken in times.items()}
    ratios = sorted(ours / theirs for ours, theirs in zip(times["atcav"], times["by hand"]))
    stages = ", ".join(f"{name} {taken:.2f}" for name, taken in run.seconds.items())
    print(f"       by hand {least['by hand']:.3f} s, atcav {least['atcav']:.3f} s, ratio {least['atcav'] / least['by hand']:.2f} "
          f"(asked: 1.15), median of {ROUNDS} rounds {ratios[len(ratios) // 2]:.2f}; {stages}", flush=True)
    theirs = captum_time(model, sets, batch)
    if theirs is not None:
        print(f"       Captum {theirs:.3f} s, {theirs / least['atcav']:.1f} times atcav's", flush=True)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
