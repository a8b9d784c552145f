# %% [markdown]
# # From Captum to atcav
# First the code of a Captum user with one import changed, then what atcav adds.

# %%
import pathlib
import tempfile

import torch

import atcav
from atcav.captum import TCAV, Concept  # was: from captum.concept import TCAV, Concept

OUT = pathlib.Path("out/from_captum")
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 49, 4)).eval()


def loader(shift, rows=80):
    return torch.utils.data.DataLoader(torch.randn(rows, 3, 16, 16) + shift, batch_size=20)


stripes, random = Concept(0, "stripes", loader(0.3)), [Concept(1 + k, f"random_{k}", loader(0)) for k in range(5)]
zebras = torch.randn(40, 3, 16, 16) + 0.1

# %% As with Captum: a score for each random set, and a t-test over them by hand
with tempfile.TemporaryDirectory() as folder:
    tcav = TCAV(model, ["0"], save_path=folder)
    scores = tcav.interpret(zebras, [[stripes, one] for one in random], target=2)
for key, found in scores.items():
    print(key, found["0"]["sign_count"], found["0"]["magnitude"])

# %% With atcav: one call, an interval, tests, warnings and a page
everything = [batch for one in random for batch in one.data_iter]
run = atcav.run(model, tcav.layers, {"zebra": (2, zebras)}, {stripes.name: stripes.data_iter}, everything, seed=1)
print(run)
print(run.report(OUT))
run.plot(kind="profile").figure.savefig(OUT / "profile.png")
