"""How far Captum's scores move with the random set, on the demo's network, where the truth is known.

    captum_spread.py PROGRAM WORK

Captum's TCAV score of each concept for each class at block4, five times: each time against 96 other random pictures,
drawn by `atcav demo --seed 1` to `5`; class and concept pictures stay those of the first. README.md shows a part of this
beside what atcav says of the first draw. Needs torch, onnx, captum, Pillow (tests/pypi/environment.sh).
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import torch
from captum.concept import TCAV, Concept
from onnx import numpy_helper
from PIL import Image

CLASSES, CONCEPTS, LAYER = ("zebra", "leopard", "horse"), ("striped", "dotted", "left", "red"), "block4"


class Network(torch.nn.Sequential):
    """demo.onnx layer by layer; its convolutions hold their normalisation already."""

    def __init__(self, path):
        model = onnx.load(str(path))
        weights = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in model.graph.initializer}
        strides, parts, names = iter((1, 2, 1, 2, 2)), {}, iter(("grey", "block1", "block2", "block3", "block4"))
        for node in (node for node in model.graph.node if node.op_type == "Conv"):
            weight = weights[node.input[1]]
            conv = torch.nn.Conv2d(weight.shape[1], weight.shape[0], weight.shape[2], next(strides), weight.shape[2] // 2,
                                   bias=len(node.input) > 2)
            conv.weight.data = weight
            if len(node.input) > 2:
                conv.bias.data = weights[node.input[2]]
            name = next(names)
            parts[name] = conv if name == "grey" else torch.nn.Sequential(conv, torch.nn.ReLU())
        parts["pool"] = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        for name in ("hidden.0", "head"):
            linear = torch.nn.Linear(*reversed(weights[name + ".weight"].shape))
            linear.weight.data, linear.bias.data = weights[name + ".weight"], weights[name + ".bias"]
            parts[name.replace(".0", "")] = torch.nn.Sequential(linear, torch.nn.ReLU()) if name != "head" else linear
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)
        self.eval()


def pictures(folder, most=None):
    files = sorted(folder.glob("*.png"))
    pick = files if most is None else files[:most]
    return torch.stack([torch.tensor(np.asarray(Image.open(file).convert("RGB"))).permute(2, 0, 1) / 255 for file in pick])


def batches(rows):
    return torch.utils.data.DataLoader(rows, batch_size=48)


def results(folder):
    return [r for r in json.loads((folder / "results.json").read_text())["results"] if r["layer"] == LAYER]


def main(program, work):
    work = pathlib.Path(work)
    for seed in range(1, 6):
        subprocess.run([program, "demo", "-q", "--seed", str(seed), "-o", str(work / str(seed))], check=True)
    first = work / "1"
    model = Network(first / "demo.onnx")
    with torch.no_grad():
        for index, name in enumerate(CLASSES):
            right = (model(pictures(first / "images" / name)).argmax(1) == index).float().mean()
            assert right == 1, f"{name}: {right} of the pictures are recognised, the program says all"
    concepts = [Concept(i, name, batches(pictures(first / "images" / name))) for i, name in enumerate(CONCEPTS)]
    scores = {}
    for seed in range(1, 6):
        other = Concept(100 + seed, f"random_{seed}", batches(pictures(work / str(seed) / "images/random", 96)))
        with tempfile.TemporaryDirectory() as folder:
            for index, name in enumerate(CLASSES):
                for fix in (torch.manual_seed, np.random.seed, random.seed):
                    fix(0)  # Captum's own dice fall alike: only the random pictures differ
                tcav = TCAV(model, [LAYER], save_path=folder)
                found = tcav.interpret(pictures(first / "images" / name), [[one, other] for one in concepts], target=index)
                for one in concepts:
                    score = found[f"{one.id}-{other.id}"][LAYER]["sign_count"][0].item()
                    scores.setdefault((one.name, name), []).append(score)
    ours = {(r["concept"], r["class"]): r for r in results(first)}
    for key, list_ in scores.items():
        effect, p = ours[key]["effect"], ours[key]["significance"]["bonferroni"]
        print(f"{key[0]:8} {key[1]:8} Captum {' '.join(f'{s:.2f}' for s in list_)}   atcav d {effect['d']:+.2f} "
              f"[{effect['d_low']:+.2f}, {effect['d_high']:+.2f}], p {p:.3g}", flush=True)
    for concept, name in scores:
        ds = [r["effect"]["d"] for seed in range(1, 6) for r in results(work / str(seed)) if (r["concept"], r["class"]) == (concept, name)]
        print(f"{concept:8} {name:8} atcav, all drawn anew: d {' '.join(f'{d:+.2f}' for d in ds)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
