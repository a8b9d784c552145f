"""Captum and atcav.captum in one run on the same data: the same code, only the import differs.

Same structure; sign counts of the same CAVs equal to 1e-6; times beside each other, of the clock and of the processor, the
shorter of two runs each. A small ResNet, 2 layers, 2 concepts, 10 random sets. Exit status 1 where something differs or
atcav takes more than a fifth of the processor's time.
"""
import importlib
import os
import sys
import tempfile
import time
import warnings

for _library in ("OMP", "OPENBLAS"):  # seconds of the processor are compared: no thread may spin
    os.environ[f"{_library}_NUM_THREADS"] = "1"
import torch  # noqa: E402

LAYERS = ["layer1", "layer2"]
SIDE = 64


class Block(torch.nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(out)
        self.conv2 = torch.nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(out)
        self.relu = torch.nn.ReLU(inplace=True)
        self.down = torch.nn.Conv2d(channels, out, 1, stride, bias=False)

    def forward(self, x):
        return self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))) + self.down(x))


class SmallResNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, 1, 1)
        self.layer1 = Block(8, 16, 2)
        self.layer2 = Block(16, 32, 2)
        self.fc = torch.nn.Linear(32, 10)

    def forward(self, x):
        return self.fc(self.layer2(self.layer1(self.stem(x))).mean((2, 3)))


def batches(seed: int, shift: float, rows: int):
    draw = torch.Generator().manual_seed(seed)
    return torch.utils.data.DataLoader(torch.randn(rows, 3, SIDE, SIDE, generator=draw) + shift, batch_size=25)


def analysis(package: str, model, save_path: str, random_sets: int = 10, rows: int = 100):
    """What a user of Captum writes."""
    concept = importlib.import_module(package)
    stripes = concept.Concept(0, "stripes", batches(1, 0.3, rows))
    dots = concept.Concept(1, "dots", batches(2, -0.2, rows))
    randoms = [concept.Concept(2 + k, f"random_{k}", batches(10 + k, 0, rows)) for k in range(random_sets)]
    sets = [[one, random] for one in (stripes, dots) for random in randoms]
    zebras = torch.randn(50, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(99)) + 0.1
    started = time.monotonic(), time.process_time()
    tcav = concept.TCAV(model, LAYERS, save_path=save_path)
    scores = tcav.interpret(zebras, sets, target=3)
    return scores, tcav.cavs, (time.monotonic() - started[0], time.process_time() - started[1])


def timed(package: str, model, save_path: str):
    """(scores, CAVs, (seconds of the clock, of the processor))"""
    with tempfile.TemporaryDirectory() as folder:
        first = analysis(package, model, folder)[2]
    scores, cavs, second = analysis(package, model, save_path)
    return scores, cavs, tuple(map(min, first, second))


def check(fine: bool, what: str) -> None:
    print(("ok   " if fine else "FAIL ") + what)
    if not fine:
        sys.exit(1)


def difference(a, b, key: str) -> float:
    return max(float((a[name][layer][key] - b[name][layer][key]).abs().max()) for name in a for layer in a[name])


def main() -> None:
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    model = SmallResNet().eval()
    for package in ("atcav.captum", "captum.concept"):  # imports and first allocations are nobody's speed
        with tempfile.TemporaryDirectory() as folder:
            analysis(package, model, folder, random_sets=1, rows=10)
    with tempfile.TemporaryDirectory() as theirs, tempfile.TemporaryDirectory() as ours:
        ours_scores, ours_cavs, ours_seconds = timed("atcav.captum", model, ours)
        their_scores, their_cavs, their_seconds = timed("captum.concept", model, theirs)
        again, _, _ = analysis("atcav.captum", model, theirs)  # loads the CAVs that Captum saved
    check(set(their_scores) == set(ours_scores), "the same sets")  # Captum's order is that of an unstable sort
    check(all(list(their_scores[name]) == list(ours_scores[name]) for name in their_scores), "the same layers")
    for name, by_layer in their_scores.items():
        for layer, scores in by_layer.items():
            own = ours_scores[name][layer]
            assert list(scores) == list(own), (list(scores), list(own))
            assert all(scores[key].shape == own[key].shape and scores[key].dtype == own[key].dtype for key in scores)
            mine, other = ours_cavs[name][layer], their_cavs[name][layer]
            assert [c.id for c in mine.concepts] == [c.id for c in other.concepts]
            assert set(other.stats) == set(mine.stats) and list(other.stats["classes"]) == list(mine.stats["classes"])
            assert other.stats["weights"].shape == mine.stats["weights"].shape
    check(True, "scores and CAVs have the same structure, shapes and types")
    counts, sizes = difference(their_scores, again, "sign_count"), difference(their_scores, again, "magnitude")
    check(counts < 1e-6, f"sign counts of the same CAVs differ by {counts:.1e}")
    check(sizes < 1e-3, f"magnitudes of the same CAVs differ by {sizes:.1e}")
    cosine = min(float(torch.nn.functional.cosine_similarity(
        ours_cavs[name][layer].stats["weights"][1].flatten().float(),
        their_cavs[name][layer].stats["weights"][1].flatten().float(), dim=0))
        for name in their_scores for layer in LAYERS)
    print(f"smallest cosine between a CAV of Captum's (stochastic) and ours (exact): {cosine:.2f}")
    for what, theirs, ours in zip(("clock", "processor"), their_seconds, ours_seconds):
        print(f"seconds of the {what}: Captum {theirs:.2f}, atcav.captum {ours:.2f}, {theirs / ours:.1f} times as fast")
    check(their_seconds[1] >= 5 * ours_seconds[1], "at least 5 times as fast")


if __name__ == "__main__":
    main()
