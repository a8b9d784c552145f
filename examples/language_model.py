# %% [markdown]
# # Where does a language model keep its opinion?
# A small GPT of our own learns to go on with sentences about films: after praise comes "liked", after blame "hated", and
# "not" turns either round. We ask at which layer and at which word praise is encoded and used, steer the model with the
# direction at the last word, and look at how many sentences move the other way.

# %%
import pathlib

import torch

import atcav

OUT = pathlib.Path("out/language_model")
OUT.mkdir(parents=True, exist_ok=True)
torch.manual_seed(0)
GOOD = "good great fine superb lovely brilliant charming clever".split()
BAD = "bad awful poor dreadful boring terrible dull silly".split()
PLAIN = "long short old new french quiet recent foreign".split()
NOUNS = "film story actor music scene ending dialogue plot camera cast script title".split()
HOW = "very rather quite really truly simply just so".split()
WORDS = ["<pad>", "the", "was", "not", "and", ",", "then", "i", "it", "liked", "hated", "saw", *GOOD, *BAD, *PLAIN, *NOUNS, *HOW]
ID = {word: k for k, word in enumerate(WORDS)}


class Tokenizer:
    """Words to numbers, with the interface of Hugging Face's."""

    pad_token = "<pad>"

    def __init__(self, padding_side="left"):
        self.padding_side = padding_side

    def __call__(self, texts, add_special_tokens=True, **_):
        if isinstance(texts, str):
            return {"input_ids": [ID[word] for word in texts.split()]}
        rows = [[ID[word] for word in text.split()] for text in texts]
        longest = max(map(len, rows))
        left = self.padding_side == "left"
        def padded(row, value):
            gap = [value] * (longest - len(row))
            return gap + row if left else row + gap
        return {"input_ids": torch.tensor([padded(row, 0) for row in rows]),
                "attention_mask": torch.tensor([padded([1] * len(row), 0) for row in rows])}

    def convert_ids_to_tokens(self, ids):
        return [WORDS[one] for one in ids]


def pick(words):
    return words[int(torch.randint(len(words), ()))]


def sentence(words, negated=0.0):
    """the film was (not) very good , then i"""
    middle = ["not"] if float(torch.rand(())) < negated else []
    return " ".join(["the", pick(NOUNS), "was", *middle, pick(HOW), pick(words), ",", "then", "i"])


def different(count, words, negated=0.0, known=()):
    """So many sentences, none twice and none of the known ones."""
    found = dict.fromkeys(known)
    while len(found) < count + len(known):
        found.setdefault(sentence(words, negated))
    return list(found)[len(known):]


# %% [markdown]
# ## The model
# GPT-2's blocks, small. Positions are counted over the tokens that the mask has, so padding on either side changes nothing.


# %%
class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.heads, self.qkv, self.out = heads, torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width))

    def forward(self, x, hidden):
        rows, count, width = x.shape
        q, k, v = (part.view(rows, count, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        weights = (q @ k.transpose(2, 3) / (width / self.heads) ** 0.5 + hidden).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(rows, count, width))
        return x + self.mlp(self.norm2(x))


class Model(torch.nn.Module):
    def __init__(self, width=32, layers=3):
        super().__init__()
        self.embed, self.places = torch.nn.Embedding(len(WORDS), width), torch.nn.Embedding(16, width)
        self.h = torch.nn.ModuleList(Block(width, 4) for _ in range(layers))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, len(WORDS))

    def forward(self, input_ids, attention_mask):
        places = (attention_mask.cumsum(1) - 1).clamp(min=0)
        x = self.embed(input_ids) + self.places(places)
        count = input_ids.shape[1]
        seen = torch.ones(count, count, dtype=torch.bool).tril() & attention_mask[:, None].bool()
        hidden = torch.zeros(seen.shape).masked_fill(~seen, -1e4)[:, None]
        for block in self.h:
            x = block(x, hidden)
        return {"logits": self.head(self.norm(x))}


model = Model()
optimiser = torch.optim.Adam(model.parameters(), 3e-3)
tokenizer = Tokenizer()
for step in range(300):
    texts = []
    for _ in range(48):
        words, plain = (GOOD, BAD, PLAIN)[int(torch.randint(3, ()))], float(torch.rand(())) < 0.1
        text = sentence(words, 0.3)
        praise = (words is GOOD) != ("not" in text)
        verb = "saw" if words is PLAIN else "liked" if praise else "hated"
        texts.append(f"{text} {verb} it")
    tokens = tokenizer(texts)
    logits = model(**tokens)["logits"][:, :-1]
    wanted = tokens["input_ids"][:, 1:]
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted, reduction="none", ignore_index=0)
    loss = losses[tokens["attention_mask"][:, :-1].bool()].mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
model.eval()
with torch.no_grad():
    new = different(200, GOOD, 0.5)
    last = model(**tokenizer(new))["logits"][:, -1]
    right = (last[:, ID["liked"]] > last[:, ID["hated"]]) == torch.tensor(["not" not in text for text in new])
print(f"loss {loss.item():.3f}, right about {right.float().mean():.2f} of new sentences with and without 'not'")

# %% [markdown]
# ## Where is praise, and where is it used?
# Texts go in as they are. The class is a difference of logits, by its words; the model's logits are for each token, and those
# at the last one are asked. `pool=[...]` makes each of these tokens a layer of its own: "h.1@4" is the fifth word of "the film
# was very good , then i" behind the second block.

# %%
plain, praise, blame = different(120, PLAIN), different(60, GOOD), different(60, BAD)
asked = [text for words, known in ((GOOD, praise), (BAD, blame), (PLAIN, plain)) for text in different(20, words, known=known)]
every = "the film was very good , then i".split()
places = list(range(len(every)))
where = atcav.run(model, ["embed", "h.*"], {"liked": (("liked", "hated"), asked)}, {"praise": praise, "blame": blame}, plain,
                  tokenizer=tokenizer, pool=places, permutations=199, seed=1)

try:
    from matplotlib import pyplot
except ImportError:
    pyplot = None


def heat_map(concept, axes):
    blocks = ["embed", "h.0", "h.1", "h.2"]
    found = {one.layer: one for one in where[concept]}
    effects = [[found[f"{block}@{place}"].effect.d or 0.0 for place in places] for block in reversed(blocks)]
    drawn = axes.imshow(effects, cmap="RdBu", vmin=-6, vmax=6, aspect="auto")
    for row, block in enumerate(reversed(blocks)):
        for place in places:
            one = found[f"{block}@{place}"]
            clear = one.verdict.use != "none"
            axes.text(place, row, f"{effects[row][place]:+.1f}" if clear else "·", ha="center", va="center",
                      color="white" if abs(effects[row][place]) > 4 else "black", fontsize=8)
    axes.set_xticks(places, every)
    axes.set_yticks(range(4), list(reversed(blocks)))
    axes.set_title(f"{concept}: effect d on liked − hated", loc="left", fontsize=10)
    return drawn


if pyplot is not None:
    figure, both = pyplot.subplots(2, 1, figsize=(7, 5), layout="constrained")
    for axes, concept in zip(both, ("praise", "blame")):
        drawn = heat_map(concept, axes)
    figure.colorbar(drawn, ax=list(both), label="d")
    figure.savefig(OUT / "where.png", dpi=110)
for concept in ("praise", "blame"):
    used = [f"{one.layer} ({one.effect.logits:+.2f} logits)" for one in where[concept] if one.verdict.use != "none"]
    print(f"{concept}: used at {', '.join(used)}")

# %% [markdown]
# Behind the first block, at the adjective, blame seems to speak *for* "liked". Gradients are a statement about small steps from
# sentences as they are. One position by itself can be tried out: the network run on from there with blame added.

# %%
tried = atcav.run(model, "h.0", {"liked": (("liked", "hated"), asked)}, {"blame": blame}, plain, tokenizer=tokenizer, pool=4,
                  intervene=60, permutations=199, seed=1)
print(tried[0].verdict.text)

# %% [markdown]
# ## By hand
# The same numbers from autograd alone, with padding on either side: sentences with "not" are one word longer.

# %%
mixed = different(40, GOOD, 0.5) + different(40, BAD, 0.5)
for side in ("left", "right"):
    own = Tokenizer(side)
    run = atcav.run(model, "h.1", {"liked": (("liked", "hated"), mixed)}, {"praise": praise}, plain, tokenizer=own, pool="last",
                    permutations=99, seed=1)

    def at_last(texts):
        """What h.1 gives at the last word, and the gradient of liked − hated there."""
        tokens, kept = own(texts), []
        hook = model.h[1].register_forward_hook(lambda module, inputs, output: kept.append(output))
        logits = model(**tokens)["logits"]
        hook.remove()
        last = (tokens["attention_mask"] * torch.arange(logits.shape[1])).argmax(1)
        rows = torch.arange(len(texts))
        chosen = (logits[rows, last, ID["liked"]] - logits[rows, last, ID["hated"]]).sum()
        slope, = torch.autograd.grad(chosen, kept[0])
        return kept[0][rows, last].detach().double(), slope[rows, last].double()

    direction = at_last(praise)[0].mean(0) - at_last(plain)[0].mean(0)
    wanted = at_last(mixed)[1] @ direction
    apart = (torch.tensor(run[0].sensitivities) - wanted).abs().max() / wanted.abs().max()
    print(f"padding {side}: sensitivities differ by {apart:.1e} of the largest")
    assert apart < 1e-5

# %% [markdown]
# ## Steering at the last word
# The network run on from there with the direction added, in both directions; dose 1 is the way from plain sentences to praise.
# `intervene=` has the library do it and say what the mean logit does. The same with a hook, sentence by sentence, shows how many
# move the other way.

# %%
doses = [0.1, 0.25, 0.5, 1.0]
steered = atcav.run(model, ["h.0", "h.1", "h.2"], {"liked": (("liked", "hated"), mixed)}, {"praise": praise}, plain,
                    tokenizer=tokenizer, pool="last", intervene=80, permutations=199, seed=1)
print(steered)
print(steered.report(OUT))


def moved(layer, dose):
    """Of each sentence: what the dose does to liked − hated."""
    direction = torch.tensor(steered.cavs[layer]["praise"])
    def add(module, inputs, output):
        output = output.clone()
        output[:, -1] += dose * direction  # padded on the left, so the last word is the last position
        return output
    tokens = tokenizer(mixed)
    with torch.no_grad():
        before = model(**tokens)["logits"][:, -1]
        hook = model.get_submodule(layer).register_forward_hook(add)
        after = model(**tokens)["logits"][:, -1]
        hook.remove()
    change = after - before
    return change[:, ID["liked"]] - change[:, ID["hated"]]


if pyplot is not None:
    figure, axes = pyplot.subplots(figsize=(6.4, 4), layout="constrained")
both_ways = [-dose for dose in reversed(doses)] + [0.0] + doses
for layer, colour in zip(("h.0", "h.1", "h.2"), ("#0072b2", "#d55e00", "#009e73")):
    changes = [moved(layer, dose) for dose in both_ways]
    other_way = (changes[-1] < 0).float().mean()
    found = steered["praise", "liked", layer].intervention.class_
    odd = [((moved(layer, dose) - moved(layer, -dose)) / 2).mean().item() for dose in found.dose]
    print(f"{layer}: dose 1 moves liked − hated by {changes[-1].mean():+.2f}; {100 * other_way:.0f} % of the sentences move the "
          f"other way; the run says {found.odd[-1]:+.3f} at dose {found.dose[-1]:g}, by hand {odd[-1]:+.3f}")
    assert abs(odd[-1] - found.odd[-1]) < 1e-4 * max(1, abs(odd[-1]))
    if pyplot is not None:
        means = [change.mean() for change in changes]
        axes.plot(both_ways, means, "o-", color=colour, label=f"{layer}: {100 * other_way:.0f} % the other way at dose 1")
        axes.fill_between(both_ways, [change.quantile(0.1) for change in changes], [change.quantile(0.9) for change in changes],
                          color=colour, alpha=0.12)
if pyplot is not None:
    axes.axhline(0, color="#5a626b", linewidth=0.8)
    axes.set(xlabel="dose of praise at the last word", ylabel="change of liked − hated, mean and 10 to 90 %")
    axes.legend(fontsize=8)
    figure.savefig(OUT / "steering.png", dpi=110)
