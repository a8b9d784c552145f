"""What the Python of README.md and docs/python.md takes as given."""
import numpy
import torch

import atcav
from atcav.captum import TCAV, Concept

torch.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]


class Encoder(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(2))


class Bert(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(20, 8)
        self.encoder = Encoder()
        self.head = torch.nn.Linear(8, 2)

    def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        h: torch.Tensor = self.embed(ids)
        for layer in self.encoder.layer:
            h = layer(h).tanh()
        logits: torch.Tensor = self.head((h * attention_mask[..., None]).sum(1))
        return logits


class Network(torch.nn.Sequential):
    layer3: torch.nn.Linear


model = Network()
for _name, _module in {"layer3": torch.nn.Linear(6, 12), "relu3": torch.nn.ReLU(), "layer4": torch.nn.Linear(12, 12),
                       "relu4": torch.nn.ReLU(), "fc": torch.nn.Linear(12, 1000)}.items():
    model.add_module(_name, _module)
zebras, striped, dotted, random = (torch.randn(rows, 6) + shift for rows, shift in ((20, 0), (30, 0.5), (30, -0.5), (40, 0)))
vector = numpy.ones(12)
matrix = numpy.eye(12)
bert = Bert()
toxic_loader, insults_loader, random_loader = (
    [{"input_ids": torch.randint(0, 20, (10, 4 + k)), "mask": torch.ones(10, 4 + k)} for k in range(3)] for _ in range(3))
concepts = [Concept(0, "striped", [striped]), Concept(1, "dotted", [dotted])]
tcav = TCAV(model, ["layer3"], save_path="cav")
X, y, gradients = striped.numpy(), numpy.arange(30) % 2, zebras.numpy()
