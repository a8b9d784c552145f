#!/usr/bin/env python3
"""Where the time of bench/python_gpu.py's runs goes.

    python_profile.py [host] [device] [four] [one] [streams] [--small]      (PYTHONPATH: BUILD/python)

Of each run: stages, what C++ calls in Python (number, seconds within, seconds of its own), then once more under
torch.profiler: calls of the CUDA runtime that wait or copy, kernels, and under cProfile: functions by their own time.
"""
import contextlib
import cProfile
import io
import pstats
import sys
import time

import python_gpu
import torch
from python_gpu import DEVICE, SMALL

from atcav import _examples, _hooked, _look, _network, _pass, _pool

CALLS = {}  # name: [number, seconds within, seconds of its own]
STACK = []


def timed(name, function):
    def wrapper(*arguments, **keywords):
        begun = time.perf_counter()
        STACK.append(0.0)
        try:
            return function(*arguments, **keywords)
        finally:
            taken, inner = time.perf_counter() - begun, STACK.pop()
            entry = CALLS.setdefault(name, [0, 0.0, 0.0])
            entry[0], entry[1], entry[2] = entry[0] + 1, entry[1] + taken, entry[2] + taken - inner
            if STACK:
                STACK[-1] += taken
    return wrapper


WATCHED = [(_network.TorchNetwork, "__init__ activations activations_with_logits gradients _rows _handed"),
           (_look.FirstLook, "_look _check_apart"), (_hooked.HookedModel, "__enter__ __exit__ _run _moved _call _versions"),
           (_pass.TorchPass, "__init__ add continue_at _multiply _products_of centre take_projections take_group_sums take_squares "
                             "scored_products gradient_products gram"),
           (_pass, "to_host to_device"), (_examples.Examples, "read"), (_examples, "row_hashes"), (_network, "fingerprint"),
           (_pool, "pooled")]


@contextlib.contextmanager
def watched():
    before = [(owner, name, getattr(owner, name)) for owner, names in WATCHED for name in names.split()]
    for owner, name, function in before:
        setattr(owner, name, timed(f"{getattr(owner, '__name__', owner).split('.')[-1]}.{name}", function))
    _hooked.to_device = _pass.to_device
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)
        _hooked.to_device = _pass.to_device


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def show_calls(run) -> None:
    for _ in range(2):  # the second counts
        CALLS.clear()
        wait()
        begun = time.perf_counter()
        with watched():
            found = run()
        wait()
        whole = time.perf_counter() - begun
    print(f"  whole {whole:.3f} s; " + ", ".join(f"{name} {taken:.3f}" for name, taken in found.seconds.items()))
    for name, (number, within, own) in sorted(CALLS.items(), key=lambda item: -item[1][2])[:30]:
        print(f"  {name:45} {number:6} {within:8.4f} {own:8.4f}")


def show_device(run) -> None:
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        run()
        wait()
    rows = found.key_averages()
    def device_time(row):
        return getattr(row, "self_device_time_total", getattr(row, "self_cuda_time_total", 0))
    runtime = [row for row in rows if row.key.startswith("cuda") or row.key in ("aten::item", "aten::_local_scalar_dense")]
    print("  runtime                                       number  seconds (host)")
    for row in sorted(runtime, key=lambda row: -row.self_cpu_time_total)[:14]:
        print(f"  {row.key:45} {row.count:6} {row.self_cpu_time_total / 1e6:8.4f}")
    kernels = [row for row in rows if device_time(row) > 0 and row.self_cpu_time_total == 0]
    print(f"  device: {sum(map(device_time, kernels)) / 1e6:.3f} s in {sum(row.count for row in kernels)} kernels and copies")
    for row in sorted(kernels, key=lambda row: -device_time(row))[:14]:
        print(f"  {row.key[:70]:70} {row.count:6} {device_time(row) / 1e6:8.4f}")


def show_functions(run) -> None:
    profiler, text = cProfile.Profile(), io.StringIO()
    profiler.runcall(run)
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(22)
    print("\n".join(line for line in text.getvalue().splitlines()[4:] if line.strip()))


def profile_run(title, model, names, sets, target=3, pool=False, batch=None) -> None:
    def run():
        return python_gpu.ours(model, names, sets, target, pool, batch)
    print(f"== {title}", flush=True)
    hand = python_gpu.timed(lambda: python_gpu.by_hand(model, names, sets, target, pool, batch or 256))
    print(f"  by hand {hand:.3f} s, atcav {python_gpu.timed(run):.3f} s")
    show_calls(run)
    if DEVICE == "cuda":
        show_device(run)
    show_functions(run)
    sys.stdout.flush()


def main() -> None:
    wanted = {name for name in sys.argv[1:] if not name.startswith("-")} or {"host", "device", "four", "one", "streams"}
    if wanted & {"host", "device", "four"}:
        model, sets, there, batch = python_gpu.resnet_case()
        if "host" in wanted:
            profile_run("ResNet-50 layer3, inputs in memory", model, ["layer3"], sets)
        if "device" in wanted:
            profile_run("ResNet-50 layer3, inputs on the device", model, ["layer3"], there)
        if "four" in wanted:
            profile_run("ResNet-50 four layers", model, ["layer1", "layer2", "layer3", "layer4"], there, batch=batch)
        del model, sets, there
    if wanted & {"one", "streams"}:
        model, sets = python_gpu.llama_case()
        count = len(model.layers)
        if "one" in wanted:
            profile_run("Llama-style, one layer", model, [f"layers.{count // 2}"], sets, pool=True, batch=64)
        if "streams" in wanted:
            profile_run(f"Llama-style, {count} streams", model, [f"layers.{i}" for i in range(count)], sets, pool=True, batch=64)


if __name__ == "__main__":
    print(f"{torch.cuda.get_device_name() if DEVICE == 'cuda' else 'CPU'}, torch {torch.__version__}, small: {SMALL}")
    main()
