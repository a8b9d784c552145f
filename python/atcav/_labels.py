"""Labels of a pool, whatever they come as, as names and a matrix: the rules about them are in C++."""
import os
import typing

import numpy

from ._examples import check_there, is_tensor

IN_MEMORY = "<labels>"  # what errors and results.json call a table that is no file


class Table(typing.NamedTuple):
    columns: typing.List[str]
    values: numpy.ndarray
    rows: typing.List[str]  # file names; empty: in the pool's order
    groups: typing.List[str]


def _check_in_order(where, index):
    """Rows without names are in the pool's order: an index of another order would be overlooked."""
    for at, name in enumerate(index):
        if isinstance(name, str) or name != at:
            raise ValueError(f"{where} has {name!r} at place {at} of its index, must be 0, 1, 2, … in the pool's order, or file "
                             "names in a DataFrame; sort_index() or reset_index(drop=True) first")


def _group_names(values):
    names = list(values)
    for at, name in enumerate(names):
        if str(name) in ("", "None", "nan", "NaT", "<NA>"):
            raise ValueError(f"group_column is empty at row {at}, must name the row's group")
    return [str(name) for name in names]


def _of_frame(frame):
    rows = []
    if all(isinstance(name, str) for name in frame.index):
        rows = list(frame.index)
    else:
        _check_in_order("labels", frame.index)
    if len({str(name) for name in frame.columns}) < len(frame.columns):
        raise ValueError("labels has two columns of one name")
    return {str(name): numpy.asarray(frame[name]) for name in frame.columns}, rows


def _named_columns(labels):
    """({name: values}, file names of the rows, if there are any)."""
    if hasattr(labels, "columns") and hasattr(labels, "index"):
        return _of_frame(labels)
    if isinstance(labels, dict):
        return dict(labels), []
    if isinstance(labels, (list, tuple)) and labels and numpy.ndim(labels[0]) == 0:
        what = "texts" if isinstance(labels[0], str) else "numbers"
        raise TypeError(f"labels is a list of {len(labels)} {what}, must be {{name: values}}, a DataFrame, rows × columns or a file")
    values = numpy.asarray(labels.detach().cpu() if is_tensor(labels) else labels)
    check_there("labels", values)
    if values.ndim != 2:
        raise ValueError(f"labels has shape {values.shape}, must be rows × columns, a dict or a DataFrame")
    return {f"label {k}": values[:, k] for k in range(values.shape[1])}, []


def read_labels(labels, group_column=None):
    """A path as text, or a Table of a DataFrame (rows in order, or file names as its index), a dict {name: values} or an
    array with one column per label."""
    if isinstance(labels, (str, os.PathLike)):
        return os.fspath(labels)
    named, rows = _named_columns(labels)
    for name, values in named.items():
        if hasattr(values, "iloc"):
            _check_in_order(f"label '{name}'", values.index)
    groups = []
    if group_column is not None:
        if group_column not in named:
            raise ValueError(f"group_column is {group_column!r}, must be one of {', '.join(named)}")
        groups = _group_names(named.pop(group_column))
    columns = []
    for name, values in named.items():
        try:
            columns.append(numpy.asarray(values, dtype=numpy.float64))
        except (TypeError, ValueError):
            raise ValueError(f"label '{name}' has values that are not numbers; a column of text can be group_column") from None
    if not columns or any(one.shape != (len(columns[0]),) for one in columns):
        raise ValueError("labels must have columns of one length")
    return Table([str(name) for name in named], numpy.stack(columns, axis=1), rows, groups)
