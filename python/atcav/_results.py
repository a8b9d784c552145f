"""What runs return. The fields of Result come from the schema of results.json, so both always agree."""
import html
import json
import os
import typing

from ._fields import Fields


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
        return (f"Result({self.name}: {self.score:.3f} "
                f"[{self.interval.low:.3f}, {self.interval.high:.3f}])")

    def __eq__(self, other) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    __hash__ = None

    def plot(self, axes=None):
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

    def __init__(self, result, pool="none", places=None):
        self._result = result
        self._pool, self._places = pool, places or {}
        self._text = result.json()
        self._document = json.loads(self._text)
        self.results: typing.List[Result] = [Result._from(one) for one in self._document["results"]]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self):
        return iter(self.results)

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

    def __eq__(self, other) -> bool:
        return isinstance(other, Run) and self._text == other._text

    __hash__ = None

    def __repr__(self) -> str:
        return f"<atcav.Run: {len(self)} results>\n{self.table()}"

    def __str__(self) -> str:
        return self.table()

    @property
    def notes(self) -> typing.List[str]:
        """About the whole run: examples in two sets, a Softmax stepped over, too many tests for a small p."""
        return self._document.get("notes", [])

    @property
    def seconds(self) -> typing.Dict[str, float]:
        """By stage. Never in results.json."""
        return json.loads(self._result.timings_json()).get("seconds", {})

    @property
    def examples_run(self) -> int:
        """Examples that went through the network, not found in the cache."""
        return json.loads(self._result.timings_json())["examples_run"]

    @property
    def options(self) -> dict:
        """The options that a number depends on."""
        return self._document["options"]

    @property
    def entanglement(self) -> dict:
        """{layer: (concepts, cosines between their CAVs)}."""
        return {one["layer"]: (one["concepts"], one["cosines"]) for one in self._document["entanglement"]}

    @property
    def cavs(self) -> dict:
        """{layer: {concept: direction as a float32 array}}."""
        return self._result.cavs()

    def eraser(self, concepts, layer):
        """A torch module that takes a concept, or several together, out of the layer's output: what each input has of
        them, along the way from the random mean to the concept's. The run's CAV reads the concept: itself for pattern
        and fast; ridge with a small lambda_ is LEACE."""
        from ._eraser import Eraser, Place
        names = [concepts] if isinstance(concepts, str) else list(concepts)
        return Eraser(*self._result.eraser(layer, names), self._pool, self._places.get(layer, Place()))

    def erased(self, model, concepts, layer):
        """`with run.erased(model, "watermark", "layer3"):` the layer gives its output without the concepts; afterwards
        the model is as it was."""
        from ._eraser import erased
        from ._run import _module
        return erased(_module(model), self.eraser(concepts, layer), layer)

    def save_cavs(self, path) -> None:
        """Write the CAVs as safetensors, for load_cavs, `atcav run --cavs` and other tools."""
        self._result.save_cavs(os.fspath(path))

    def to_dict(self) -> dict:
        """The content of results.json."""
        return self._document

    def to_json(self) -> str:
        """results.json, byte for byte as the program writes it."""
        return self._text

    def report(self, folder) -> str:
        """Write results.json, report.html and timings.json into a folder; gives the path of the page."""
        self._result.write_report(os.fspath(folder))
        return os.path.join(os.fspath(folder), "report.html")

    def table(self) -> str:
        """The table that the program prints."""
        return self._result.table()

    def to_frame(self):
        """A pandas DataFrame with a row per result: every number that is one number, parts with a dot
        ("significance.bonferroni")."""
        import pandas
        return pandas.DataFrame([_flat(one.to_dict()) for one in self.results])

    def plot(self, axes=None, kind: str = "scores"):
        """kind: "scores" with intervals by layer, "profile" (score over alpha), "histogram" of sensitivities.
        Gives matplotlib's axes."""
        from . import _plot
        return _plot.plot(self, axes, kind)

    def _repr_html_(self) -> str:
        columns = ["concept", "class", "layer", "score", "interval", "TCAV", "AUC", "p (Bonferroni)"]
        rows = []
        for one in self.results:
            test = one.significance
            rows.append([one.concept, one.class_, one.layer, f"{one.score:.3f}",
                         f"{one.interval.low:.3f} – {one.interval.high:.3f}", f"{one.tcav:.3f}",
                         f"{one.accuracy.auc:.2f}" if one.accuracy else "", f"{test.bonferroni:.3g}" if test else ""])
        head = "".join(f"<th>{name}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        warnings = sorted({f"{one.name}: {text}" for one in self.results for text in one.warnings}) + self.notes
        listed = "".join(f"<li>{html.escape(text)}</li>" for text in warnings)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{listed}</ul>"


def _flat(values: dict, prefix: str = "") -> dict:
    found = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{prefix}{key}."))
        elif key == "warnings":
            found[key] = "; ".join(value)
        elif not isinstance(value, list):
            found[prefix + key] = value
    return found
