"""Types are true: those of results, of the bindings, and what completion shows."""
import ast
import pathlib
import re
import typing
import unittest

import numpy

import atcav
from atcav import _atcav, _fields, _keywords, _options

DRAW = numpy.random.default_rng(3)


def holds(value, kind) -> bool:
    """Whether a value is what its annotation says."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return any(holds(value, one) for one in inner)
    if origin is typing.Literal:
        return value in inner
    if origin is list:
        return isinstance(value, list) and all(holds(one, inner[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(holds(one, inner[1]) for one in value.values())
    if kind is float:  # as type checkers see it
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, kind)


def bound_arguments(function) -> list:
    """(name, whether it has a default), from the signature that pybind11 writes first in the docstring."""
    text = re.match(r"\w+\((.*)\)", function.__doc__.split("\n")[0].partition(" -> ")[0]).group(1)
    # Annotations hold brackets with commas of their own, never "name:".
    found = re.findall(r"(?:^|, )(\w+): ((?:(?!, \w+: ).)*)", text)
    return [(name, " = " in rest) for name, rest in found if name != "self"]


class Types(unittest.TestCase):
    def check(self, record, seen):
        kind = _fields.Fields if isinstance(record, atcav.Result) else type(record)
        seen.add(kind)
        hints = typing.get_type_hints(kind)
        for name in kind._keys:
            value = getattr(record, name)
            self.assertTrue(holds(value, hints[name]), f"{kind.__name__}.{name} is {value!r}, must be {hints[name]}")
            parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
            for part in parts:
                if isinstance(part, _fields.Record):
                    self.check(part, seen)

    def test_results_are_what_their_types_say(self):
        rows = {name: DRAW.normal(size=(30, 5)) + shift for name, shift in (("striped", 0.8), ("dotted", -0.5))}
        gradients = {"zebra": DRAW.normal(size=(15, 5)), "horse": DRAW.normal(size=(12, 5)) + 0.5}
        seen = set()
        for method in ("pattern", "ridge", "logistic"):
            for result in atcav.score(rows, DRAW.normal(size=(40, 5)), gradients, cav=method, alpha=[3, "star"], seed=1):
                self.check(result, seen)
        # The others are of networks.
        self.assertGreaterEqual(len(seen), 15)
        self.assertTrue({_fields.Verdict, _fields.VerdictEvidence, _fields.Intervals, _fields.Effect} <= seen)

    def test_no_field_is_anything(self):
        text = pathlib.Path(_fields.__file__).read_text(encoding="utf-8")
        self.assertNotRegex(text, r"\b(Any|object)\b")
        methods = typing.Literal["pattern", "fast", "ridge", "logistic", "svm"]
        self.assertEqual(_keywords.RunOptions.__annotations__["cav"], typing.Optional[methods])

    def test_keywords_are_the_options(self):
        self.assertEqual(list(_keywords.RunOptions.__annotations__), list(_options.RUN))
        self.assertEqual(list(_keywords.ScoreOptions.__annotations__), list(_options.SCORE))

    def test_the_stub_is_of_these_bindings(self):
        stub = ast.parse(pathlib.Path(_atcav.__file__).with_name("_atcav.pyi").read_text(encoding="utf-8"))
        functions = {}
        names = {"__version__"}
        for node in stub.body:
            if isinstance(node, ast.AnnAssign):
                names.add(node.target.id)
            elif isinstance(node, ast.FunctionDef):
                functions[node.name] = (node, getattr(_atcav, node.name))
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names.add(node.name)
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef) and not inner.decorator_list:
                        functions[f"{node.name}.{inner.name}"] = (inner, getattr(getattr(_atcav, node.name), inner.name))
        self.assertEqual({name for name in dir(_atcav) if not name.startswith("_")} | {"__version__"},
                         names | {name for name in functions if "." not in name})
        for name, (node, bound) in functions.items():
            without = len(node.args.args) - len(node.args.defaults)
            said = [(one.arg, k >= without) for k, one in enumerate(node.args.args) if one.arg != "self"]
            self.assertEqual(said, bound_arguments(bound), name)

    def test_dir_is_complete(self):
        for name in (*atcav.__all__, "captum"):
            self.assertIn(name, dir(atcav))


if __name__ == "__main__":
    unittest.main()
