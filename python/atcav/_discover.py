"""discover: concepts that nobody named, found in one half of the class inputs and tested on the other."""
import contextlib
import json
import operator
import os
import typing

import numpy

from . import _atcav, _options
from ._classes import check_targets, read_class, target_text
from ._fields import CandidateFields, Family
from ._kept import write
from ._opened import open_file, open_module
from ._results import Result, flat
from ._run import batch_of, example_for, named, network_options, progress_of

if typing.TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._keywords import DiscoverOptions
    from ._types import ClassFiles, Forward, Layers, Model, Path, Progress


class Candidate(CandidateFields):
    """A direction that a finder made, and what it does on inputs that the finder has not seen. Fields are those of
    results.json (docs/results.md), `class` as `class_`.

        one.use, one.text                            # "for", "against" or "none"; the verdict in words
        one.named.nearest, one.named.cosine          # None without named concepts
        one.result.effect.d, one.result.intervention # as of any concept
        one.direction                                # an array: the layer's channels
    """

    result: Result
    direction: "numpy.typing.NDArray[numpy.float64]"

    @classmethod
    def _of(cls, values: dict, direction) -> "Candidate":
        one = cls._from(values)
        one.result, one.direction = Result._from(values["result"]), direction
        return one

    def __repr__(self) -> str:
        return f"Candidate({self.name} at {self.layer}: {self.text})"

    def __reduce__(self):
        return Candidate._of, (self.to_dict(), self.direction)


class Discovery:
    """What discover() returns: a sequence of Candidates, used ones first, that is also a table and a report.

        found.candidates[0].named.nearest
        found["zebra 1"]         # one by name; found["zebra 1", "layer3"] where several layers have it
        found.families           # of each class and layer, what random images and directions do
        found.report("out")      # results.json, report.html (a gallery), timings.json
    """

    def __init__(self, found: "_atcav.Discovered") -> None:
        self._read(found.json(), found.table(), found.timings_json(), found.directions(), found.report_files)

    def _read(self, text, table, timings, directions, files):
        self._text, self._table, self._timings, self._directions, self._files = text, table, timings, directions, files
        self._document = json.loads(text)
        self.candidates: typing.List[Candidate] = [
            Candidate._of(*pair) for pair in zip(self._document["candidates"], directions)]
        self.families: typing.List[Family] = [Family._from(one) for one in self._document["families"]]

    def __reduce__(self):
        files = self._files()
        return _kept, (self._text, self._table, self._timings, self._directions, files)

    def __deepcopy__(self, memo):
        return self  # nothing in it changes

    def __len__(self) -> int:
        return len(self.candidates)

    def __iter__(self) -> typing.Iterator[Candidate]:
        return iter(self.candidates)

    @typing.overload
    def __getitem__(self, key: typing.Union[int, str, typing.Tuple[str, str]]) -> Candidate: ...
    @typing.overload
    def __getitem__(self, key: slice) -> typing.List[Candidate]: ...

    def __getitem__(self, key):
        if isinstance(key, (int, slice)):
            return self.candidates[key]
        name, *layer = key if isinstance(key, tuple) else (key,)
        found = [one for one in self.candidates if one.name == name and (not layer or [one.layer] == layer)]
        if len(found) != 1:
            raise KeyError(f"{len(found)} candidates are {key!r}, must be one: found[name, layer]" if found else
                           f"no candidate is {key!r}")
        return found[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discovery) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<atcav.Discovery: {len(self)} candidates>\n{self._table}"

    def __str__(self) -> str:
        return self._table

    @property
    def notes(self) -> typing.List[str]:
        """About the whole discovery: candidates that were left out, named concepts that are not told from random."""
        return self._document.get("notes", [])

    @property
    def seconds(self) -> typing.Dict[str, float]:
        """By stage. Never in results.json."""
        return json.loads(self._timings).get("seconds", {})

    def to_dict(self) -> typing.Dict[str, object]:
        """The content of results.json."""
        return self._document

    def to_json(self) -> str:
        """results.json, byte for byte as the program writes it."""
        return self._text

    def table(self) -> str:
        """The table that the program prints."""
        return self._table

    def report(self, folder: "Path") -> str:
        """Write results.json, report.html and timings.json into a folder; gives the path of the page."""
        write(folder, self._files())
        return os.path.join(os.fspath(folder), "report.html")

    def to_frame(self) -> "pandas.DataFrame":
        """A pandas DataFrame with a row per candidate: every number that is one number, parts with a dot
        ("named.cosine", "result.effect.d")."""
        import pandas
        return pandas.DataFrame([flat(one.to_dict()) for one in self.candidates])


def _kept(text, table, timings, directions, files) -> Discovery:
    found = Discovery.__new__(Discovery)
    found._read(text, table, timings, directions, lambda: files)
    return found


def discover(model: "Model", layers: "Layers", classes: "typing.Mapping[str, ClassFiles]", random: "Path", *,
             concepts: "typing.Optional[typing.Mapping[str, Path]]" = None, candidates: typing.Optional[int] = None,
             finder: "typing.Optional[typing.Literal['kmeans', 'nmf', 'sae']]" = None,
             dictionary: "typing.Optional[Path]" = None, merge: typing.Optional[float] = None,
             positions: typing.Optional[int] = None, forward: "typing.Optional[Forward]" = None,
             output: "typing.Union[str, int, typing.Callable[..., object], None]" = None,
             model_id: typing.Optional[str] = None, progress: "Progress" = None,
             **options: "Unpack[DiscoverOptions]") -> Discovery:
    """Find unnamed concepts in one half of the class inputs, and test them on the other: `atcav discover`.

        found = atcav.discover(model, "layer3", {{"zebra": (340, "images/zebra")}}, "images/random",
                               concepts={{"striped": "dtd/striped"}}, seed=1)
        print(found)
        found[0].use, found[0].named.nearest
        found.report("out")

    model, layers, forward, output, model_id, progress: as for run(). Layers are whole ones.
    classes: {{name: (target, examples)}}, with one target for all examples; random: examples. Examples are a folder of
        images or an array file (.npy, .safetensors), since both halves are read several times.
    concepts: {{name: examples}}; named ones only say what a candidate looks like.
    candidates: of each class at each layer, before near-equal ones are merged (default {candidates}); --concepts of the
        program.
    finder: "kmeans", "nmf" or "sae", a small top-k sparse autoencoder (default "{finder}").
    dictionary: directions instead of a finder: the file, FILE or FILE:TENSOR, of a sparse autoencoder's decoder, or of any
        matrix with a direction per row.
    merge: candidates with a larger cosine are one (default {merge}).
    positions: kept of a set at a layer, drawn at random (default: 67 million numbers).

    Further keywords are the options of `atcav discover`:
{options}
    """
    chosen = _options.by_key("discover", _options.DISCOVER, options)
    listed = [read_class(name, value) for name, value in named("classes", classes).items()]
    if not listed:  # a module is looked at with examples of a class
        raise ValueError("classes is empty, must have at least one")
    for one in listed:
        if isinstance(one.target, numpy.ndarray):
            raise ValueError(f"class '{one.name}' has a target for each example, must have one for all")
    class_rows = [(one.name, target_text(one.target), _path(f"class '{one.name}'", one.examples)) for one in listed]
    concept_rows = [(name, _path(f"concept '{name}'", data)) for name, data in named("concepts", concepts or {}).items()]
    chosen["random"] = _path("random", random)
    finding = (_number("candidates", candidates, operator.index, "a whole number"), _text("finder", finder),
               _text("dictionary", dictionary), _number("merge", merge, float, "a number"),
               _number("positions", positions, operator.index, "a whole number"))
    network = None
    if isinstance(model, (str, os.PathLike)):
        opened = open_file(model, layers, output, chosen, forward is not None or model_id is not None)
        names = opened.layers
    else:
        opened = open_module(model, layers, forward, None, options)
        from ._network import TorchNetwork
        few = max(1, min(batch_of(options.get("batch")), 2))
        network = TorchNetwork(opened.module, layers, example_for({}, class_rows, options, few), forward=forward,
                               output=output, model_id=model_id)
        if network.has_views:
            raise ValueError("layers: a part of a layer was named, must be whole ones, whose positions can be replaced")
        network_options(network, options, chosen)
        names = [layer["name"] for layer in network.facts["layers"]]
        check_targets(listed, network.facts["logit_count"])
    chosen.update({"model": opened.title, "layer": names})
    with network or contextlib.nullcontext(), progress_of(progress) as tell:
        return Discovery(_atcav.discover(network, class_rows, concept_rows, *finding, chosen, tell))


def _path(role: str, data) -> str:
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    raise TypeError(f"{role} is {type(data).__name__}, must be a folder of images or an array file for discover(), which reads "
                    "both halves several times; numpy.save writes one")


def _text(name: str, value) -> typing.Optional[str]:
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    raise TypeError(f"{name} is {type(value).__name__}, must be text")


def _number(name: str, value, kind, what: str):
    try:
        return None if value is None else kind(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, must be {what}") from None


discover.__doc__ = discover.__doc__.format(options=_options.describe(_options.DISCOVER), **_atcav.discover_defaults())
