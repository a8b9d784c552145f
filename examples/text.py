# %% [markdown]
# # Which words does a small transformer listen to?
# Sentences of made-up words; the class is "praise" when more good than bad words are in it. We train a transformer on
# token ids and ask at each layer whether good words, bad words and numbers are encoded and used.

# %%
import pathlib

import torch

import atcav

OUT = pathlib.Path("out/text")
torch.manual_seed(0)
GOOD, BAD, NUMBERS, OTHER = range(1, 9), range(9, 17), range(17, 25), range(25, 60)


def sentences(count, length, words=None, share=0.5):
    """Random words, of which about `share` come from `words`."""
    ids = torch.randint(1, 60, (count, length))
    if words is None:
        return ids
    chosen = torch.tensor(words)[torch.randint(len(words), (count, length))]
    return torch.where(torch.rand(count, length) < share, chosen, ids)


class Reader(torch.nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = torch.nn.Embedding(60, width)
        self.blocks = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(width, 4, 64, batch_first=True, dropout=0.1) for _ in range(2))
        self.head = torch.nn.Linear(width, 2)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return {"logits": self.head(x.mean(1))}


# %% Training
model = Reader()
optimiser = torch.optim.Adam(model.parameters(), 3e-3)
for step in range(150):
    ids = sentences(64, 12)
    praise = ((ids < 9).sum(1) > ((ids >= 9) & (ids < 17)).sum(1)).long()
    loss = torch.nn.functional.cross_entropy(model(ids)["logits"], praise)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"loss {loss.item():.3f}")

# %% Sentences of different lengths: pooling over tokens makes them comparable. The logits are found in the dict.
praises = sentences(200, 12)
praises = praises[model.eval()(praises)["logits"].argmax(1) == 1][:60]
run = atcav.run(model, ["embed", "blocks.0", "blocks.0.linear1"], {"praise": (1, praises)},
                {"good": [sentences(40, 8, GOOD), sentences(40, 14, GOOD)], "bad": sentences(80, 10, BAD),
                 "numbers": sentences(80, 10, NUMBERS)}, [sentences(100, 8), sentences(100, 14)], pool="mean", seed=1)
print(run)
print(run.report(OUT))
run.plot().figure.savefig(OUT / "scores.png")
