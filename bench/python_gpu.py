#!/usr/bin/env python3
"""atcav.run on a GPU beside TCAV written by hand in PyTorch, in one process.

    python_gpu.py [resnet] [llama] [--small]        (PYTHONPATH: where the built package is, BUILD/python)

resnet: ResNet-50's shapes with random weights, 2,400 inputs of 224 x 224, TF32 convolutions: layer3 from inputs in
memory and from inputs on the GPU, and four layers. llama: 1.1 B parameters in bf16, 2,300 x 128 tokens: one layer, and
all 22 residual streams, pooled over tokens. Answers are proved before they are timed: exit status 1 if one is wrong.
--small: a few inputs of small networks, on whatever device there is.
"""
import ctypes
import os
import sys
import threading
import time

import numpy
import torch

import atcav

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
SMALL = "--small" in sys.argv
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FAILED = []
nn, functional = torch.nn, torch.nn.functional


def check(holds: bool, text: str) -> None:
    print(("ok     " if holds else "WRONG  ") + text, flush=True)
    if not holds:
        FAILED.append(text)


# Networks.
class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))))
        return self.relu(self.bn3(self.conv3(y)) + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self, blocks=(3, 4, 6, 3)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, 2, 1))
        inputs = 64
        for i, (width, count) in enumerate(zip((64, 128, 256, 512), blocks), 1):
            stages = [Bottleneck(inputs if b == 0 else 4 * width, width, 2 if b == 0 and i > 1 else 1) for b in range(count)]
            setattr(self, f"layer{i}", nn.Sequential(*stages))
            inputs = 4 * width
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(x.mean((2, 3)))


def turned(x, positions, dim):
    rates = 1e4 ** (-torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angles = (positions[:, None] * rates).repeat(1, 2)
    half = torch.cat([-x[..., dim // 2:], x[..., :dim // 2]], -1)
    return x * angles.cos().to(x.dtype) + half * angles.sin().to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = x.float()
        return self.weight * (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


class Block(nn.Module):
    def __init__(self, width, heads, shared, inner):
        super().__init__()
        self.heads, self.shared, self.dim = heads, shared, width // heads
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, shared * self.dim, bias=False) for _ in range(2))
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        rows, count, _ = x.shape
        positions = torch.arange(count, device=x.device, dtype=torch.float32)
        y = self.norm1(x)
        def split(z, n):
            return z.view(rows, count, n, self.dim).transpose(1, 2)
        q, k = turned(split(self.q(y), self.heads), positions, self.dim), turned(split(self.k(y), self.shared), positions, self.dim)
        k, v = (z.repeat_interleave(self.heads // self.shared, 1) for z in (k, split(self.v(y), self.shared)))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        y = self.norm2(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """The next token at the last position."""

    def __init__(self, width=2048, layers=22, heads=32, shared=4, inner=5632, tokens=32000):
        super().__init__()
        self.embed = nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(Block(width, heads, shared, inner) for _ in range(layers))
        self.norm, self.head = RMSNorm(width), nn.Linear(width, tokens, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x[:, -1]))


# By hand: what a careful user writes in a page.
def by_hand(model, names, sets, target, pool, batch):
    """{layer: sensitivities} of a pattern CAV, in double."""
    modules = dict(model.named_modules())
    found, hooks = {}, []
    last = names[-1]

    class Done(Exception):
        pass

    def note(name, stop):
        def hook(module, inputs, output):
            if stop:
                found[name] = output
                if name == last:
                    raise Done
                return None
            if not found:
                torch.set_grad_enabled(True)
                output = output.detach().requires_grad_()
            found[name] = output
            return output
        return hook

    def reduced(rows, add):
        if pool:
            return rows.sum(1, dtype=torch.float32) if add else rows.mean(1, dtype=torch.float32)
        return rows.flatten(1).float()

    def blocks(rows):
        for first in range(0, len(rows), batch):
            yield rows[first:first + batch].to(DEVICE)

    means = {}
    with torch.no_grad():
        for role in ("concept", "random"):
            hooks = [modules[name].register_forward_hook(note(name, True)) for name in names]
            totals = {name: 0 for name in names}
            for x in blocks(sets[role]):
                try:
                    model(x)
                except Done:
                    pass
                for name in names:
                    totals[name] = totals[name] + reduced(found[name], False).sum(0, dtype=torch.float64)
                found.clear()
            means[role] = {name: totals[name] / len(sets[role]) for name in names}
            for hook in hooks:
                hook.remove()
    answer = {name: [] for name in names}
    hooks = [modules[name].register_forward_hook(note(name, False)) for name in names]
    for x in blocks(sets["class"]):
        with torch.no_grad():
            logit = model(x)[:, target]
            slopes = torch.autograd.grad(logit, [found[name] for name in names], torch.ones_like(logit))
        for name, slope in zip(names, slopes):
            answer[name].append(reduced(slope, True).double() @ (means["concept"][name] - means["random"][name]))
        found.clear()
    for hook in hooks:
        hook.remove()
    return {name: torch.cat(parts).cpu().numpy() for name, parts in answer.items()}


def ours(model, names, sets, target, pool, batch):
    return atcav.run(model, names, {"class": (target, sets["class"])}, {"concept": sets["concept"]}, sets["random"],
                     pool="mean" if pool else "none", batch=batch, progress=False)


class PeakMemory:
    """Of this process, above what it was: what the kernel counts."""

    def __enter__(self):
        getattr(ctypes.CDLL(None), "malloc_trim")(0)
        self.before, self.peak, self._end = self._now(), 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    @staticmethod
    def _now():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def _watch(self):
        while not self._end.wait(0.005):
            self.peak = max(self.peak, self._now() - self.before)

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()


def timed(function, repeats=3):
    times = []
    for _ in range(repeats):
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        function()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(title, model, names, sets, target=3, pool=False, batch=256, own_batch=None, limit=1.3, tolerance=1e-4):
    want = by_hand(model, names, sets, target, pool, batch)
    with PeakMemory() as memory:
        run = ours(model, names, sets, target, pool, own_batch)
    again = ours(model, names, sets, target, pool, own_batch)
    check(run.to_json() == again.to_json(), f"{title}: two runs give the same bytes")
    # Median: rounding may put a unit on the other side of a ReLU's 0 for a few inputs.
    errors = [numpy.median(numpy.abs(numpy.array(one.sensitivities) - want[one.layer])) / numpy.abs(want[one.layer]).max()
              for one in run]
    check(max(errors) < tolerance, f"{title}: sensitivities beside by hand, of the largest: median {max(errors):.1e} in the "
          f"worst layer (at most {tolerance:.0e})")
    hand = timed(lambda: by_hand(model, names, sets, target, pool, batch))
    own = timed(lambda: ours(model, names, sets, target, pool, own_batch))
    stages = ", ".join(f"{name} {taken:.2f}" for name, taken in again.seconds.items())
    print(f"       {title}: by hand {hand:.2f} s, atcav {own:.2f} s, ratio {own / hand:.2f} (asked: {limit}); {stages}; host "
          f"memory at its peak {memory.peak / 1e9:.2f} GB above the inputs", flush=True)
    return own


def resnet_case():
    """(model, sets in memory, sets on the device, batch)"""
    torch.manual_seed(0)
    torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = True, False
    model = ResNet((1, 1, 1, 1) if SMALL else (3, 4, 6, 3)).eval().to(DEVICE).requires_grad_(False)
    model = model.to(memory_format=torch.channels_last) if DEVICE == "cuda" else model
    size, counts = (64, (40, 60, 20)) if SMALL else (224, (200, 2000, 200))
    sets = {}
    for role, count, grain in zip(("concept", "random", "class"), counts, (7, 28, 14)):
        coarse = torch.randn(count, 3, grain, grain)
        sets[role] = functional.interpolate(coarse, (size, size), mode="bilinear", align_corners=False).contiguous()
    there = {role: rows.to(DEVICE) for role, rows in sets.items()}
    return model, sets, there, 32 if SMALL else 256


def resnet():
    model, sets, there, batch = resnet_case()
    how = {"batch": batch, "own_batch": batch if SMALL else None, "tolerance": 2e-2 if DEVICE == "cuda" else 1e-4}
    compare("ResNet-50 layer3, inputs in memory", model, ["layer3"], sets, limit=1.3, **how)
    one = compare("ResNet-50 layer3, inputs on the device", model, ["layer3"], there, limit=1.5, **how)
    four = compare("ResNet-50 four layers, inputs on the device", model, ["layer1", "layer2", "layer3", "layer4"], there,
                   limit=1.5, **{**how, "own_batch": batch})
    print(f"       four layers take {four / one:.2f} times one layer (asked: 2)", flush=True)


def llama_case():
    """(model, sets)"""
    torch.manual_seed(0)
    small = {"width": 64, "layers": 3, "heads": 4, "shared": 2, "inner": 128, "tokens": 100}
    with torch.device(DEVICE) if hasattr(torch.device, "__enter__") else torch.no_grad():
        model = Llama(**small) if SMALL else Llama()
    model = model.eval().to(DEVICE, torch.bfloat16).requires_grad_(False)
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            parameter.normal_(0, 0.02)
    tokens, length, counts = (100, 16, (20, 30, 10)) if SMALL else (32000, 128, (150, 2000, 150))
    sets = {role: torch.randint(tokens * k // 8, tokens, (count, length))
            for k, (role, count) in enumerate(zip(("random", "concept", "class"), counts))}
    return model, sets


def llama():
    model, sets = llama_case()
    print(f"       {sum(p.numel() for p in model.parameters()) / 1e9:.2f} B parameters", flush=True)
    # bf16 has 8 binary digits: what differs in batching may differ by that.
    how = {"pool": True, "batch": 64, "own_batch": 64, "tolerance": 2e-2}
    count = len(model.layers)
    one = compare("Llama-style, one layer", model, [f"layers.{count // 2}"], sets, limit=1.2, **how)
    every = compare(f"Llama-style, {count} residual streams", model, [f"layers.{i}" for i in range(count)], sets, limit=1.2, **how)
    print(f"       {count} residual streams take {every / one:.2f} times one layer (asked: 1.5)", flush=True)


def main() -> int:
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    print(f"{name}, {len(os.sched_getaffinity(0))} cores, torch {torch.__version__}, atcav {atcav.__version__}", flush=True)
    for part in (resnet, llama):
        if part.__name__ in sys.argv[1:] or not {"resnet", "llama"} & set(sys.argv[1:]):
            part()
            if DEVICE == "cuda":
                torch.cuda.empty_cache()
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
