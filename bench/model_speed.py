#!/usr/bin/env python3
"""ResNet-50 (random weights): atcav's model_speed beside eager PyTorch, same weights, same input, same threads.

    model_speed.py PROGRAM [--device cpu|cuda] [--precision fp32|tf32|bf16] [--batch N] [--pool none|mean] [--layer layer3]

First the answers are compared (activations and gradients at the layer), then images per second, in alternating
rounds. The eager side is what a careful user writes: no gradients of weights, forward to the layer without
recording, only the rest differentiated. --pool mean leaves only channel means to copy from the GPU, on both sides.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torchvision


def make_model() -> torch.nn.Module:
    torch.manual_seed(0)
    try:
        model = torchvision.models.resnet50(weights=None)
    except TypeError:
        model = torchvision.models.resnet50(pretrained=False)
    for module in model.modules():  # statistics that make normalisation do something
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return model.eval().requires_grad_(False)


def export(model: torch.nn.Module, path: pathlib.Path) -> None:
    example = torch.zeros(1, 3, 224, 224)
    options = {"opset_version": 13, "input_names": ["input"], "output_names": ["logits"],
               "dynamic_axes": {"input": {0: "batch"}, "logits": {0: "batch"}}}
    try:
        torch.onnx.export(model, example, str(path), dynamo=False, **options)
    except TypeError:
        torch.onnx.export(model, example, str(path), **options)


class Eager:
    """The network cut at the layer."""

    def __init__(self, model: torch.nn.Module, layer: str, arguments: argparse.Namespace):
        dtype = torch.bfloat16 if arguments.precision == "bf16" else torch.float32
        order = torch.channels_last if arguments.device != "cpu" else torch.preserve_format
        parts = [(name, part.to(arguments.device, dtype, memory_format=order)) for name, part in model.named_children()]
        at = [name for name, _ in parts].index(layer) + 1
        self.head = [part for _, part in parts[:at]]
        self.tail = [part for name, part in parts[at:] if name != "fc"]
        self.fc = dict(parts)["fc"]
        self.dtype, self.device, self.pool = dtype, arguments.device, arguments.pool

    def rows(self, x: torch.Tensor, total: bool) -> torch.Tensor:
        x = x.float()
        if self.pool == "mean":
            x = x.sum((2, 3)) if total else x.mean((2, 3))
        return x.flatten(1).cpu()

    def to_layer(self, x: torch.Tensor) -> torch.Tensor:
        x = x.to(self.device, self.dtype)
        if self.device != "cpu":
            x = x.contiguous(memory_format=torch.channels_last)
        with torch.no_grad():
            for part in self.head:
                x = part(x)
        return x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rows(self.to_layer(x), False)

    def gradient(self, x: torch.Tensor, target: int) -> torch.Tensor:
        at = self.to_layer(x).detach().requires_grad_(True)
        y = at
        for part in self.tail:
            y = part(y)
        logits = self.fc(y.flatten(1))
        return self.rows(torch.autograd.grad(logits[:, target].sum(), at)[0], True)


def gflop_per_image(model: torch.nn.Module, layer: str) -> float:
    """Convolutions up to the layer."""
    total = 0

    def count(module, _, output):
        nonlocal total
        kernel = module.kernel_size[0] * module.kernel_size[1]
        total += 2 * module.in_channels // module.groups * kernel * output[0].numel()

    hooks = [m.register_forward_hook(count) for m in model.modules() if isinstance(m, torch.nn.Conv2d)]
    x = torch.zeros(1, 3, 224, 224)
    for name, part in model.named_children():
        x = part(x)
        if name == layer:
            break
    for hook in hooks:
        hook.remove()
    return total / 1e9


def rate(batch: int, rounds: int, body) -> float:
    body()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return batch / statistics.median(times)


def convolution_peak(device: str, dtype: torch.dtype, batch: int) -> float:
    """GFLOP/s of the fastest of a few convolutions that suit the machine: what a network could reach at best."""
    best = 0.0
    with torch.no_grad():
        for channels in (64, 128, 256, 512):
            side = 56 * 64 // channels
            x, w = (torch.ones(shape).to(device, dtype).contiguous(memory_format=torch.channels_last)
                    for shape in ((batch, channels, side, side), (channels, channels, 3, 3)))

            def ten() -> None:
                for _ in range(10):
                    y = torch.nn.functional.conv2d(x, w, padding=1)
                y.flatten()[0].item()

            best = max(best, rate(10 * batch, 3, ten) * 2 * channels * channels * 9 * side * side / 1e9)
    return best


def compare_devices(ours, folder: str) -> None:
    """Pattern-CAV sensitivities from the GPU's and the CPU's activations and gradients."""
    loaded = []
    for device in ("cuda", "cpu"):
        ours("--out", folder, "--device", device, "--rounds", "1")
        x, z = (np.load(f"{folder}/{name}.npy").astype(np.float64) for name in ("activations", "gradients"))
        half = len(x) // 2
        loaded.append((x, z, z @ (x[:half].mean(0) - x[half:].mean(0))))
    for name, gpu, cpu in zip(("activations", "gradients", "sensitivities"), *loaded):
        print(f"GPU against CPU, {name}: relative difference {np.linalg.norm(gpu - cpu) / np.linalg.norm(cpu):.2e}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "bf16"])
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pool", default="none", choices=["none", "mean"])
    parser.add_argument("--layer", default="layer3")
    arguments = parser.parse_args()

    threads = len(os.sched_getaffinity(0))
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = arguments.precision == "tf32"
    model = make_model()
    gflop = gflop_per_image(model, arguments.layer)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "resnet50.onnx"
        export(model, path)
        command = [arguments.program, str(path), arguments.layer, "--device", arguments.device, "--precision",
                   arguments.precision, "--batch", str(arguments.batch), "--rounds", str(arguments.rounds), "--pool",
                   arguments.pool, "--target", "340", "--threads", str(threads)]

        def ours(*extra: str) -> dict:
            return json.loads(subprocess.run(command + list(extra), check=True, stdout=subprocess.PIPE).stdout)

        eager = Eager(model, arguments.layer, arguments)
        count = arguments.batch * 3 * 224 * 224
        turns = np.arange(count, dtype=np.float64) * 0.618034
        x = torch.from_numpy((turns - np.floor(turns)).astype(np.float32).reshape(arguments.batch, 3, 224, 224))

        ours("--out", folder, "--rounds", "1")
        for name, theirs in (("activations", eager.forward(x)), ("gradients", eager.gradient(x, 340))):
            got = torch.from_numpy(np.load(f"{folder}/{name}.npy"))
            # By image: where rounding puts one ReLU on the other side of 0, that image's gradient moves by about
            # 1e-3 while all others agree to 1e-6, so the median is what shows a wrong answer.
            errors = ((got - theirs).norm(dim=1) / theirs.norm(dim=1)).tolist()
            print(f"{name}: relative difference {statistics.median(errors):.1e}, worst image {max(errors):.1e}")
            if statistics.median(errors) > {"fp32": 5e-3, "tf32": 5e-2, "bf16": 0.5}[arguments.precision]:
                print("the answers differ, times mean nothing")
                return 1
        if arguments.device != "cpu" and arguments.precision == "fp32":
            compare_devices(ours, folder)
        mine, other = [], []
        for _ in range(arguments.repeats):
            mine.append(ours())
            other.append((rate(arguments.batch, arguments.rounds, lambda: eager.forward(x)),
                          rate(arguments.batch, arguments.rounds, lambda: eager.gradient(x, 340))))
        for i, name in enumerate(("forward", "gradient")):
            ours_rate = statistics.median(m[name] for m in mine)
            eager_rate = statistics.median(o[i] for o in other)
            print(f"{name}: atcav {ours_rate:.1f} images/s, eager {eager_rate:.1f}, ratio {ours_rate / eager_rate:.2f}")
        best = statistics.median(m["forward"] for m in mine)
        peak = convolution_peak(arguments.device, eager.dtype, arguments.batch)
        print(f"convolutions: {best * gflop:.0f} of {peak:.0f} GFLOP/s ({100 * best * gflop / peak:.0f} %)")
        eager_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory: atcav {mine[-1]['peak_memory_mb']:.0f} MB, eager {eager_memory:.0f} MB "
              f"(with Python); load {mine[-1]['load_s']:.2f} s; {threads} threads, torch {torch.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
