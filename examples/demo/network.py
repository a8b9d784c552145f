"""The demo's network: four convolutions, global average, a hidden layer, three logits. Used by train.py and check.py."""
import torch
from torch import nn

CLASSES = ["zebra", "leopard", "horse"]
SIDE = 48


class Block(nn.Module):
    def __init__(self, inputs, outputs, size, stride):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.norm(self.conv(x)))


class DemoNetwork(nn.Module):
    """`grey` is fixed: the mean of the three channels, so whatever follows cannot see colour."""

    def __init__(self):
        super().__init__()
        self.grey = nn.Conv2d(3, 1, 1, bias=False)
        self.grey.weight = nn.Parameter(torch.full((1, 3, 1, 1), 1 / 3), requires_grad=False)
        self.block1 = Block(1, 12, 5, 2)
        self.block2 = Block(12, 24, 3, 1)
        self.block3 = Block(24, 32, 3, 2)
        self.block4 = Block(32, 32, 3, 2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.hidden = nn.Sequential(nn.Linear(32, 24), nn.ReLU())
        self.head = nn.Linear(24, len(CLASSES))

    def forward(self, x):
        x = self.block4(self.block3(self.block2(self.block1(self.grey(x)))))
        return self.head(self.hidden(self.pool(x).flatten(1)))
