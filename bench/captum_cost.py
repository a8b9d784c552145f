#!/usr/bin/env python3
"""The same TCAV by Captum and by atcav on the CPU, from JPEGs to scores, once each, one after the other.

    $(tests/pypi/environment.sh BUILD/pypi) bench/captum_cost.py BUILD [RANDOM_SETS]      (the machine should be idle)

ResNet-50 with random weights, layer3, 50 concept, RANDOM_SETS (10) x 50 random and 50 class pictures (JPEG,
224 x 224). Captum fits its own classifier for each random set; atcav's times are of pattern (without interventions, which
Captum has not, and with them), of svm, and of bf16 where processor and LibTorch have it, with all its statistics. The
answer is proved first: Captum with the pattern CAV in place of its classifier must count the same signs.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from captum.concept import TCAV, Concept
from captum.concept._utils.classifier import Classifier
from PIL import Image

MEAN, STD = torch.tensor([0.485, 0.456, 0.406])[:, None, None], torch.tensor([0.229, 0.224, 0.225])[:, None, None]


class Bottleneck(torch.nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        nn, outputs = torch.nn, 4 * width
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu1, self.relu2, self.relu3 = nn.ReLU(), nn.ReLU(), nn.ReLU()
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.relu1(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(self.relu2(self.bn2(self.conv2(y)))))
        return self.relu3(y + (x if self.downsample is None else self.downsample(x)))


class ResNet50(torch.nn.Module):
    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        inputs = 64
        for i, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
            blocks = [Bottleneck(inputs if b == 0 else 4 * width, width, 2 if b == 0 and i > 1 else 1) for b in range(count)]
            setattr(self, f"layer{i}", nn.Sequential(*blocks))
            inputs = 4 * width
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(2048, 1000)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(self.pool(x).flatten(1))


class Pictures(torch.utils.data.Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        pixels = torch.from_numpy(np.array(Image.open(self.files[i]).convert("RGB")))
        return (pixels.permute(2, 0, 1).float() / 255 - MEAN) / STD


class Pattern(Classifier):
    """The difference of the two means."""

    def __init__(self):
        pass

    def train_and_eval(self, dataloader, **_):
        sums, counts = {}, {}
        for x, y in dataloader:
            for row, label in zip(x, y.tolist()):
                sums[label] = sums.get(label, 0) + row.double()
                counts[label] = counts.get(label, 0) + 1
        self.labels = sorted(sums)
        first, second = (sums[label] / counts[label] for label in self.labels)
        self.direction = first - second

    def weights(self):
        return torch.stack([self.direction, -self.direction]).float()

    def classes(self):
        return self.labels


def draw(folder: pathlib.Path, size: int, count: int, generator) -> list:
    folder.mkdir()
    for i in range(count):
        coarse = torch.rand((1, 3, size, size), generator=generator)
        fine = torch.nn.functional.interpolate(coarse, (224, 224), mode="bilinear", align_corners=False)[0]
        Image.fromarray((255 * fine).to(torch.uint8).permute(1, 2, 0).numpy()).save(folder / f"{i:04}.jpg", quality=95)
    return sorted(folder.iterdir())


def concept(number: int, name: str, files: list) -> Concept:
    return Concept(number, name, torch.utils.data.DataLoader(Pictures(files), batch_size=32))


def captum_scores(model, sets, files, save, **options) -> list:
    """Shares of positive products with the concept's direction, by experimental set."""
    tcav = TCAV(model, ["layer3"], save_path=str(save), **options)
    inputs = torch.stack([Pictures(files)[i] for i in range(len(files))])
    found = tcav.interpret(inputs, sets, target=340)
    return [scores["layer3"]["sign_count"][0].item() for scores in found.values()]


def main() -> None:
    build, random_sets = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    torch.manual_seed(0)
    model = ResNet50().eval()
    generator = torch.Generator().manual_seed(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        torch.onnx.export(model, (torch.zeros(1, 3, 224, 224),), str(folder / "resnet50.onnx"), opset_version=17, dynamo=False,
                          input_names=["input"], output_names=["logits"], dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})
        positive = draw(folder / "concept", 7, 50, generator)
        random = draw(folder / "random", 28, 50 * random_sets, generator)
        inputs = draw(folder / "zebra", 14, 50, generator)

        def atcav(method: str, *options: str):
            start = time.perf_counter()
            subprocess.run([build / "atcav", "run", "--model", folder / "resnet50.onnx", "--layer", "layer3", "--class",
                            f"zebra:340={folder / 'zebra'}", "--concept", f"noise={folder / 'concept'}", "--random",
                            folder / "random", "--cav", method, "-o", folder / method, "-q", *options], check=True)
            return time.perf_counter() - start, json.loads((folder / method / "results.json").read_text())["results"][0]

        _, result = atcav("pattern")
        whole = captum_scores(model, [[concept(0, "noise", positive), concept(1, "random", random)]], inputs, folder / "proof",
                              classifier=Pattern())[0]
        print(f"proof: share of positive sensitivities of the same CAV: Captum {whole:.4f}, atcav {result['tcav']:.4f}")
        if abs(whole - result["tcav"]) > 1e-6:
            sys.exit("WRONG")
        noise = concept(0, "noise", positive)  # Captum wants one and the same object in all sets
        sets = [[noise, concept(i + 1, f"random{i}", random[50 * i:50 * (i + 1)])] for i in range(random_sets)]
        start = time.perf_counter()
        captum_scores(model, sets, inputs, folder / "cavs")
        captum_time = time.perf_counter() - start
        print(f"Captum {captum_time:.1f} s")
        for what, options in {"pattern": ["pattern", "--no-intervene"], "pattern with interventions": ["pattern"],
                              "pattern, --until 0.2": ["pattern", "--no-intervene", "--until", "0.2"],
                              "svm": ["svm"], "pattern in bf16": ["pattern", "--no-intervene", "--precision", "bf16"]}.items():
            try:
                taken, found = atcav(*options)
            except subprocess.CalledProcessError:  # says why
                continue
            apart = np.abs(np.array(found["sensitivities"]) - result["sensitivities"]).max() / np.abs(result["sensitivities"]).max()
            also = f", sensitivities {apart:.1e} of the largest from fp32's" if "bf16" in what else ""
            print(f"atcav, {what}: {taken:.1f} s, {captum_time / taken:.2f} times as fast{also}", flush=True)


if __name__ == "__main__":
    main()
