"""A hundred bad calls: each is refused with one clear line that names the set or the argument, in Python's words.

Run as a program it prints them all."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

import numpy
from networks import FAST, RANDOM, STRIPED, ZEBRAS, mlp

import atcav

import torch

NAN = STRIPED.clone()
NAN[3, 2] = float("nan")
MODEL = mlp()
SCORES = {"concepts": {"striped": STRIPED}, "random": RANDOM, "gradients": {"zebra": ZEBRAS}}
FOLDER = tempfile.TemporaryDirectory()
PLACE = pathlib.Path(FOLDER.name)
(PLACE / "empty").mkdir()
(PLACE / "text.npy").write_text("no array")
(PLACE / "labels.csv").write_text("row,a\n0,1\n1,x\n")


class Tokens:
    pad_token, padding_side = "<pad>", "right"

    def __call__(self, texts, **_):
        ids = [[1, 2] if " " in one.strip() else [1] for one in ([texts] if isinstance(texts, str) else texts)]
        return {"input_ids": ids[0] if isinstance(texts, str) else torch.tensor(ids)}

    def convert_ids_to_tokens(self, ids):
        return [f"t{one}" for one in ids]


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(9, 4), torch.nn.Linear(4, 3)

    def forward(self, input_ids, attention_mask=None):
        return self.head(self.embed(input_ids).mean(1))


class Data(list):
    """What looks like a DataFrame."""

    def to_numpy(self):
        return numpy.array(self)


def run(model=MODEL, layers="0", classes=None, concepts=None, random=RANDOM, **options):
    return atcav.run(model, layers, {"zebra": (2, ZEBRAS)} if classes is None else classes,
                     {"striped": STRIPED} if concepts is None else concepts, random, **{**FAST, **options})


def score(**changes):
    return atcav.score(**{**SCORES, **FAST, **changes})


def directions(given, **options):
    return atcav.score_directions(MODEL, given, {"zebra": (2, ZEBRAS)}, progress=False, **options)


def labelled(labels, **options):
    return score(concepts=None, random=None, pool=torch.cat([STRIPED, RANDOM]), labels=labels, **options)


IDS = torch.randint(0, 9, (20, 5))
W = numpy.eye(5)[:3] + 0.1
# (what is wrong, the call, what the line must say)
CALLS = [
    # the model
    ("model: a function", lambda: run(lambda x: x), "model is function, must be a torch.nn.Module"),
    ("model: None", lambda: run(None), "model is NoneType, must be a torch.nn.Module"),
    ("model: a class", lambda: run(torch.nn.Linear), "model is type, must be a torch.nn.Module"),
    ("model: no such file", lambda: run(str(PLACE / "no.onnx")), "no.onnx', which is not a file"),
    ("forward with a file", lambda: run("no.onnx", forward=len), "forward.*ONNX file"),
    ("device of a module", lambda: run(device="cuda"), "device is for ONNX files"),
    ("precision of a module", lambda: run(precision="bf16"), "precision is for ONNX files"),
    ("forward that fails", lambda: run(forward=lambda model, batch: model(batch[0])), "class 'zebra'"),
    ("forward gives nothing", lambda: run(forward=lambda model, batch: None), "no tensor of logits"),
    ("output that is not there", lambda: run(output="scores"), "output is 'scores', which Tensor"),
    ("integer logits", lambda: run(output=lambda y: y.long()), "logits are torch.int64"),
    ("logits of another shape", lambda: run(output=lambda y: y[:, :, None, None]), "logits have shape"),
    # layers
    ("layer: unknown", lambda: run(layers="layer3"), "layer3"),
    ("layer: a number", lambda: run(layers=3), "layers is 3, must be names or modules"),
    ("layer: none", lambda: run(layers=[]), "layers is empty"),
    ("layer: twice", lambda: run(layers=["0", "0"]), "layer '0' is given twice"),
    ("layer: pattern finds nothing", lambda: run(layers="block*"), "block"),
    ("layer: call 0", lambda: run(layers="0#0"), "N = 1, 2"),
    ("layer: call that does not come", lambda: run(layers="0#4"), "not as often|was used"),
    ("layer: part without ':'", lambda: run(layers="0[0]"), "must be ':'"),
    ("layer: part that is text", lambda: run(layers="0[:, a]"), "must be a number or a slice"),
    ("layer: other module", lambda: run(layers=[torch.nn.Linear(2, 2)]), "not part of the model"),
    ("layer: parts with interventions", lambda: run(layers="0[:, 1:3]", intervene=5), "cannot be replaced"),
    # classes
    ("classes: a list", lambda: run(classes=[ZEBRAS]), "classes is list, must be a dict"),
    ("classes: none", lambda: run(classes={}), "classes is empty, must have"),
    ("classes: a number as name", lambda: run(classes={2: (2, ZEBRAS)}), "a name is 2, must be text"),
    ("class: swapped", lambda: run(classes={"zebra": (ZEBRAS, 2)}), r"class 'zebra' is \(examples, 2\)"),
    ("class: swapped, tensor", lambda: run(classes={"zebra": (ZEBRAS, torch.tensor(2))}), r"must be \(target, examples\)"),
    ("class: no target", lambda: run(classes={"zebra": ZEBRAS}), "class 'zebra' has no target"),
    ("class: target too large", lambda: run(classes={"zebra": (3, ZEBRAS)}), "target 3, must be from 0 to 2"),
    ("class: target negative", lambda: run(classes={"zebra": (-1, ZEBRAS)}), "target -1, must be from 0 to 2"),
    ("class: target real", lambda: run(classes={"zebra": (1.5, ZEBRAS)}), "class 'zebra' has target 1.5"),
    ("class: pair of one logit", lambda: run(classes={"zebra": ((1, 1), ZEBRAS)}), "two different logits"),
    ("class: three targets", lambda: run(classes={"zebra": ((0, 1, 2), ZEBRAS)}), "class 'zebra' has target"),
    ("class: targets of other number", lambda: run(classes={"zebra": ([1, 2], ZEBRAS)}), "20 examples but 2 targets"),
    ("class: text without tokenizer", lambda: run(classes={"zebra": ("good", ZEBRAS)}), "tokenizer= turns texts"),
    ("class: empty tensor", lambda: run(classes={"zebra": (2, ZEBRAS[:0])}), "class 'zebra' is empty"),
    ("class: empty list", lambda: run(classes={"zebra": (2, [])}), "class 'zebra' is empty"),
    ("class: empty folder", lambda: run(classes={"zebra": (2, PLACE / "empty")}), "class 'zebra': .*does not take images"),
    ("class: shuffling loader", lambda: run(classes={"zebra": ([0] * 20, torch.utils.data.DataLoader(ZEBRAS, 5, shuffle=True))}),
     "does not shuffle"),
    # examples
    ("concepts: a list", lambda: run(concepts=[STRIPED]), "concepts is list, must be a dict"),
    ("concepts: none", lambda: run(concepts={}), "concepts is empty, must have"),
    ("concept: None", lambda: run(concepts={"striped": None}), "concept 'striped' is NoneType"),
    ("concept: a number", lambda: run(concepts={"striped": 5}), "concept 'striped' is int"),
    ("concept: one row", lambda: run(concepts={"striped": STRIPED[:1]}), "striped.*is 1, must be at least 2"),
    ("concept: empty", lambda: run(concepts={"striped": STRIPED[:0]}), "concept 'striped' is empty"),
    ("concept: other columns", lambda: run(concepts={"striped": STRIPED[:, :4]}), "concept 'striped', batch 1"),
    ("concept: other columns later", lambda: run(concepts={"striped": [STRIPED[:8], STRIPED[:8, :4]]}), "concept 'striped', batch 2"),
    ("concept: NaN", lambda: run(concepts={"striped": NAN}), "striped.*(finite|nan)"),
    ("concept: DataFrame", lambda: run(concepts={"striped": Data([[1.0]])}), r"to_numpy\(\) gives one"),
    ("concept: list of rows", lambda: run(concepts={"striped": list(STRIPED)}), "list of 30 arrays of shape .6,., must be a list of batches"),
    ("concept: list of sequences", lambda: run(mlp(), "0", {"zebra": (2, ZEBRAS[:, None].repeat(1, 7, 1))},
                                               {"striped": list(STRIPED[:, None].repeat(1, 7, 1))},
                                               RANDOM[:, None].repeat(1, 7, 1), output=lambda y: y[:, 0]),
     "concept 'striped' is a list of 30 arrays of shape .7, 6."),
    ("concept: list of numbers", lambda: run(concepts={"striped": [1.0, 2.0, 3.0]}), "concept 'striped' is a list of numbers"),
    ("concept: nested lists", lambda: run(concepts={"striped": STRIPED.tolist()}), "concept 'striped' is a list of numbers"),
    ("concept: texts without tokenizer", lambda: run(concepts={"striped": ["a b", "c d"]}), "tokenizer="),
    ("concept: arrays of unequal rows", lambda: run(concepts={"striped": (STRIPED, STRIPED[:5])}), "concept 'striped': arrays have"),
    ("concept: no such folder", lambda: run(concepts={"striped": PLACE / "nowhere"}), "concept 'striped': .*nowhere: cannot open"),
    ("concept: no array file", lambda: run(concepts={"striped": PLACE / "text.npy"}), "concept 'striped': .*text.npy"),
    ("concept: a set", lambda: run(concepts={"striped": {1, 2}}), "concept 'striped': a batch is int"),
    ("random: missing", lambda: run(random=None), "random"),
    ("random: a number", lambda: run(random=3), "random is int"),
    ("random: other columns", lambda: run(random=RANDOM[:, :4]), "random, batch 1"),
    ("random: a dict of names", lambda: run(random={"random": RANDOM}), "random"),
    # texts
    ("texts: target of two tokens", lambda: run(Words(), "embed", {"zebra": ("a b", IDS)}, {"striped": IDS}, IDS, tokenizer=Tokens(), pool="mean"),
     "class 'zebra' has target 'a b', which is 2 tokens"),
    ("texts: ids beyond the vocabulary", lambda: run(Words(), "embed", {"zebra": (1, IDS + 9)}, {"striped": IDS}, IDS, pool="mean"), "class 'zebra'"),
    ("texts: mask of another length", lambda: run(Words(), "embed", {"zebra": (1, {"input_ids": IDS, "attention_mask": IDS[:, :3]})},
                                                  {"striped": IDS}, IDS, pool="mean"), "attention_mask"),
    ("texts: lengths without pool", lambda: run(Words(), "embed", {"zebra": (1, IDS)}, {"striped": IDS[:, :3]}, IDS), r"pool="),
    ("texts: a list where files are meant", lambda: run(texts={"zebra": ["a"]}), "texts is dict, must be text"),
    # options
    ("option: unknown", lambda: run(premutations=9), "no option 'premutations'; closest: permutations"),
    ("option: cav", lambda: run(cav="ridgee"), "cav is 'ridgee'"),
    ("option: level", lambda: run(level=1.5), "level is 1.5"),
    ("option: permutations", lambda: run(permutations=0), "permutations is 0"),
    ("option: alpha", lambda: run(alpha="large"), "alpha is 'large', must be star, dagger or a number"),
    ("option: lambda", lambda: run(cav="ridge", lambda_=-1), "lambda is -1"),
    ("option: cost", lambda: run(cav="svm", cost=0), "cost is 0"),
    ("option: runs", lambda: run(runs=1), "runs is 1"),
    ("option: a list", lambda: run(cav=["ridge", "svm"]), "cav.*not a list"),
    ("option: an array", lambda: run(seed=STRIPED), "seed is Tensor, must be a whole number"),
    ("option: seed", lambda: run(seed=-1), "seed is '-1'"),
    ("option: threads", lambda: run(threads=-1), "threads is -1"),
    ("option: batch", lambda: run(batch=0), "batch is 0"),
    ("option: batch of words", lambda: run(batch="many"), "batch is 'many'"),
    ("option: pool", lambda: run(pool="men"), "pool"),
    ("option: pool of a list", lambda: run(pool=[0, "mean"]), "pool is a list with 'mean', must list tokens"),
    ("option: pool of True", lambda: run(pool=[True]), "pool has True"),
    ("option: pool of a real", lambda: run(pool=0.5), "pool"),
    ("option: intervene twice", lambda: run(intervene=5, no_intervene=True), r"intervene= and no_intervene= exclude"),
    ("option: relative", lambda: run(relative=[("striped", "dotted")]), "dotted"),
    ("option: relative to itself", lambda: run(relative=[("striped", "striped")]), "two different concepts"),
    ("option: moments with ridge", lambda: run(cav="ridge", moments=True), "moments needs cav pattern or fast"),
    ("option: pairs of other numbers", lambda: run(pairs=True), r"concept 'striped' has 30 examples and random has 40.*pairs="),
    ("option: pairs and moments", lambda: run(pairs=True, moments=True), "pairs cannot be combined with moments"),
    # directions
    ("directions: other size", lambda: directions({"0": {"a": numpy.ones(4)}}), "direction '0/a' has 4 values, the layer has 5"),
    ("directions: zero", lambda: directions({"0": {"a": numpy.zeros(5)}}), "'0/a' is zero"),
    ("directions: NaN", lambda: directions({"0": {"a": numpy.full(5, numpy.nan)}}), "'0/a' is nan at value 0"),
    ("directions: an array", lambda: directions(W), "directions is ndarray, must be a dict"),
    ("directions: a vector", lambda: directions({"0": numpy.ones(5)}), "directions of layer '0' has shape .5,., must be directions × columns"),
    ("directions: names of other number", lambda: directions({"0": (W, ["a", "b"])}), "3 directions and 2 names"),
    ("directions: a name twice", lambda: directions({"0": (W, ["a", "b", "a"])}), "name 'a' is given twice"),
    ("directions: text", lambda: directions({"0": "cav"}), "directions of layer '0' is str"),
    ("directions: concepts too", lambda: directions({"0": {"a": numpy.ones(5)}}, relative=[("a", "b")]), "relative= cannot be combined with given directions"),
    ("directions: alpha", lambda: directions({"0": W}, alpha="star"), "alpha is star, must be a number"),
    ("directions: pairs", lambda: directions({"0": W}, pairs=True), "pairs= cannot be combined"),
    ("directions: no such file", lambda: directions(str(PLACE / "no.safetensors")), "no.safetensors"),
    # arrays and labels
    ("score: no concepts", lambda: score(concepts={}), "no concept was given"),
    ("score: no random", lambda: score(random=None), "no random examples were given"),
    ("score: no gradients", lambda: score(gradients={}), "no gradients were given"),
    ("score: columns", lambda: score(random=RANDOM[:, :3]), "columns"),
    ("score: a vector", lambda: score(random=RANDOM[0]), r"random has shape \(6,\)"),
    ("score: text", lambda: score(concepts={"striped": [["a"]]}), "concept 'striped' has shape"),
    ("score: infinite", lambda: score(gradients={"zebra": ZEBRAS / 0}), "zebra"),
    ("labels: without pool", lambda: score(labels={"a": [1, 0]}), "pool and labels come together"),
    ("labels: a list", lambda: labelled([1, 0] * 35), r"labels is a list of 70 numbers, must be .name: values."),
    ("labels: of other number", lambda: labelled({"a": [1, 0]}), "labels has 2 rows and pool has 70"),
    ("labels: constant", lambda: labelled({"a": [1] * 70}), "column 'a' is 1 in all 70 rows"),
    ("labels: text", lambda: labelled({"a": ["x"] * 70}), "label 'a' has values that are not numbers"),
    ("labels: unequal", lambda: labelled({"a": [1, 0], "b": [1]}), "columns of one length"),
    ("labels: group that is not there", lambda: labelled({"a": [1, 0] * 35}, group_column="b"), "group_column is 'b'"),
    ("labels: with ridge", lambda: labelled({"a": [1, 0] * 35}, cav="ridge"), "must be pattern with a pool"),
    # what is asked of a run
    ("run: no such concept", lambda: score()["dotted"], "no result has concept 'dotted'"),
    ("run: four parts", lambda: score()["a", "b", "c", "d"], "has 4 parts"),
    ("plot: kind", lambda: score().plot(kind="pie"), "kind is 'pie', must be effects"),
    ("eraser: no such layer", lambda: score().eraser("striped", "layer9"), "no layer 'layer9'"),
    ("report: nowhere", lambda: score().report("/proc/nowhere"), "/proc/nowhere"),
    ("load_cavs: a folder", lambda: atcav.load_cavs(PLACE), "directory|folder|read"),
]


def said(call):
    try:
        call()
    except Exception as error:
        return error
    return None


class Errors(unittest.TestCase):
    def test_there_are_a_hundred(self):
        self.assertGreaterEqual(len(CALLS), 100)

    def test_each_is_one_clear_line(self):
        for name, call, wanted in CALLS:
            with self.subTest(name):
                error = said(call)
                self.assertIsNotNone(error, "was not refused")
                self.assertIsInstance(error, (ValueError, TypeError, RuntimeError, KeyError, IndexError))
                line = error.args[0] if isinstance(error, KeyError) else str(error)
                self.assertRegex(line, re.compile(wanted))
                self.assertNotIn("--", line, "an option of the command line")
                self.assertLess(len(line), 420)
                # What torch says of shapes may have lines of its own.
                self.assertNotIn("\n", line.split("(expected")[0].strip() if "batch" in line else line)


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        for number, (title, bad, _) in enumerate(CALLS, 1):
            found = said(bad)
            print(f"{number:3} {title}\n    {type(found).__name__}: {found}")
        os._exit(0)
    unittest.main()
