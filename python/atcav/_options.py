"""Keywords are the options of the command line: one table, in C++ (src/pipeline/option_table.cpp)."""
import difflib
import typing

import numpy

from . import _atcav

_KINDS = {"": "True or False", "N": "a whole number", "NUMBER": "a number", "WORD": "text", "LIST": "a list of numbers",
          "CLASS=FILE": "text, \"CLASS=FILE\", or a list of those"}


class Option(typing.NamedTuple):
    keyword: str
    key: str  # "skip-bad" on the command line
    type: str  # "" for a switch
    help: str
    of_score: bool
    of_run: bool
    repeatable: bool
    default: typing.Any
    of_arrays: bool  # means something where the rows are there already
    words: typing.List[str]  # what it must be one of; empty where that is no short list


TABLE = {option.keyword: option for option in (Option(*fields) for fields in _atcav.options())}
SCORE = {word: option for word, option in TABLE.items() if option.of_score and option.of_arrays}
# What run() has arguments of its own for.
_ARGUMENTS = {"model", "layer", "class_", "concept", "random", "cavs", "save_cavs", "output", "labels"}
RUN = {word: option for word, option in TABLE.items() if option.of_run and word not in _ARGUMENTS}
DISCOVER = {word: option for word, option in RUN.items() if option.key in _atcav.discover_options()}


def by_key(function: str, table: typing.Dict[str, Option], given: typing.Dict[str, typing.Any]) -> dict:
    """The values by the names that C++ has for the options."""
    found = {}
    for keyword, value in given.items():
        option = table.get(keyword) or table.get(keyword + "_")
        if option is None:
            near = difflib.get_close_matches(keyword, table, 3, 0.5)
            hint = f"; closest: {', '.join(near)}" if near else f"; it has {', '.join(table)}"
            raise TypeError(f"{function}() has no option '{keyword}'{hint}")
        if isinstance(value, numpy.ndarray) and value.ndim == 1:
            value = value.tolist()
        if isinstance(value, (dict, set)) or getattr(value, "ndim", 0) > 0:
            raise TypeError(f"{keyword} is {type(value).__name__}, must be {_KINDS.get(option.type, option.type)}")
        found[option.key] = value
    return found


def describe(table: typing.Dict[str, Option]) -> str:
    """The table for docstrings."""
    lines = []
    for keyword, option in table.items():
        default = "" if option.default in (None, "", [], 0, False) else f" (default {option.default})"
        lines.append(f"    {keyword}: {option.help}{default}")
    return "\n".join(lines)
