"""Keywords are the options of the command line: one table, in C++ (atcav/run/option_table.cpp)."""
import difflib
import typing

import numpy

from . import _atcav


class Option(typing.NamedTuple):
    key: str  # "skip-bad" on the command line
    type: str  # "" for a switch
    help: str
    of_score: bool
    of_run: bool
    repeatable: bool
    default: typing.Any
    of_arrays: bool  # means something where the rows are there already

    @property
    def keyword(self) -> str:
        word = self.key.replace("-", "_")
        return word + "_" if word in ("lambda", "class") else word


TABLE = {option.keyword: option for option in (Option(*fields) for fields in _atcav.options())}
SCORE = {word: option for word, option in TABLE.items() if option.of_score and option.of_arrays}
# What run() has arguments of its own for.
_ARGUMENTS = {"model", "layer", "class_", "concept", "random", "cavs", "save_cavs", "output"}
RUN = {word: option for word, option in TABLE.items() if option.of_run and word not in _ARGUMENTS}


def _text(value) -> str:
    if isinstance(value, (bool, numpy.bool_)):
        return str(value).lower()
    if isinstance(value, tuple):  # relative=("striped", "dotted")
        return ":".join(map(str, value))
    return str(value)


def texts(function: str, table: typing.Dict[str, Option], given: typing.Dict[str, typing.Any]) -> list:
    """[(key, [text, ...]), ...] as the command line would have them."""
    found = []
    for keyword, value in given.items():
        option = table.get(keyword) or table.get(keyword + "_")
        if option is None:
            near = difflib.get_close_matches(keyword, table, 3, 0.5)
            hint = f"; closest: {', '.join(near)}" if near else f"; it has {', '.join(table)}"
            raise TypeError(f"{function}() has no option '{keyword}'{hint}")
        if value is None:
            continue
        many = isinstance(value, (list, tuple)) and not (option.key == "relative" and isinstance(value, tuple))
        if option.repeatable:
            values = [_text(one) for one in value] if many else [_text(value)]
            if not values:
                continue
        else:
            values = [",".join(map(_text, value)) if many else _text(value)]
        found.append((option.key, values))
    return found


def describe(table: typing.Dict[str, Option]) -> str:
    """The table for docstrings."""
    lines = []
    for keyword, option in table.items():
        default = "" if option.default in (None, "", [], 0, False) else f" (default {option.default})"
        lines.append(f"    {keyword}: {option.help}{default}")
    return "\n".join(lines)
