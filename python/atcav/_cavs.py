"""Directions in safetensors files: tensors "LAYER/CONCEPT"."""
import json
import struct

import numpy

from . import _atcav
from ._examples import is_tensor

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def to_safetensors(directions) -> bytes:
    """The file of {layer: {concept: array}}."""
    header, data, offset = {"__metadata__": {"atcav": _atcav.__version__}}, [], 0
    for layer, named in directions.items():
        for concept, values in named.items():
            array = numpy.asarray(values.detach().cpu().float() if is_tensor(values) else values, dtype="<f4").ravel()
            name = f"{layer}/{concept.replace('%', '%25').replace('/', '%2F')}"
            header[name] = {"dtype": "F32", "shape": [array.size], "data_offsets": [offset, offset + array.nbytes]}
            data.append(array.tobytes())
            offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data)


def load_cavs(path) -> dict:
    """{layer: {concept: array}} from a file that save_cavs or `atcav run --save-cavs` wrote, or any safetensors file
    with tensors "LAYER/CONCEPT"."""
    with open(path, "rb") as file:
        start, rest = file.read(8), file.read()
    size = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
    try:
        header = json.loads(rest[:size]) if 0 < size <= len(rest) else None
        own = "atcav" in (header.pop("__metadata__", None) or {})
        tensors = [(name, entry["dtype"], entry["shape"], entry["data_offsets"]) for name, entry in header.items()]
        return _by_layer(tensors, rest[size:], own)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f": {error}" if type(error) is ValueError else ""
        raise ValueError(f"{path} is no safetensors file with tensors LAYER/CONCEPT{why}") from None


def _by_layer(tensors, body, own) -> dict:
    found = {}
    for name, dtype, shape, (first, last) in tensors:
        layer, slash, concept = name.rpartition("/")
        if not slash or dtype not in _DTYPES:
            raise ValueError(f"tensor '{name}' is {dtype}, must be floats named LAYER/CONCEPT")
        values = numpy.frombuffer(body[first:last], _DTYPES[dtype])
        if dtype == "BF16":  # the upper half of a float32
            values = (values.astype("<u4") << 16).view("<f4")
        if own:
            concept = concept.replace("%2F", "/").replace("%25", "%")
        found.setdefault(layer, {})[concept] = values.reshape(shape)
    return found
