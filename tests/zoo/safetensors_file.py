"""Reading and writing .safetensors files with NumPy alone."""
import json
import math
import struct

import numpy

TYPES = {"F32": numpy.float32, "I64": numpy.int64}


def write(path, arrays):
    header, data = {}, b""
    for key, array in sorted(arrays.items(), key=lambda pair: (-pair[1].dtype.itemsize, pair[0])):
        kind = next(kind for kind, dtype in TYPES.items() if dtype == array.dtype)
        header[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += numpy.ascontiguousarray(array).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """name → array, and the metadata."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for key, entry in header.items():
        begin = 8 + size + entry["data_offsets"][0]
        count = math.prod(entry["shape"])
        arrays[key] = numpy.frombuffer(content, TYPES[entry["dtype"]], count, begin).reshape(entry["shape"])
    return arrays, metadata
