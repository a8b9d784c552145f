#!/usr/bin/env python3
"""Trains the demo's network and writes demo.onnx beside this script.

    cmake --preset dev && ninja -C build draw_images && /usr/bin/python3 examples/demo/train.py

Needs Debian's python3-torch and python3-numpy; about two minutes on two cores. Seeds are fixed, so the
network is the same again on the same machine and PyTorch.
"""
import argparse
import pathlib

import numpy as np
import torch
from torch import nn

from network import CLASSES, SIDE, DemoNetwork
from pictures import ROOT, pictures

SEED = 7
TRAIN_PICTURES, TEST_PICTURES = 1200, 400  # for each class; test pictures have a seed of their own


def labelled(names, count, seed, build):
    """Pictures and, for each class, whether they show it; "neither" shows none."""
    x = torch.from_numpy(np.concatenate([pictures(name, count, seed, build) for name in names]))
    return x, torch.eye(len(names), len(CLASSES)).repeat_interleave(count, 0)


def train(net, x, y, epochs, batch=32):
    steps = epochs * (len(x) // batch)
    optimiser = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    loss_of = nn.BCEWithLogitsLoss()  # each logit is one class against the rest
    net.train()
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x))[: len(x) // batch * batch].split(batch):
            loss = loss_of(net(x[rows]), 0.05 + 0.9 * y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * batch / len(x)
        print(f"epoch {epoch + 1}: loss {total:.3f}", flush=True)
    net.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--epochs", default=7, type=int)
    options = parser.parse_args()

    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    net = DemoNetwork()
    train(net, *labelled(CLASSES + ["neither"], TRAIN_PICTURES, SEED, options.build), options.epochs)
    x, y = labelled(CLASSES, TEST_PICTURES, SEED + 1, options.build)
    with torch.no_grad():
        right = (net(x).argmax(1) == y.argmax(1)).float()
    print(f"test accuracy {right.mean():.4f} on {len(y)} pictures;",
          ", ".join(f"{name} {right[y[:, k] == 1].mean():.3f}" for k, name in enumerate(CLASSES)))
    path = pathlib.Path(__file__).parent / "demo.onnx"
    torch.onnx.export(net, torch.zeros(1, 3, SIDE, SIDE), path, opset_version=13, input_names=["image"],
                      output_names=["logits"], dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
