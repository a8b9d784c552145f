# %% [markdown]
# # What does a small CNN look at?
# Pictures with a grating or a blob, in red or blue. The class is the grating's, and in nine of ten pictures gratings are
# red, so a lazy network may use the colour. We train one and ask: are "stripes" and "red" encoded, and are they used?

# %%
import pathlib

import torch

import atcav

OUT = pathlib.Path("out/images")
torch.manual_seed(0)
SIDE = 24


def pictures(count, striped, red):
    """striped, red: a probability each."""
    x = torch.linspace(-1, 1, SIDE)
    angle = torch.rand(count, 1, 1) * 3.14
    wave = torch.sin(14 * (x[None, :, None] * torch.cos(angle) + x[None, None, :] * torch.sin(angle)))
    blob = 2 * torch.exp(-((x[None, :, None] - torch.rand(count, 1, 1) + 0.5) ** 2 + x[None, None, :] ** 2) / 0.1) - 1
    has_stripes = torch.rand(count) < striped
    pattern = torch.where(has_stripes[:, None, None], wave, blob)
    is_red = torch.rand(count) < red
    colour = torch.where(is_red[:, None], torch.tensor([1.0, 0.2, 0.2]), torch.tensor([0.2, 0.2, 1.0]))
    images = pattern[:, None] * colour[:, :, None, None] + 0.3 * torch.randn(count, 3, SIDE, SIDE)
    return images, has_stripes.long()


# %% Training pictures: gratings are mostly red, blobs mostly blue.
gratings, grating_labels = pictures(400, 1.0, 0.9)
blobs, blob_labels = pictures(400, 0.0, 0.1)
inputs, labels = torch.cat([gratings, blobs]), torch.cat([grating_labels, blob_labels])

model = torch.nn.Sequential()
for name, module in {"conv1": torch.nn.Conv2d(3, 8, 5, 2), "relu1": torch.nn.ReLU(), "conv2": torch.nn.Conv2d(8, 16, 3, 2),
                     "relu2": torch.nn.ReLU(), "pool": torch.nn.AdaptiveAvgPool2d(1), "flat": torch.nn.Flatten(),
                     "head": torch.nn.Linear(16, 2)}.items():
    model.add_module(name, module)
optimiser = torch.optim.Adam(model.parameters(), 3e-3)
for step in range(150):
    batch = torch.randint(len(inputs), (64,))
    loss = torch.nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"loss {loss.item():.3f}")

# %% Concepts: stripes in either colour, red in either pattern. Random: anything.
run = atcav.run(model, ["conv1", "conv2"], {"grating": (1, pictures(60, 1.0, 0.5)[0])},
                {"stripes": pictures(80, 1.0, 0.5)[0], "red": pictures(80, 0.5, 1.0)[0]}, pictures(200, 0.5, 0.5)[0],
                seed=1)
print(run)

# %% The page, the table, the pictures
print(run.report(OUT))
print(run.to_frame()[["concept", "layer", "tcav", "alpha_tcav.dagger", "interval.low", "interval.high"]])
for kind in ("scores", "profile", "histogram"):
    run.plot(kind=kind).figure.savefig(OUT / f"{kind}.png")
