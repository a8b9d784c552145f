"""What runs return. The fields of Result come from the schema of results.json, so both always agree."""
import json
import os
import typing

from . import _atcav, _html
from ._fields import Fields
from ._kept import Live, write

if typing.TYPE_CHECKING:
    import matplotlib.axes
    import numpy
    import pandas
    import torch

    from ._atcav import RunResult
    from ._eraser import Eraser, Place
    from ._types import Path


class Result(Fields):
    """One concept, for one class, at one layer. Fields are those of results.json (docs/results.md), `class` as
    `class_`; parts that need a CAV's examples are None where the direction was given.

        result.score, result.interval.low, result.interval.high
        result.alpha_tcav["dagger"], result.accuracy.auc, result.significance.bonferroni
    """

    @property
    def score(self) -> float:
        """The headline score: alpha-TCAV at the alpha that `interval.of` names."""
        return self.alpha_tcav[self.interval.of]

    @property
    def name(self) -> str:
        return f"{self.concept} → {self.class_} at {self.layer}"

    def __repr__(self) -> str:
        name, at, low, high = _html.measured(self)
        ends = "" if low is None or high is None else f" [{low:+.2f}, {high:+.2f}]"
        answer = {"for": "used", "against": "counted against", "none": "no evidence"}[self.verdict.use]
        return (f"Result({self.name}: {name} {at:+.2f}{ends}, {answer}, corrected p {_html.p_number(self.significance.bonferroni)}; "
                f"α-TCAV {self.score:.3f} [{self.interval.low:.3f}, {self.interval.high:.3f}])")

    def _repr_html_(self) -> str:
        return _html.result_html(self)

    def __reduce__(self):
        return Result._from, (self.to_dict(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def plot(self, axes: "typing.Optional[matplotlib.axes.Axes]" = None) -> "matplotlib.axes.Axes":
        """The sensitivities of the class inputs as a histogram (matplotlib)."""
        from . import _plot
        return _plot.histogram(self, axes)


class Run:
    """What run() and score() return: a sequence of Results that is also a table, a report and a JSON text.

        run.to_frame()          # pandas
        run["striped"]          # the results of a concept; run["striped", "zebra", "layer3"] is one;
                                # run[:, "zebra"] those of a class, run[:, :, "layer3"] those of a layer
        run.report("out")       # results.json, report.html, timings.json
        run.cavs["layer3"]["striped"]
    """

    def __init__(self, result: "RunResult", pool: str = "none",
                 places: "typing.Optional[typing.Dict[str, Place]]" = None) -> None:
        self._kept = Live(result)
        self._pool, self._places = pool, places or {}
        self._read()

    def _read(self):
        self._text = self._kept.text
        self._document = json.loads(self._text)
        self.results: typing.List[Result] = [Result._from(one) for one in self._document["results"]]

    def __getstate__(self):
        return {"kept": self._kept, "pool": self._pool, "places": self._places}

    def __setstate__(self, state):
        self._kept, self._pool, self._places = state["kept"], state["pool"], state["places"]
        self._read()

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> typing.Iterator[Result]:
        return iter(self.results)

    @typing.overload
    def __getitem__(self, key: typing.Union[int, typing.Tuple[str, str, str]]) -> Result: ...
    @typing.overload
    def __getitem__(self, key: "typing.Union[slice, str, typing.Tuple[typing.Union[str, slice, None], ...]]"
                    ) -> typing.List[Result]: ...

    def __getitem__(self, key):
        if isinstance(key, (int, slice)):
            return self.results[key]
        wanted = dict(zip(("concept", "class_", "layer"), key if isinstance(key, tuple) else (key,)))
        if isinstance(key, tuple) and len(key) > 3:
            raise KeyError(f"run[{key!r}] has {len(key)} parts, must be concept, class and layer at most")
        asked = {name: value for name, value in wanted.items() if value not in (None, slice(None))}
        found = [one for one in self.results if all(getattr(one, name) == value for name, value in asked.items())]
        if not found:
            raise KeyError("no result has " + ", ".join(f"{name.rstrip('_')} {value!r}" for name, value in asked.items()))
        return found[0] if len(asked) == 3 else found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<atcav.Run: {len(self)} results>\n{self.table()}"

    def __str__(self) -> str:
        return self.table()

    @property
    def notes(self) -> typing.List[str]:
        """About the whole run: examples in two sets, a Softmax stepped over, too many tests for a small p."""
        return self._document.get("notes", [])

    @property
    def warnings(self) -> typing.List[typing.Tuple[str, str, str]]:
        """What the results are warned of, each once: (text, which results, the one whose numbers it has or "")."""
        return self._kept.warnings()

    @property
    def seconds(self) -> typing.Dict[str, float]:
        """By stage. Never in results.json."""
        return json.loads(self._kept.timings()).get("seconds", {})

    @property
    def examples_run(self) -> int:
        """Examples that went through the network, not found in the cache."""
        return json.loads(self._kept.timings())["examples_run"]

    @property
    def options(self) -> typing.Dict[str, object]:
        """The options that a number depends on."""
        return self._document["options"]

    @property
    def entanglement(self) -> typing.Dict[str, typing.Tuple[typing.List[str], typing.List[typing.List[float]]]]:
        """{layer: (concepts, cosines between their CAVs)}."""
        return {one["layer"]: (one["concepts"], one["cosines"]) for one in self._document["entanglement"]}

    @property
    def explained(self) -> typing.List[typing.Dict[str, typing.Any]]:
        """For each layer and class how much of the logit's variance over random inputs the concepts explain together
        (docs/results.md): share, low, high, random, ceiling, shapley. Empty without a network."""
        return self._document.get("explained", [])

    @property
    def cavs(self) -> "typing.Dict[str, typing.Dict[str, numpy.typing.NDArray[numpy.float32]]]":
        """{layer: {concept: direction as a float32 array}}."""
        return {layer: {name: directions[k] for k, name in enumerate(concepts)}
                for layer, concepts, directions, _, _ in self._kept.cavs()}

    def eraser(self, concepts: typing.Union[str, typing.Iterable[str]], layer: str) -> "Eraser":
        """A torch module that takes a concept, or several together, out of the layer's output: what each input has of
        them, along the way from the random mean to the concept's. The run's CAV reads the concept: itself for pattern
        and fast; ridge with a small lambda_ is LEACE."""
        from ._eraser import Eraser, Place
        names = [concepts] if isinstance(concepts, str) else list(concepts)
        return Eraser(*_atcav.eraser(self._kept.cavs(), layer, names), self._pool, self._places.get(layer, Place()))

    def erased(self, model: "torch.nn.Module", concepts: typing.Union[str, typing.Iterable[str]],
               layer: str) -> "typing.ContextManager[torch.nn.Module]":
        """`with run.erased(model, "watermark", "layer3"):` the layer gives its output without the concepts; afterwards
        the model is as it was."""
        from ._eraser import erased
        from ._opened import as_module
        return erased(as_module(model), self.eraser(concepts, layer), layer)

    def save_cavs(self, path: "Path") -> None:
        """Write the CAVs as safetensors, for load_cavs, `atcav run --cavs` and other tools."""
        folder, name = os.path.split(os.fspath(path))
        content = self._kept.cavs_file()
        write(folder, [(name, content)] if content else [])

    def to_dict(self) -> typing.Dict[str, object]:
        """The content of results.json."""
        return self._document

    def to_json(self) -> str:
        """results.json, byte for byte as the program writes it."""
        return self._text

    def summary(self, groups: "typing.Union[str, typing.Iterable[object], None]" = None, class_groups: object = None,
                level: typing.Optional[float] = None, negligible: typing.Optional[float] = None) -> "Run":
        """Effects, tests and verdicts once more, without the network, of a run made with influences=True: with rows in
        other groups, at another level, with another size that does not matter. The same numbers as a new run with
        these choices; scores, accuracy and what the network did stay as they are.

            run.summary(groups=r"^(.*)_crop")            # of examples: the first capture in a file name
            run.summary(groups=frame["patient"])         # of a pool: a name for each row
            run.summary(class_groups={"zebra": videos})  # of class inputs: a name for each input
        """
        by_name = groups if isinstance(groups, str) else ""
        of_rows = [] if groups is None or by_name else [str(name) for name in groups]
        return Run(self._kept.analysed().reanalyse(by_name, of_rows, self._class_groups(class_groups), level, negligible), self._pool,
                   self._places)

    def _class_groups(self, given) -> typing.List[typing.List[str]]:
        if given is None:
            return []
        inputs = {one.class_: one.n_class for one in self.results}
        if not isinstance(given, dict):
            if len(inputs) > 1:
                raise TypeError("class_groups must be a dict {class: names}, the run has several classes")
            given = {name: given for name in inputs}
        unknown = [name for name in given if name not in inputs]
        if unknown:
            raise ValueError(f"class_groups has {unknown[0]!r}, must be one of {', '.join(inputs)}")
        return [[str(name) for name in given[one]] if one in given else [str(row) for row in range(count)]
                for one, count in inputs.items()]

    def compare(self, other: "Run") -> typing.Dict[str, object]:
        """How far the effects of another run are from those of this one, pair by pair of the same examples and inputs
        (both made with influences=True): what `atcav compare --json -` prints. Equal networks differ by exactly 0."""
        return json.loads(_atcav.compare(self._kept.analysed(), other._kept.analysed()))

    def report(self, folder: "Path") -> str:
        """Write results.json, report.html and timings.json into a folder; gives the path of the page."""
        write(folder, self._kept.files())
        return os.path.join(os.fspath(folder), "report.html")

    def figures(self, folder: "typing.Optional[Path]" = None) -> typing.Dict[str, str]:
        """The charts of `--figures`, {file name: SVG}: effects, doses, classes spoken for, sensitivities. With a folder
        they are written there."""
        found = self._kept.figures()
        if folder is not None:
            write(folder, found)
        return dict(found)

    def table(self) -> str:
        """The table that the program prints."""
        return self._kept.table()

    def to_frame(self) -> "pandas.DataFrame":
        """A pandas DataFrame with a row per result: every number that is one number, parts with a dot
        ("significance.bonferroni")."""
        import pandas
        return pandas.DataFrame([flat(one.to_dict()) for one in self.results])

    def to_parquet(self, path: "Path") -> None:
        """The rows and columns of to_frame() as a Parquet file, through pyarrow."""
        import pyarrow
        import pyarrow.parquet
        rows = [flat(one.to_dict()) for one in self.results]
        names = dict.fromkeys(name for row in rows for name in row)
        pyarrow.parquet.write_table(pyarrow.table({name: [row.get(name) for row in rows] for name in names}), os.fspath(path))

    def plot(self, axes: "typing.Optional[matplotlib.axes.Axes]" = None,
             kind: typing.Optional[str] = None) -> "matplotlib.axes.Axes":
        """kind: "effects" (d with intervals), "heat" (concepts × layers), "scores" (α-TCAV with intervals), "profile" (score
        over alpha), "histogram" of sensitivities. Without it effects, or the heat map where there are many at several
        layers. Gives matplotlib's axes."""
        from . import _plot
        return _plot.plot(self, axes, kind)

    def _repr_html_(self) -> str:
        return _html.run_html(self)


def flat(values: dict, prefix: str = "") -> dict:
    found = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found.update(flat(value, f"{prefix}{key}."))
        elif key == "warnings":
            found[key] = "; ".join(value)
        elif not isinstance(value, list):
            found[prefix + key] = value
    return found
