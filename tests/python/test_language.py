"""Language models as users have them: texts, tokenizers, padding on either side, logits for each token; numbers beside
autograd by hand."""
import unittest

import numpy
from networks import run

import torch

WORDS = "the film was good bad fine dull a very story and actor <pad>".split()
PAD = len(WORDS) - 1


class Tokenizer:
    """As those of Hugging Face; without a token to pad with, like GPT-2's, if `pads` is False."""

    def __init__(self, side="right", pads=True):
        self.padding_side, self.pad_token, self.eos_token_id = side, "<pad>" if pads else None, PAD

    def __call__(self, texts, padding=False, truncation=False, return_tensors=None, add_special_tokens=True):
        if isinstance(texts, str):
            return {"input_ids": [WORDS.index(word) for word in texts.split()]}
        ids = [[WORDS.index(word) for word in text.split()] for text in texts]
        if not padding:
            return {"input_ids": ids}
        longest = max(map(len, ids))
        gaps = [longest - len(row) for row in ids]
        left = self.padding_side == "left"
        rows = [[PAD] * gap + row if left else row + [PAD] * gap for gap, row in zip(gaps, ids)]
        masks = [[0] * gap + [1] * len(row) if left else [1] * len(row) + [0] * gap for gap, row in zip(gaps, ids)]
        return {"input_ids": torch.tensor(rows), "attention_mask": torch.tensor(masks)}

    def convert_ids_to_tokens(self, ids):
        return [WORDS[i] for i in ids]


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm, self.mlp = torch.nn.LayerNorm(width), torch.nn.Linear(width, width)

    def forward(self, x, mask):
        y = self.norm(x)
        x = x + self.attn(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + torch.tanh(self.mlp(x))


class Causal(torch.nn.Module):
    """Logits of the next token at each: examples × tokens × words. Padding changes nothing but its own positions."""

    def __init__(self, width=8):
        super().__init__()
        torch.manual_seed(2)
        self.embed, self.places = torch.nn.Embedding(len(WORDS), width), torch.nn.Embedding(20, width)
        self.h = torch.nn.ModuleList(Block(width) for _ in range(2))
        self.head = torch.nn.Linear(width, len(WORDS))
        self.double()

    def forward(self, input_ids, attention_mask):
        count = input_ids.shape[1]
        places = (attention_mask.cumsum(1) - 1).clamp(min=0)
        x = self.embed(input_ids) + self.places(places)
        hidden = torch.ones(count, count).triu(1).bool() | (attention_mask[:, None] == 0)
        hidden &= ~torch.eye(count).bool()  # a row that sees nothing would be NaN
        for block in self.h:
            x = block(x, hidden.repeat_interleave(2, 0))
        return {"logits": self.head(x)}


def texts(count, seed, words):
    random = numpy.random.default_rng(seed)
    return [" ".join(random.choice(words, random.integers(2, 9))) for _ in range(count)]


GOOD, PLAIN, ASKED = texts(30, 0, WORDS[:4] + ["good"] * 3), texts(40, 1, WORDS[:-1]), texts(25, 2, WORDS[:-1])
SETS = {"concepts": {"praise": GOOD}, "random": PLAIN}


class ByHand:
    """Each text by itself, without any padding."""

    def __init__(self, layer, position):
        self.model, self.layer, self.position = Causal().eval(), layer, position

    def states(self, text, target=None):
        ids = torch.tensor([[WORDS.index(word) for word in text.split()]])
        seen = []
        hook = self.model.h[self.layer].register_forward_hook(lambda _, __, out: seen.append(out))
        logits = self.model(ids, torch.ones_like(ids))["logits"][0, -1]
        hook.remove()
        if target is None:
            return self.kept(seen[0][0].detach(), "mean")
        first, second = target
        slope = torch.autograd.grad(logits[first] - logits[second], seen[0])[0][0]
        return self.kept(slope, "sum")

    def kept(self, rows, how):
        return getattr(rows, how)(0).numpy() if self.position is None else rows[self.position].numpy()

    def sensitivities(self, target):
        direction = numpy.mean([self.states(text) for text in GOOD], 0) - numpy.mean([self.states(text) for text in PLAIN], 0)
        return numpy.array([self.states(text, target) for text in ASKED]) @ direction


class Language(unittest.TestCase):
    # The pass is in float32, by hand it is in double: 1e-5 of the largest.
    def same(self, found, want):
        numpy.testing.assert_allclose(found.sensitivities, want, atol=1e-5 * numpy.abs(want).max())

    def test_padding_on_either_side_and_none(self):
        good, bad = WORDS.index("good"), WORDS.index("bad")
        for pool, position in (("mean", None), (-1, -1), ("last", -1)):
            want = ByHand(1, position).sensitivities((good, bad))
            for tokenizer in (Tokenizer(), Tokenizer("left"), Tokenizer(pads=False), Tokenizer("left", False)):
                found = run(Causal(), "h.1", {"good or bad": (("good", "bad"), ASKED)}, **SETS, tokenizer=tokenizer, pool=pool,
                            batch=7)
                self.same(found[0], want)
        self.assertIn("the last token that counts are probed", " ".join(found.notes))

    def test_positions_in_one_run(self):
        found = run(Causal(), ["h.0", "h.1"], {"good": ((3, 4), ASKED)}, **SETS, tokenizer=Tokenizer("left"), pool=[-1, "last"][:1])
        self.assertEqual([one.layer for one in found], ["h.0@-1", "h.1@-1"])
        for layer in (0, 1):
            self.same(found[layer], ByHand(layer, -1).sensitivities((3, 4)))
        right = run(Causal(), ["h.1"], {"good": ((3, 4), ASKED)}, **SETS, tokenizer=Tokenizer(), pool=[0, 1])
        for one, position in zip(right, (0, 1)):
            self.same(one, ByHand(1, position).sensitivities((3, 4)))

    def test_inputs_of_layers_and_parts(self):
        how = {"tokenizer": Tokenizer(), "pool": "mean"}
        found = run(Causal(), ["h.0", "h.1:in", "h.1[:, :, 2:5]", "h.1"], {"good": ((3, 4), ASKED)}, **SETS, **how)
        numpy.testing.assert_allclose(found[0].sensitivities, found[1].sensitivities, atol=1e-9)
        model = ByHand(1, None)
        part = slice(2, 5)
        direction = numpy.mean([model.states(one)[part] for one in GOOD], 0) - numpy.mean([model.states(one)[part] for one in PLAIN], 0)
        self.same(found[2], numpy.array([model.states(one, (3, 4))[part] for one in ASKED]) @ direction)

    def test_whole_encodings_and_plain_functions(self):
        class Encoding(dict):
            pass
        want = ByHand(1, None).sensitivities((3, 4))
        all_at_once = [Encoding(Tokenizer()(one, padding=True)) for one in (ASKED, GOOD, PLAIN)]
        whole = run(Causal(), "h.1", {"good": ((3, 4), all_at_once[0])}, {"praise": all_at_once[1]}, all_at_once[2], pool="mean")
        plain = run(Causal(), "h.1", {"good": ((3, 4), ASKED)}, **SETS, pool="mean",
                    tokenizer=lambda given: Tokenizer()(given, padding=True))
        arrays = run(Causal(), "h.1", {"good": ((3, 4), numpy.array(ASKED))}, **SETS, pool="mean", tokenizer=Tokenizer())
        for found in (whole, plain, arrays):
            self.same(found[0], want)

    def test_words_that_are_no_target(self):
        how = {**SETS, "tokenizer": Tokenizer(), "pool": "mean"}
        for target, message in [("very good", "is 2 tokens, .'very', 'good'., must be one"), ((3, 3), "must be two different logits"),
                                ((3, 99), "must be from 0 to 12"), ((1, 2, 3), "a pair .index, index to subtract.")]:
            with self.assertRaisesRegex((ValueError, TypeError), message):
                run(Causal(), "h.1", {"x": (target, ASKED)}, **how)
        with self.assertRaisesRegex(TypeError, "tokenizer= turns texts into indices"):
            run(Causal(), "h.1", {"x": ("good", ASKED)}, **SETS)
        with self.assertRaisesRegex(TypeError, "tokenizer= .or forward=. turns texts into tokens"):
            run(Causal(), "h.1", {"x": (3, ASKED)}, **SETS)


if __name__ == "__main__":
    unittest.main()
