"""Directions that are given, one or thousands: by name, as a matrix, as a sparse autoencoder's decoder."""
import os

import numpy

from . import _atcav
from ._examples import is_array, is_tensor


def host(values):
    return values.detach().cpu().float() if is_tensor(values) else values


def directions_of(layer, named) -> list:
    """(name, direction) of whatever a layer's directions are given as."""
    where = f"directions of layer '{layer}'"
    if isinstance(named, dict):
        return list(named.items())
    names = None
    if isinstance(named, os.PathLike) or (isinstance(named, str) and os.path.exists(named)):
        names, named = _atcav.load_decoder(os.fspath(named))
    elif isinstance(named, (tuple, list)) and len(named) == 2 and not is_array(named[1]) and is_array(named[0]):
        named, names = named[0], list(named[1])
    if not is_array(named):
        raise TypeError(f"{where} is {type(named).__name__}, must be {{name: array}}, an array with a direction per row, (array, "
                        "names), or the file of a decoder")
    rows = numpy.asarray(host(named))
    if rows.ndim != 2:
        raise ValueError(f"{where} has shape {tuple(rows.shape)}, must be directions × columns")
    if names is None:
        digits = len(str(max(len(rows) - 1, 0)))
        names = [f"{k:0{digits}}" for k in range(len(rows))]
    if len(names) != len(rows):
        raise ValueError(f"{where} has {len(rows)} directions and {len(names)} names, must be equally many")
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"{where}: the name '{twice}' is given twice")
    return [(str(name), row) for name, row in zip(names, rows)]
