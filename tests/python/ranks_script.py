"""What test_ranks.py starts in several processes: ranks_script.py OUT METHOD [dataset|loader|lost]."""
import os
import signal
import sys

import numpy
import torch

import atcav

out, method, kind = sys.argv[1], sys.argv[2], (sys.argv[3:] or [""])[0]
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(20, 300), torch.nn.ReLU(), torch.nn.Linear(300, 3))
draw = numpy.random.default_rng(1)
sets = {name: draw.normal(size=(rows, 20)).astype(numpy.float32) + shift
        for name, rows, shift in (("zebra", 150, 0), ("horse", 40, 0.2), ("striped", 170, 0.4), ("dotted", 90, -0.4), ("random", 420, 0))}
if kind == "dataset":
    class Rows(torch.utils.data.Dataset):
        def __init__(self, values):
            self.values = values

        def __len__(self):
            return len(self.values)

        def __getitem__(self, k):
            return torch.from_numpy(self.values[k])

    sets = {name: Rows(values) for name, values in sets.items()}
elif kind == "loader":
    sets["dotted"] = torch.utils.data.DataLoader(torch.from_numpy(sets["dotted"]), batch_size=16)


def forward(module, batch):
    if kind == "lost" and os.environ.get("RANK") == "1" and len(batch) == 32:
        os.kill(os.getpid(), signal.SIGKILL)
    return module(batch)


run = atcav.run(model, ["0", "1"], {"zebra": (2, sets["zebra"]), "horse": (1, sets["horse"])},
                {name: sets[name] for name in ("striped", "dotted")}, sets["random"], cav=method, relative=[("striped", "dotted")],
                forward=forward, seed=3, processes=True, permutations=99)
print("results:", len(run), "rows run:", run.examples_run)
run.report(out)
