#!/usr/bin/env python3
"""What atcav does with a GPU, beside PyTorch on the same one; bench/gpu.sh builds and runs it.

    gpu.py BUILD [jpegs] [array] [forward] [gram] [vary_s] [failures] [cpu]

ResNet-50 with random weights and pictures of blurred noise (JPEG, 224 x 224). Times are those of one run, without the
start of the process; the hand-written side is what a careful user writes in a page: all cores decode, channels last,
activations added up on the GPU.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torchvision

from model_speed import export, make_model

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CORES = len(os.sched_getaffinity(0))
FAILED = []


def check(holds: bool, text: str) -> None:
    print(("ok     " if holds else "WRONG  ") + text, flush=True)
    if not holds:
        FAILED.append(text)


def draw(folder: pathlib.Path, counts: dict) -> None:
    """Blurred noise, another blur for each set."""
    generator = torch.Generator().manual_seed(1)
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for size, (name, count) in zip((7, 28, 14), counts.items()):
            (folder / name).mkdir(parents=True)
            for first in range(0, count, 250):
                coarse = torch.rand((min(250, count - first), 3, size, size), generator=generator)
                fine = torch.nn.functional.interpolate(coarse, (224, 224), mode="bilinear", align_corners=False)
                pictures = (255 * fine).to(torch.uint8)
                list(pool.map(lambda i: torchvision.io.write_jpeg(
                    pictures[i], str(folder / name / f"{first + i:05}.jpg"), quality=95), range(len(pictures))))


class ByHand:
    """TCAV with a pattern CAV at layer3, in a page of PyTorch."""

    def __init__(self, model: torch.nn.Module, precision: str, layer: str = "layer3"):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
        self.dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        model = model.to("cuda", self.dtype, memory_format=torch.channels_last)
        parts = list(model.named_children())
        at = [name for name, _ in parts].index(layer) + 1
        self.head = [part for _, part in parts[:at]]
        self.tail = [part for name, part in parts[at:] if name != "fc"]
        self.fc = dict(parts)["fc"]
        self.mean = torch.tensor(MEAN, device="cuda").view(3, 1, 1)
        self.std = torch.tensor(STD, device="cuda").view(3, 1, 1)

    def blocks(self, folder: pathlib.Path, batch: int = 256):
        files = sorted(folder.iterdir())
        read = lambda file: torchvision.io.decode_jpeg(torchvision.io.read_file(str(file)))
        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            pending = [pool.submit(read, file) for file in files]
            for first in range(0, len(files), batch):
                bytes_ = torch.stack([job.result() for job in pending[first:first + batch]]).pin_memory()
                x = (bytes_.to("cuda", non_blocking=True).float() / 255 - self.mean) / self.std
                yield x.to(self.dtype, memory_format=torch.channels_last)

    def to_layer(self, x):
        with torch.no_grad():
            for part in self.head:
                x = part(x)
        return x

    def mean_activation(self, folder):
        total, count = 0, 0
        for x in self.blocks(folder):
            total, count = total + self.to_layer(x).float().flatten(1).sum(0, dtype=torch.float64), count + len(x)
        return total / count

    def sensitivities(self, folder: pathlib.Path, target: int = 340):
        direction = self.mean_activation(folder / "concept") - self.mean_activation(folder / "random")
        found = []
        for x in self.blocks(folder / "zebra"):
            at = self.to_layer(x).detach().requires_grad_(True)
            y = at
            for part in self.tail:
                y = part(y)
            slope, = torch.autograd.grad(self.fc(y.flatten(1))[:, target].sum(), at)
            found.append(slope.float().flatten(1).double() @ direction)
        return torch.cat(found).cpu().numpy()


def run_atcav(build, folder, out, *extra, **environment):
    command = [build / "atcav", "run", "--model", folder.parent / "resnet50.onnx", "--layer", "layer3", "--class",
               f"zebra:340={folder / 'zebra'}", "--concept", f"noise={folder / 'concept'}", "--random",
               folder / "random", "-o", out, "-q", *extra]
    start = time.perf_counter()
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=90,
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "not done after 90 s"), None, 90
    total, ended = time.perf_counter() - start, time.time()
    if done.returncode != 0:
        return done, None, total
    # timings.json is the last that a run writes.
    done.exit_seconds = ended - (out / "timings.json").stat().st_mtime
    return done, json.loads((out / "timings.json").read_text())["seconds"], total


def without_open(seconds):
    """Libraries, the GPU's context and the network are loaded in the stage `open`."""
    return sum(seconds.values()) - seconds["open"]


def results_of(out):
    return json.loads((out / "results.json").read_text())["results"][0]


def jpegs(build, top, model):
    for counts in ({"concept": 500, "random": 4000, "zebra": 500}, {"concept": 50, "random": 500, "zebra": 50}):
        images = sum(counts.values())
        folder = top / f"jpegs{images}"
        if not folder.exists():
            draw(folder, counts)
        eager = {}
        for precision in ("fp32", "tf32", "bf16"):
            by_hand = ByHand(make_model(), precision)
            by_hand.sensitivities(folder)
            torch.cuda.synchronize()
            start = time.perf_counter()
            eager[precision] = by_hand.sensitivities(folder)
            took = time.perf_counter() - start
            torch.cuda.empty_cache()
            out = top / f"out{images}{precision}"
            run_atcav(build, folder, out, "--device", "cuda", "--precision", precision)
            first = (out / "results.json").read_bytes()
            done, seconds, total = run_atcav(build, folder, out, "--device", "cuda", "--precision", precision)
            if seconds is None:
                check(False, f"{images} JPEGs {precision}: {done.stderr.strip()}")
                continue
            check((out / "results.json").read_bytes() == first, f"{images} JPEGs {precision}: two runs give the same bytes")
            ours = np.array(results_of(out)["sensitivities"])
            errors = np.abs(ours - eager[precision]) / np.abs(eager[precision]).max()
            limit = {"fp32": 1e-4, "tf32": 2e-2, "bf16": 0.2}[precision]
            check(np.median(errors) < limit, f"{images} JPEGs {precision}: sensitivities beside PyTorch, of the largest: "
                  f"median {np.median(errors):.1e} (at most {limit}), worst {errors.max():.1e}")
            stages = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items())
            print(f"       {images} JPEGs {precision}: atcav {sum(seconds.values()):.2f} s, {without_open(seconds):.2f} s without "
                  f"open ({stages}; with start {total:.2f}, of it the exit {done.exit_seconds:.2f}), "
                  f"PyTorch by hand {took:.2f} s, ratio {sum(seconds.values()) / took:.2f}", flush=True)
        interventions(build, top, folder, images)
    folder = top / "jpegs600"
    run_atcav(build, folder, top / "cpu", "--device", "cpu")
    run_atcav(build, folder, top / "gpu", "--device", "cuda")
    run_atcav(build, folder, top / "gpu_host", "--device", "cuda", "--cache", top / "cache")
    cpu, gpu, host = (np.array(results_of(top / name)["sensitivities"]) for name in ("cpu", "gpu", "gpu_host"))
    difference = np.abs(gpu - host).max() / np.abs(host).max()
    check(difference < 1e-6, f"the pass on the GPU and on the host differ by {difference:.1e} of the largest sensitivity")
    tried = [[at["intervention"]["random"]["odd"][-1], at["intervention"]["random"]["error"]["examples"][-1], at["erasure"]["change"],
              at["erasure"]["error"]["examples"], at["erasure"]["control"]["sd"]] for at in (results_of(top / "cpu"), results_of(top / "gpu"))]
    apart = max(abs(a - b) / abs(a) for a, b in zip(*tried))
    check(apart < 1e-3, f"adding and erasing on the GPU and on the CPU (fp32) differ by {apart:.1e}")
    print(f"       the network on the GPU and on the CPU (fp32): median {np.median(np.abs(gpu - cpu)) / np.abs(cpu).max():.1e}, "
          f"worst {np.abs(gpu - cpu).max() / np.abs(cpu).max():.1e} of the largest sensitivity")


def interventions(build, top, folder, images):
    """What adding directions costs, and taking concepts away too: the least of three rounds, one beside the other."""
    kinds = {"without interventions": ["--no-intervene"], "adding": ["--no-erase"], "adding and erasing": []}
    rounds = [{kind: run_atcav(build, folder, top / "stages", "--device", "cuda", "--precision", "tf32", *flags)[1]
               for kind, flags in kinds.items()} for _ in range(3)]
    total = {kind: min(sum(one[kind].values()) for one in rounds) for kind in kinds}
    analysis = {kind: min(one[kind]["analyse"] for one in rounds) for kind in kinds}
    for kind in kinds:
        print(f"       {images} JPEGs tf32 {kind}: {total[kind]:.2f} s, {total[kind] / total['without interventions']:.2f} of "
              f"without, {total[kind] / total['adding']:.2f} of adding; analysis {analysis[kind]:.2f} s", flush=True)
    _, seconds, _ = run_atcav(build, folder, top / "stages", "--device", "cuda", "--precision", "tf32", "--pool", "mean")
    print(f"       {images} JPEGs tf32 adding and erasing, pool mean: {sum(seconds.values()):.2f} s, analysis {seconds['analyse']:.2f} s",
          flush=True)


def array(build, top, model):
    folder = top / "array"
    folder.mkdir()
    rng = np.random.default_rng(0)
    block = rng.standard_normal((500, 3, 224, 224), dtype=np.float32)
    count = 19000
    values = np.lib.format.open_memmap(folder / "random.npy", "w+", np.float32, (count, 3, 224, 224))
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda i: np.add(block, np.float32(i / 100), out=values[500 * i:500 * (i + 1)]), range(count // 500)))
    del values
    np.save(folder / "concept.npy", block + np.float32(0.5))
    np.save(folder / "zebra.npy", block * np.float32(0.9))
    for precision in ("tf32", "bf16"):
        command = [build / "atcav", "run", "--model", top / "resnet50.onnx", "--layer", "layer3", "--class",
                   f"zebra:340={folder / 'zebra.npy'}", "--concept", f"noise={folder / 'concept.npy'}", "--random",
                   folder / "random.npy", "-o", top / "outarray", "-q", "--device", "cuda", "--precision", precision]
        subprocess.run(list(map(str, command)), check=True)
        seconds = json.loads((top / "outarray" / "timings.json").read_text())["seconds"]
        stages = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items())
        print(f"       20000 examples of an array, {precision}: {20000 / sum(seconds.values()):.0f} images/s, "
              f"{20000 / without_open(seconds):.0f} without open ({stages})", flush=True)


def forward(build, top, model):
    for precision in ("fp32", "tf32", "bf16"):
        done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "model_speed.py", build / "bench/model_speed",
                               "--device", "cuda", "--batch", "256", "--pool", "mean", "--precision", precision, "--repeats", "1"],
                              capture_output=True, text=True)
        check(done.returncode == 0, f"forward {precision}: answers are those of PyTorch" + (done.stderr if done.returncode else ""))
        print("\n".join("       " + line for line in done.stdout.splitlines() if "atcav" in line or "convol" in line), flush=True)


def gram(build, top, model):
    done = subprocess.run([build / "bench/device_pass_speed", "cuda"], capture_output=True, text=True)
    check(done.returncode == 0, "the pass alone" + (done.stderr if done.returncode else ""))
    print("\n".join("       " + line for line in done.stdout.splitlines()), flush=True)
    folder = top / "jpegs5000"
    if not folder.exists():
        draw(folder, {"concept": 500, "random": 4000, "zebra": 500})
    done, seconds, total = run_atcav(build, folder, top / "ridge", "--device", "cuda", "--precision", "tf32", "--cav", "ridge")
    check(seconds is not None and sum(seconds.values()) < 10, "ridge, 5000 JPEGs, under 10 s: " + (f"{seconds}, {total:.2f} s with start" if seconds else done.stderr))


def vary_s(build, top, model):
    folder = top / "vary"
    draw(folder, {"concept": 120, "random": 1000, "zebra": 100})
    start = time.perf_counter()
    done = subprocess.run(list(map(str, [build / "atcav", "paper", "-o", top / "paper", "--only", "vary-s", "--repeats", 50,
                                         "--quiet", "--model", top / "resnet50.onnx", "--layer", "layer2", "--class",
                                         f"zebra:340={folder / 'zebra'}", "--concept", f"noise={folder / 'concept'}",
                                         "--random", folder / "random", "--device", "cuda", "--precision", "tf32"])),
                          capture_output=True, text=True)
    took = time.perf_counter() - start
    check(done.returncode == 0 and took < 2, f"vary-s from JPEGs to the table under 2 s: {took:.2f} s with start, "
          f"{done.stderr.strip()[-300:]}")


def failures(build, top, model):
    folder = top / "jpegs600"
    if not folder.exists():
        draw(folder, {"concept": 50, "random": 500, "zebra": 50})
    out = top / "failed"
    done, _, _ = run_atcav(build, folder, out, "--device", "cuda", CUDA_VISIBLE_DEVICES="")
    check(done.returncode != 0 and not out.exists(), "no card: " + done.stderr.strip())
    done, _, _ = run_atcav(build, folder, out, "--device", "cuda:7")
    check(done.returncode != 0 and not out.exists(), "a card that is not there: " + done.stderr.strip())
    done, _, _ = run_atcav(build, folder, top / "two", "--device", "cuda:0,cuda:0")
    done2, _, _ = run_atcav(build, folder, top / "one", "--device", "cuda:0")
    same = done.returncode == 0 and results_of(top / "two")["sensitivities"] == results_of(top / "one")["sensitivities"]
    check(same, "blocks dealt to two networks give the sensitivities of one" + done.stderr)
    free, _ = torch.cuda.mem_get_info()
    hold = torch.empty(free - (7 << 28), dtype=torch.uint8, device="cuda")
    done, seconds, _ = run_atcav(build, folder, top / "small", "--device", "cuda", "--batch", "256")
    del hold
    torch.cuda.empty_cache()
    check(seconds is not None, "1.75 GB of memory: " + (done.stderr + done.stdout).strip()[-400:])


def cpu(build, top, model):
    """fp32 and bf16 on the processors beside the GPU, where those have bf16."""
    folder = top / "jpegs600"
    if not folder.exists():
        draw(folder, {"concept": 50, "random": 500, "zebra": 50})
    found = {}
    for precision in ("fp32", "bf16"):
        done, seconds, _ = run_atcav(build, folder, top / f"cpu{precision}", "--precision", precision)
        if seconds is None:
            print(f"       CPU {precision}: {done.stderr.strip()}")
            continue
        found[precision] = results_of(top / f"cpu{precision}")
        print(f"       600 JPEGs on the CPU, {precision}: {sum(seconds.values()):.2f} s, TCAV {found[precision]['tcav']:.3f}", flush=True)
    if len(found) == 2:
        fp32, bf16 = (np.array(found[precision]["sensitivities"]) for precision in ("fp32", "bf16"))
        print(f"       sensitivities of bf16 differ by {np.median(np.abs(bf16 - fp32)) / np.abs(fp32).max():.1e} of the largest (median), "
              f"{np.abs(bf16 - fp32).max() / np.abs(fp32).max():.1e} (worst)")


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    parts = {part.__name__: part for part in (jpegs, array, forward, gram, vary_s, failures, cpu)}
    chosen = sys.argv[2:] or list(parts)
    print(f"{torch.cuda.get_device_name()}, {CORES} cores, torch {torch.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        model = make_model()
        export(model, top / "resnet50.onnx")
        for part in chosen:
            start = time.perf_counter()
            parts[part](build, top, model)
            print(f"       [{part}: {time.perf_counter() - start:.0f} s]", flush=True)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
