"""ONNX files by hand, field by field: models that no exporter would write."""
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def floats(name, shape, raw):
    """An initializer of float32 values, as bytes."""
    return block(5, b"".join(number(1, size) for size in shape) + number(2, 1) + block(8, name) + block(9, raw))


def longs(name, values):
    return block(5, number(1, len(values)) + number(2, 7) + block(8, name) +
                 block(9, struct.pack(f"<{len(values)}q", *values)))


def node(op, inputs, outputs, *attributes):
    return block(1, b"".join(block(1, name) for name in inputs) + b"".join(block(2, name) for name in outputs) +
                 block(4, op) + b"".join(block(5, attribute) for attribute in attributes))


def value(field, name, shape):
    dims = b"".join(block(1, number(1, size)) for size in shape)
    return block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, dims))))


def model(parts, inputs, outputs, opset=13):
    """`inputs` and `outputs` are pairs of name and shape."""
    graph = b"".join(parts) + block(2, "g")
    graph += b"".join(value(11, *pair) for pair in inputs) + b"".join(value(12, *pair) for pair in outputs)
    return number(1, 8) + block(8, block(1, "") + number(2, opset)) + block(7, graph)
