"""run, score, score_directions: arguments to names and arrays, one call into C++, a Run."""
import contextlib
import math
import os
import re
import sys
import typing

import numpy

from . import _atcav, _columns, _options
from ._classes import check_targets, read_class, target_text
from ._directions import directions_of, host
from ._examples import Batch, check_batches, check_there, is_tensor, open_examples
from ._labels import IN_MEMORY as LABELS_IN_MEMORY
from ._labels import read_labels
from ._opened import open_file, open_module
from ._results import Run

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import RunOptions, ScoreOptions
    from ._types import Array, Class, Directions, Examples, Forward, Layers, Model, Path, Progress


def rows_of(name, values, dtype):
    """Numbers as C order rows × columns."""
    values = _columns.read(name, values)
    if is_tensor(values):
        values = values.detach().cpu().float().numpy()
    array = numpy.asarray(values)
    check_there(name, array)
    if array.ndim < 2 or array.dtype.kind not in "fiub":
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}; "
                         "must be numbers, one row per example")
    flat = array.reshape(array.shape[0], math.prod(array.shape[1:]))
    with numpy.errstate(over="ignore"):  # what becomes infinite is refused by name later
        return numpy.ascontiguousarray(flat, dtype=dtype)


def fit_cav(random: "Array", concept: "Array", method: str = "pattern", lambda_: float = 1.0, cost: float = 1.0,
            centred: bool = True) -> "typing.Tuple[numpy.typing.NDArray[numpy.float64], float, bool]":
    """Fit a concept activation vector: a direction from random examples towards the concept's.

    method: "pattern" (difference of means), "fast", "ridge" (penalty lambda_; means are subtracted
    first, or not with centred=False: the paper's form), "logistic" or "svm" (C is cost).
    Returns (direction, intercept, converged).

        direction, intercept, converged = atcav.fit_cav(random, striped, "logistic", cost=0.1)
    """
    return _atcav.fit_cav(rows_of("random", random, numpy.float64), rows_of("concept", concept, numpy.float64),
                          method, lambda_, cost, centred)


class _Bar(contextlib.AbstractContextManager):
    """Progress by tqdm, where it is there and standard error is a terminal or a notebook."""

    def __init__(self, wanted):
        self._make, self._bar, self._stage = None, None, None
        if wanted is None:
            wanted = sys.stderr.isatty() or "ipykernel" in sys.modules
        if wanted:
            with contextlib.suppress(ImportError):
                from tqdm.auto import tqdm
                self._make = tqdm

    def __call__(self, stage, done, total):
        if self._make is None:
            return
        if stage != self._stage:
            self.__exit__()
            self._stage, self._bar = stage, self._make(total=total, desc=stage)
        self._bar.update(done - self._bar.n)

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()


def progress_of(wanted):
    return contextlib.nullcontext(wanted) if callable(wanted) else _Bar(wanted)


def score(concepts: "typing.Optional[typing.Mapping[str, Array]]" = None, random: "typing.Optional[Array]" = None,
          gradients: "typing.Union[typing.Mapping[str, Array], Array, None]" = None, *,
          pool: "typing.Optional[Array]" = None, labels: object = None, group_column: typing.Optional[str] = None,
          layer: str = "", progress: "Progress" = None, **options: "Unpack[ScoreOptions]") -> Run:
    """Score concepts from activations and gradients: `atcav score` on arrays in memory.

        run = atcav.score({"striped": striped}, random, {"zebra": gradients}, seed=1)
        run[0].score, run[0].interval

    concepts: {name: activations}, at least two rows each. random: activations of random examples.
    gradients: {class: gradients of its logit at the layer, one row per input}, or one array.
    pool, labels: activations of examples whose labels are concepts, instead of concepts and random or beside them: a
        DataFrame, a dict {name: values}, an array or a CSV file. group_column: which of them names groups of rows.
    Arrays or tensors; rows are examples, further dimensions are flattened. Columns of embeddings too, with pyarrow:
        "x.parquet", "x.arrow:column", a table, a dataset. layer: a name for the report.
    The same seed gives the same results, whatever the threads. Inputs in results.json have no path, and their
    hashes are of the values as float32.

    Further keywords are the options of `atcav score`:
{options}
    """
    if not isinstance(gradients, dict):
        gradients = {"class": gradients}
    named("gradients", gradients)
    concepts = named("concepts", concepts or {})
    chosen = _options.by_key("score", _options.SCORE, options)
    table = _table(pool, labels, group_column, chosen)
    if table is not None and not table.rows and len(table.values) != len(pool):
        raise ValueError(f"labels has {len(table.values)} rows and pool has {len(pool)}, must be equally many")
    with progress_of(progress) as tell:
        return Run(_atcav.score(
            [(name, rows_of(f"concept '{name}'", rows, numpy.float32)) for name, rows in concepts.items()],
            None if random is None else rows_of("random", random, numpy.float32),
            None if pool is None else rows_of("pool", pool, numpy.float32), table,
            [(name, rows_of(f"gradients '{name}'", rows, numpy.float32)) for name, rows in gradients.items()],
            layer, chosen, tell))


def _table(pool, labels, group_column, chosen):
    """The labels, and what the options must say of them."""
    if (pool is None) != (labels is None):
        raise TypeError("pool and labels come together: examples, and what is known of them")
    if labels is None:
        return None
    table = read_labels(labels, group_column)
    if group_column is not None:
        chosen["group-column"] = group_column
    chosen["labels"] = table if isinstance(table, str) else LABELS_IN_MEMORY
    return None if isinstance(table, str) else table


IN_MEMORY = "<directions>"  # what errors and results.json call directions that are no file


def named(what, given) -> dict:
    if not isinstance(given, dict):
        raise TypeError(f"{what} is {type(given).__name__}, must be a dict with a name for each")
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{what}: a name is {name!r}, must be text")
    return given


def _sets(classes, concepts, random, pool, batch, used, arrays):
    """(classes, concepts, random, pool) with paths, and by role the examples of those that are no files."""
    examples, given = {}, []

    def opened(kind, name, data, targets=None):
        role = f"{kind} '{name}'" if name else kind
        data = _columns.read(role, data)
        found = open_examples(role, data, batch, used, targets, arrays)
        if isinstance(found, str):
            return found
        examples[role] = found
        given.append((role, data, found))
        return f"<{role}: {type(data).__name__}>"  # what results.json shows in place of a path

    class_rows = []
    for one in classes:
        many = isinstance(one.target, numpy.ndarray)
        if many and arrays:
            raise ValueError(f"class '{one.name}': targets for each example need a torch.nn.Module")
        path = opened("class", one.name, one.examples, one.target if many else None)
        class_rows.append((one.name, target_text(one.target), path))
    concept_rows = [(name, opened("concept", name, data)) for name, data in concepts.items()]
    random, pool = (None if data is None else opened(role, "", data) for role, data in (("random", random), ("pool", pool)))
    check_batches(given)
    return class_rows, concept_rows, random, pool, examples


def example_for(examples, classes, options, count) -> Batch:
    """What a module is looked at with: examples of a class, or images of the size that folders will give."""
    for found in examples.values():
        return found.first(count)
    shape = options.get("shape") or (3, options.get("crop") or 224, options.get("crop") or 224)
    path = classes[0][2] if classes else ""
    if os.path.isfile(path) and path.endswith(".npy"):
        array = numpy.load(path, mmap_mode="r")
        return Batch(numpy.array(array[:count], dtype=numpy.int64 if array.dtype.kind in "iu" else numpy.float32),
                     min(count, len(array)), where=path)
    # Two that differ, to see whether one changes what is said about the other.
    return Batch(numpy.random.default_rng(0).normal(size=(count, *shape)).astype(numpy.float32), count)


def run(model: "Model", layers: "Layers", classes: "typing.Mapping[str, Class]",
        concepts: "typing.Optional[typing.Mapping[str, Examples]]" = None, random: "typing.Optional[Examples]" = None, *,
        labels: object = None, forward: "typing.Optional[Forward]" = None,
        tokenizer: "typing.Optional[typing.Callable[..., object]]" = None,
        output: "typing.Union[str, int, typing.Callable[..., object], None]" = None,
        model_id: typing.Optional[str] = None, processes: object = None, progress: "Progress" = None,
        **options: "Unpack[RunOptions]") -> Run:
    """Test concepts in a network: activations, gradients, scores, intervals and tests in one streaming pass.

        run = atcav.run(model, ["layer3", "layer4"], {{"zebra": (340, zebras)}},
                        {{"striped": striped, "dotted": dotted}}, random, cav="ridge")
        print(run)
        run.report("out")

    model: a torch.nn.Module, used on its own device and in its own type, in evaluation mode, and left as it was;
        or the path of an ONNX file (needs the plugin: docs/python.md).
    layers: module names, with * and ? as wildcards, or modules. A module that runs several times: its last output,
        or "name#1", "name#2", … Where a layer gives a tuple, its first tensor is meant. "name:in" is the module's
        first input, "name[:, :, 64:128]" a part of what it gives.
    classes: {{name: (target, examples)}}. target: the index of the class's logit; a pair (index, index to subtract); a
        list with one for each example; None for models with one output. {{name: examples}} is short for the last. With
        a tokenizer texts that are one token stand for their index: (" good", " bad").
    concepts: {{name: examples}}; random: examples.
        Examples are a folder of images, an array file (.npy, .safetensors), an array or tensor with one row per
        example, a tuple or dict of those, a Dataset, a DataLoader, or any iterable of batches. Of batches
        (inputs, labels) the inputs are used, dicts are passed as keywords. Data loaders must not shuffle class inputs.
    pool, labels: examples whose labels are concepts, instead of concepts and random or beside them. labels: a DataFrame, a
        dict {{name: values}}, an array or a CSV file. Without labels, pool is what pooling is.
    tokenizer: of Hugging Face, or any function that turns a list of texts into what the model takes. Examples may be
        lists of texts then. A model that gives logits for each token is asked for those at the last that counts.
    forward: function (model, batch) that calls the model, for other batches and models with several inputs.
    output: what of the model's result holds the logits: a key, an attribute, an index, a function. For an ONNX file
        the name of a tensor. Without it: the result itself, its `logits`, or its first tensor.
    model_id: what cached activations belong to, instead of a hash of weights, structure and code.
    processes: True shares the run between the processes that torchrun started, a process group between its members. All
        of them call it alike; the first gets the results, the others a Run of none.
    progress: True or False for the bar (tqdm); a function (stage, done, total).

    Further keywords are the options of `atcav run`; pool may also be -1, the last token, or a list of tokens, each of
    which is a layer "name@token" of its own:
{options}
    """
    return _run(model, layers, classes, concepts or {}, random, None, "", forward, tokenizer, output, model_id, progress,
                options, labels, processes)


def score_directions(model: "Model", directions: "typing.Union[Directions, Path]",
                     classes: "typing.Mapping[str, Class]", *, layers: "typing.Optional[Layers]" = None,
                     forward: "typing.Optional[Forward]" = None,
                     tokenizer: "typing.Optional[typing.Callable[..., object]]" = None,
                     output: "typing.Union[str, int, typing.Callable[..., object], None]" = None,
                     model_id: typing.Optional[str] = None, processes: object = None, progress: "Progress" = None,
                     **options: "Unpack[RunOptions]") -> Run:
    """Score given directions (steering vectors, features of a sparse autoencoder, saved CAVs) in a network.

        atcav.score_directions(model, {{"layer3": {{"striped": direction}}}}, {{"zebra": (340, zebras)}})

    directions: {{layer: {{name: array}}}} as load_cavs gives it, or the path of a safetensors file. In bulk {{layer: W}} with a
        direction per row, {{layer: (W, names)}}, or {{layer: path}} of a sparse autoencoder's decoder (SAELens, sparsify,
        overcomplete, decoder.weight), whose features are named by their numbers.
    Other arguments and options are those of run(). Only the inputs can be drawn anew: intervals and
    `result.significance` hold the error from having drawn these, and `result.baseline` says what random directions of
    the same length would have done.
    """
    if isinstance(directions, (str, os.PathLike)):
        cavs, given = os.fspath(directions), None
        directions = _atcav.load_cavs(cavs) if layers is None else {}
    else:
        cavs, given = IN_MEMORY, [
            (layer, name, rows_of(f"direction '{layer}/{name}'", [numpy.ravel(host(one))], numpy.float32)[0])
            for layer, of_layer in named("directions", directions).items() for name, one in directions_of(layer, of_layer)]
    return _run(model, list(directions) if layers is None else layers, classes, {}, None, given, cavs, forward, tokenizer,
                output, model_id, progress, options, None, processes)


def load_cavs(path: "Path") -> "typing.Dict[str, typing.Dict[str, numpy.typing.NDArray[numpy.float32]]]":
    """{layer: {concept: array}} from a file that save_cavs or `atcav run --save-cavs` wrote, or any safetensors file
    with tensors "LAYER/CONCEPT"."""
    return _atcav.load_cavs(os.fspath(path))


def _pooling_of(options, labels):
    """(pool, positions): takes both out of the options; without labels, pool is what pooling is."""
    pool = options.pop("pool", None) if labels is not None else None
    pooling = options.pop("pooling" if "pooling" in options else "pool", None)
    if isinstance(pooling, (list, tuple, range)):
        return pool, list(pooling)
    if pooling is not None:
        options["pooling"] = "last" if pooling == -1 and not isinstance(pooling, bool) else pooling
    return pool, ()


def network_options(network, options, chosen) -> None:
    """What a module cannot do is left out, or refused where it was asked for."""
    if network.has_views:  # which cannot be put back
        if options.get("intervene"):
            raise ValueError("intervene: a part of a layer, or one of several positions, cannot be replaced")
        chosen["no-intervene"] = True
    if network.unhashable and options.get("cache") is not None:
        chosen["cache"] = None
        network.facts["notes"].append(f"nothing was cached: {network.unhashable}. model_id= says what cached activations "
                                      "belong to")


def _in_python_words(text: str, sets) -> str:
    """With the set before a line that tells its path alone."""
    for role, path in sets:
        if path and not path.startswith("<") and role not in text:
            told = re.search(rf"(?<![\w./]){re.escape(path)}(?![\w.-])", text)
            if told or ("does not take images" in text and os.path.isdir(path)):
                text = f"{role}: {text}"
                break
    return text.replace(" with cavs=", " with given directions").replace(f"[cavs] {IN_MEMORY}: tensor ", "direction ")


def _called(network, classes, concepts, examples, directions, table, chosen, progress, ranks) -> Run:
    """The call into C++, with the network's hooks in place."""
    try:
        with network or contextlib.nullcontext(), progress_of(progress) as tell:
            result = _atcav.run(network, classes, concepts, examples, directions, table, chosen, tell, ranks)
            if ranks is not None and ranks.rank > 0:
                from . import _ranks
                result = _ranks.Nothing()
            return Run(result, _pooling(chosen), {} if network is None else network.places())
    except (RuntimeError, ValueError) as error:
        # What is given as an array is no file, but a bad argument.
        kind = ValueError if f"[cavs] {IN_MEMORY}" in str(error) else type(error)
        sets = [(f"class '{name}'", path) for name, _, path in classes] + [(f"concept '{name}'", path) for name, path in concepts]
        sets += [(role, chosen.get(role)) for role in ("random", "pool")]
        text = _in_python_words(str(error), sets)
        if text == str(error) or kind not in (RuntimeError, ValueError):
            raise  # with the traceback of a model or a loader
        raise kind(text) from None


def _run(model, layers, classes, concepts, random, directions, cavs, forward, tokenizer, output, model_id, progress, options,
         labels, processes):
    options = dict(options)
    ranks = None
    if processes:
        from . import _ranks
        ranks = _ranks.open_ranks(processes)
    pool, positions = _pooling_of(options, labels)
    chosen = _options.by_key("score_directions" if cavs else "run", _options.RUN, options)
    table = _table(pool, labels, options.get("group_column"), chosen)
    listed = [read_class(name, value, tokenizer) for name, value in named("classes", classes).items()]
    named("concepts", concepts)
    if not classes:
        raise ValueError("classes is empty, must have at least one")
    if not (concepts or cavs or labels is not None):
        raise ValueError("concepts is empty, must have at least one; labels= of a pool= stand in for them")
    batch = batch_of(options.get("batch"))
    if isinstance(model, (str, os.PathLike)):
        for_modules = forward is not None or tokenizer is not None or model_id is not None or positions
        opened = open_file(model, layers, output, chosen, for_modules)
    else:
        opened = open_module(model, layers, forward, tokenizer, options)
        # With a target for each example there is no one logit whose move could be ranked.
        if any(isinstance(one.target, numpy.ndarray) for one in listed):
            chosen["no-intervene"] = True
    class_rows, concept_rows, random_path, pool_path, examples = _sets(listed, concepts, random, pool, batch, opened.used,
                                                                       opened.module is None)
    network, names = None, opened.layers
    if opened.module is not None:
        from ._network import TorchNetwork
        network = TorchNetwork(opened.module, layers, example_for(examples, class_rows, options, max(1, min(batch, 2))),
                               forward=forward, output=output, model_id=model_id, positions=positions,
                               code=[] if tokenizer is None else [tokenizer])
        network_options(network, options, chosen)
        names = [layer["name"] for layer in network.facts["layers"]]
        check_targets(listed, network.facts["logit_count"])
    chosen.update({"model": opened.title, "layer": names, "random": random_path, "cavs": cavs or None})
    if pool_path is not None:
        chosen["pool"] = pool_path
    return _called(network, class_rows, concept_rows, examples, directions, table, chosen, progress, ranks)


def batch_of(wanted) -> int:
    if wanted in (None, "", "auto"):
        return 32
    try:
        return int(wanted)
    except (TypeError, ValueError):
        raise ValueError(f"batch is {wanted!r}, must be a whole number or \"auto\"") from None


def _pooling(chosen) -> str:
    """The word of `pooling`, for which `pool` stood before there were pools of examples."""
    given = chosen.get("pooling", chosen.get("pool"))
    with contextlib.suppress(ValueError):
        return str(_atcav.Pool("none" if given is None else str(given)))
    return "none"


score.__doc__ = score.__doc__.replace("{options}", _options.describe(_options.SCORE))
run.__doc__ = run.__doc__.format(options=_options.describe(_options.RUN))
score_directions.__doc__ = score_directions.__doc__.format()
