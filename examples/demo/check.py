#!/usr/bin/env python3
"""Checks the demo's ground truth without atcav: demo.onnx run by PyTorch, statistics in NumPy.

    /usr/bin/python3 examples/demo/check.py --seeds 20

Prints, for every layer, concept and class, mean ± sd over seeds of TCAV, alpha-TCAV (dagger, sigma effective),
the empirical-Bayes posterior and the effect (mean sensitivity: first-order change of the logit from a random
patch to one of the concept), and how often a permutation test calls the effect significant; then held-out accuracy
and AUC. The truth these are held against is apps/demo/finding.cpp.
"""
import argparse
import collections
import pathlib

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from scipy.special import expit
from scipy.stats import norm, rankdata
from torch.nn import functional as F

from network import CLASSES
from pictures import ROOT, pictures

CONCEPTS = ["striped", "dotted", "left", "red"]


def nodes_of(path):
    graph = onnx.load(path).graph
    weights = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    return [(node, [weights[name] for name in node.input if name in weights]) for node in graph.node]


def apply(node, weights, x):
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv":
        return F.conv2d(x, *weights, stride=attributes["strides"], padding=attributes["pads"][:2])
    if node.op_type == "Relu":
        return F.relu(x)
    if node.op_type == "GlobalAveragePool":
        return x.mean((2, 3), keepdim=True)
    if node.op_type == "Flatten":
        return x.flatten(1)
    if node.op_type == "Gemm":
        return F.linear(x, *weights)
    raise ValueError(f"unexpected op {node.op_type}")


def run(nodes, x, layers):
    """Logits and the last tensor of each module in `layers`."""
    kept = {}
    for node, weights in nodes:
        x = apply(node, weights, x)
        for layer in layers:
            if node.name.startswith(f"/{layer}/"):
                kept[layer] = x
                if x.requires_grad:
                    x.retain_grad()
    return x, kept


def activations(nodes, x, layers):
    with torch.no_grad():
        kept = run(nodes, torch.from_numpy(x), layers)[1]
    return {layer: a.flatten(1).numpy().astype(float) for layer, a in kept.items()}


def gradients(nodes, x, layers, k):
    logits, kept = run(nodes, torch.from_numpy(x).requires_grad_(), layers)
    logits[:, k].sum().backward()
    return {layer: a.grad.flatten(1).numpy().astype(float) for layer, a in kept.items()}


def scores(s, se):
    """TCAV, alpha dagger (sigma effective), empirical Bayes, effect."""
    dagger = expit(s / (s.std() * np.sqrt(np.pi / 8) + 1e-12)).mean()
    tau2 = max(0.0, (s**2 - se**2).mean())
    bayes = norm.cdf(s / se * np.sqrt(tau2 / (tau2 + se**2))).mean()
    return np.array([(s > 0).mean(), dagger, bayes, s.mean()])


def permutation_p(p_random, p_concept, rng, count=199):
    """Of the effect, under shuffled labels."""
    n1, n2 = p_random.shape[1], p_concept.shape[1]
    label = np.r_[np.full(n1, -1 / n1), np.full(n2, 1 / n2)]
    labels = np.column_stack([label] + [rng.permutation(label) for _ in range(count)])
    effect = abs((np.hstack([p_random, p_concept]).mean(0) @ labels))
    return (effect >= effect[0]).mean()


def held_out(x1, x2, rng, folds=5):
    """Balanced accuracy (threshold half-way between the training means) and AUC of rows the CAV has not seen."""
    fold1, fold2 = rng.permutation(len(x1)) % folds, rng.permutation(len(x2)) % folds
    right, aucs = [], []
    for k in range(folds):
        m1, m2 = x1[fold1 != k].mean(0), x2[fold2 != k].mean(0)
        g1, g2 = ((x - (m1 + m2) / 2) @ (m2 - m1) for x in (x1[fold1 == k], x2[fold2 == k]))
        right.append(((g1 < 0).mean() + (g2 > 0).mean()) / 2)
        ranks = rankdata(np.r_[g1, g2])[len(g1):].sum()
        aucs.append((ranks - len(g2) * (len(g2) + 1) / 2) / (len(g1) * len(g2)))
    return np.array([np.mean(right), np.mean(aucs)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--seeds", default=20, type=int)
    parser.add_argument("--layers", default="block3,block4,pool")
    parser.add_argument("--random", default=240, type=int)
    parser.add_argument("--per-concept", default=96, type=int)
    parser.add_argument("--per-class", default=60, type=int)
    options = parser.parse_args()
    layers = options.layers.split(",")
    nodes = nodes_of(pathlib.Path(__file__).parent / "demo.onnx")
    found, encoded = collections.defaultdict(list), collections.defaultdict(list)
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        draw = lambda name, count: pictures(name, count, seed, options.build)  # noqa: E731
        z = {name: gradients(nodes, draw(name, options.per_class), layers, k) for k, name in enumerate(CLASSES)}
        x1 = activations(nodes, draw("random", options.random), layers)
        for concept in CONCEPTS:
            x2 = activations(nodes, draw(concept, options.per_concept), layers)
            for layer in layers:
                encoded[layer, concept].append(held_out(x1[layer], x2[layer], rng))
                for name in CLASSES:
                    p1, p2 = z[name][layer] @ x1[layer].T, z[name][layer] @ x2[layer].T
                    se = np.sqrt(p1.var(1, ddof=1) / p1.shape[1] + p2.var(1, ddof=1) / p2.shape[1])
                    row = scores(p2.mean(1) - p1.mean(1), se)
                    found[layer, concept, name].append(np.r_[row, permutation_p(p1, p2, rng)])

    print(f"{'layer':8}{'concept':9}{'class':9}{'TCAV':>12}{'dagger':>13}{'emp. Bayes':>13}{'effect':>15}   p<.05")
    for (layer, concept, name), rows in sorted(found.items(), key=lambda item: layers.index(item[0][0])):
        mean, sd = np.mean(rows, 0), np.std(rows, 0)
        cells = "".join(f"{mean[i]:8.2f} ± {sd[i]:.2f}"[-13:].rjust(13) for i in range(3))
        share = np.mean(np.array(rows)[:, 4] < 0.05)
        print(f"{layer:8}{concept:9}{name:9}{cells}{mean[3]:9.2f} ± {sd[3]:.2f}   {share:.2f}")
    for (layer, concept), rows in encoded.items():
        mean, sd = np.mean(rows, 0), np.std(rows, 0)
        print(f"{layer:8}{concept:9}accuracy {mean[0]:.2f} ± {sd[0]:.2f}  AUC {mean[1]:.2f} ± {sd[1]:.2f}")


if __name__ == "__main__":
    main()
