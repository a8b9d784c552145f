"""Inputs from a formula, so that tests without PyTorch have the same ones."""
import math

import numpy


def inputs_for(shapes, n):
    """name → array of n examples for name → (kind, shape of one): real numbers, ids below 30, or a mask."""
    arrays = {}
    for key, (kind, shape) in shapes.items():
        count = n * math.prod(shape)
        values = numpy.sin(1.7 * numpy.arange(count) + 1) * 1.5
        if kind == "ids":
            values = numpy.floor((values / 1.5 + 1) * 15).clip(0, 29)
        if kind == "mask":
            lengths = shape[0] - numpy.arange(n) % 4
            values = numpy.arange(shape[0])[None, :] < lengths[:, None]
        arrays[key] = values.reshape(n, *shape).astype(numpy.float32 if kind == "real" else numpy.int64)
    return arrays
