#!/usr/bin/env python3
"""What `atcav run` costs from pictures to report, by stage, and how far that is from the least possible.

    run_cost.py BUILD        (needs python3-torch and python3-torchvision; the machine should be idle)

ResNet-50 with random weights, layer3, 50 concept, 10 x 50 random and 50 class pictures (JPEG, 224 x 224). The floor
is the convolutions up to the layer, once for each of the 600 pictures, at the convolution rate measured beside it;
the rest of the network and its gradient for the 50 class pictures are not in it. The answer is proved first: the
sensitivities against eager PyTorch's gradients and activations of the same pictures.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torchvision

from model_speed import Eager, convolution_peak, export, gflop_per_image, make_model

SETS = {"concept": 50, "random": 500, "zebra": 50}
LAYER = "layer3"


def draw(folder: pathlib.Path) -> None:
    """Blurred noise, another blur for each set."""
    generator = torch.Generator().manual_seed(1)
    for size, (name, count) in zip((7, 28, 14), SETS.items()):
        (folder / name).mkdir()
        for i in range(count):
            coarse = torch.rand((1, 3, size, size), generator=generator)
            fine = torch.nn.functional.interpolate(coarse, (224, 224), mode="bilinear", align_corners=False)[0]
            torchvision.io.write_jpeg((255 * fine).to(torch.uint8), str(folder / name / f"{i:03}.jpg"), quality=95)


def prove(folder: pathlib.Path, model: torch.nn.Module, sensitivities: list) -> None:
    class Options:
        precision, device, pool = "fp32", "cpu", "none"

    eager = Eager(model, LAYER, Options)
    mean = torch.tensor([0.485, 0.456, 0.406])[:, None, None]
    std = torch.tensor([0.229, 0.224, 0.225])[:, None, None]

    def rows(name, body):
        files = sorted((folder / name).iterdir())
        pictures = [(torchvision.io.read_image(str(file)).float() / 255 - mean) / std for file in files]
        return np.concatenate([body(torch.stack(pictures[i:i + 25])).numpy() for i in range(0, len(files), 25)])

    direction = rows("concept", eager.forward).mean(0, dtype=np.float64) - rows("random", eager.forward).mean(
        0, dtype=np.float64)
    expected = rows("zebra", lambda x: eager.gradient(x, 340)) @ direction
    errors = np.abs(np.array(sensitivities) - expected) / np.abs(expected)
    # By input: most agree to 1e-6. In a few the gradients differ by up to about 1e-3, with JPEG and PNG alike and with
    # directions equal to 1e-6, which fits units whose rounding falls on the other side of a ReLU's 0.
    print(f"proof: sensitivities against eager PyTorch, by input: median error {np.median(errors):.1e} (at most 1e-05), "
          f"{(errors > 1e-4).sum()} of {len(errors)} beyond 1e-04, worst {errors.max():.1e}")
    if np.median(errors) > 1e-5:
        sys.exit("WRONG")


def main() -> None:
    build = pathlib.Path(sys.argv[1])
    model = make_model()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        export(model, folder / "resnet50.onnx")
        draw(folder)
        command = [build / "atcav", "run", "--model", folder / "resnet50.onnx", "--layer", LAYER, "--class",
                   f"zebra:340={folder / 'zebra'}", "--concept", f"noise={folder / 'concept'}", "--random",
                   folder / "random", "-o", folder / "out", "-q"]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        total = time.perf_counter() - start
        peak = convolution_peak("cpu", torch.float32, 16)
        results = json.loads((folder / "out" / "results.json").read_text())["results"]
        timings = json.loads((folder / "out" / "timings.json").read_text())
        prove(folder, model, results[0]["sensitivities"])
    seconds = timings["seconds"]
    for stage, taken in seconds.items():
        print(f"  {stage:12} {taken:6.2f} s")
    print(f"  {'start, write':12} {total - sum(seconds.values()):6.2f} s")
    images = sum(SETS.values())
    floor = images * gflop_per_image(model, LAYER) / peak
    print(f"  {'all':12} {total:6.2f} s, {timings['examples_run']} of {images} pictures through the network")
    print(f"floor {floor:.2f} s ({images} x {gflop_per_image(model, LAYER):.2f} GFLOP at {peak:.0f} GFLOP/s): "
          f"{total / floor:.2f} times that")


if __name__ == "__main__":
    main()
