"""First inputs for the fuzz targets: seeds.py FOLDER makes FOLDER/npy, FOLDER/safetensors and so on."""
import glob
import io
import json
import os
import random
import struct
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "program"))
import onnx_bytes as make

FOLDER = sys.argv[1]


def write(target, name, content):
    os.makedirs(os.path.join(FOLDER, target), exist_ok=True)
    with open(os.path.join(FOLDER, target, name), "wb") as file:
        file.write(content)


def npy():
    for i, kind in enumerate(("<f4", "<f8", ">f8", "<f2", "<i8", "|u1", "|b1", ">i2")):
        for j, shape in enumerate(((3, 4), (2, 3, 2), (5,), (), (0, 3))):
            stream = io.BytesIO()
            np.save(stream, np.asfortranarray(np.ones(shape, kind)) if i % 2 else np.ones(shape, kind))
            write("npy", f"{i}{j}", stream.getvalue())


def safetensors():
    for i, (kind, size) in enumerate((("F32", 4), ("BF16", 2), ("F16", 2), ("F64", 8), ("I64", 8), ("BOOL", 1), ("U8", 1))):
        header = {"__metadata__": {"format": "pt"}}
        for j, count in enumerate((6, 0, 2)):
            header[f"t{j}"] = {"dtype": kind, "shape": [count // 2, 2] if count else [0],
                               "data_offsets": [size * (0, 6, 6)[j], size * (6, 6, 8)[j]]}
        text = json.dumps(header).encode()
        write("safetensors", str(i), struct.pack("<Q", len(text)) + text + bytes(range(8 * size)))


def images():
    random.seed(1)
    pixels = np.array([[random.randrange(256) for _ in range(3 * 11)] for _ in range(7)], np.uint8).reshape(7, 11, 3)
    picture = Image.fromarray(pixels)
    for mode in ("RGB", "L", "1", "P", "RGBA", "LA", "I;16"):
        for interlace in (False, True):
            stream = io.BytesIO()
            picture.convert("I" if mode == "I;16" else mode).save(stream, "PNG", **({"interlace": 1} if interlace else {}))
            write("image", f"{mode.replace(';', '')}{interlace:d}.png", stream.getvalue())
    for mode in ("RGB", "L", "CMYK"):
        for progressive in (False, True):
            for orientation in (0, 1, 3, 6, 8):
                stream = io.BytesIO()
                exif = Image.Exif()
                if orientation:
                    exif[0x0112] = orientation
                picture.convert(mode).save(stream, "JPEG", quality=70, progressive=progressive, exif=exif.tobytes() if orientation else b"")
                write("image", f"{mode}{progressive:d}{orientation}.jpg", stream.getvalue())


def write_onnx(name, content):
    for target in ("onnx", "model"):  # the parser alone, and with LibTorch
        write(target, name, content)


def body(name, nodes, inputs, outputs):
    graph = b"".join(nodes) + b"".join(make.value(11, name, ()) for name in inputs)
    graph += b"".join(make.value(12, name, ()) for name in outputs)
    return make.block(1, name) + make.block(6, graph) + make.number(20, 5)


def function(name, inputs, outputs, *nodes):
    """Nodes are field 1 of a graph and field 7 of a function; what they hold is the same."""
    content = make.block(1, name) + b"".join(make.block(4, each) for each in inputs)
    content += b"".join(make.block(5, each) for each in outputs)
    return make.block(25, content + b"".join(b"\x3a" + node[1:] for node in nodes) + make.block(10, "own"))


def call(name, inputs, outputs):
    return make.block(1, b"".join(make.block(1, each) for each in inputs) + b"".join(make.block(2, each) for each in outputs) +
                      make.block(4, name) + make.block(7, "own"))


def functions():
    graph = make.model([call("f", ["x"], ["h"]), call("f", ["h"], ["y"])], [("x", (1, 4))], [("y", (1, 4))])
    return (graph + function("f", ["a"], ["b"], call("g", ["a"], ["c"]), make.node("Relu", ["c"], ["b"])) +
            function("g", ["a"], ["a"]))


def branches():
    then = body("then_branch", [make.node("Tanh", ["h"], ["a"])], [], ["a"])
    other = body("else_branch", [make.node("Neg", ["h"], ["b"])], [], ["b"])
    return make.model([make.node("Relu", ["x"], ["h"]), make.node("ReduceMax", ["h"], ["m"]),
                       make.node("If", ["m"], ["y"], then, other)], [("x", (1, 4))], [("y", (1, 4))])


def loops():
    inside = [make.node("Identity", ["go"], ["on"]), make.node("Add", ["h", "x"], ["h2"])]
    loop = make.node("Loop", ["n", "", "x"], ["y", "seen"], body("body", inside, ["i", "go", "h"], ["on", "h2", "h"]))
    return make.model([make.longs("n", [3]), loop], [("x", (1, 4))], [("y", (1, 4))])


def normalised():
    numbers = [make.floats(name, shape, struct.pack("<f", 0.5) * int(np.prod(shape)))
               for name, shape in (("w", (2, 3, 3, 3)), ("s", (2,)), ("b", (2,)), ("m", (2,)), ("v", (2,)))]
    nodes = [make.node("Conv", ["x", "w"], ["c"]), make.node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"]),
             make.node("Relu", ["n"], ["r"]), make.node("Flatten", ["r"], ["y"])]
    return make.model(numbers + nodes, [("x", (1, 3, 4, 4))], [("y", (1, 8))])


def onnx():
    for path in sorted(glob.glob("/usr/share/libonnx-testdata/**/model.onnx", recursive=True) or
                       glob.glob("/usr/share/**/model.onnx", recursive=True)):
        if os.path.getsize(path) < 3000:
            with open(path, "rb") as file:
                write_onnx(os.path.basename(os.path.dirname(path)), file.read())
    write_onnx("functions", functions())
    write_onnx("branches", branches())
    write_onnx("loops", loops())
    write_onnx("normalised", normalised())


def config():
    lists = "layer: [a, b]\nconcept: [c=d]\nclass: ['z:3=e']\nrelative: ['c:f']\nalpha: [3, star]\nmean: [0.5, 0.1, 0.2]\n"
    plain = "model: m.onnx\nrandom: r\nlambda: 2.5\nruns: 7\nbgr: true\nseed: 18446744073709551615\ncav: ridge\n"
    for i, text in enumerate((lists, plain, lists + plain, "", "# nothing\n", "cache: 'a b'\nshape: '3,4'\n", "{model: x, layer: [y]}",
                              "a: &x 1\nb: *x\n", "model: |\n  two\n  lines\n", "---\nmodel: x\n---\nmodel: y\n")):
        write("config", str(i), text.encode())


def labels():
    plain = b"file,striped,age\na.png,1,2.5\n\"b, c.png\",0,\n"
    for i, text in enumerate((plain, b"\xef\xbb\xbf" + plain, plain.replace(b",", b";"), plain.replace(b"\n", b"\r\n"),
                              b"row\tred\tgroup\n0\ttrue\tx\n1\tFALSE\ty", b'row,"a ""b""",group\n"0",-1e3,"x\ny"\n')):
        write("labels", str(i), text)


def command():
    run = ["--model", "m.onnx", "--layer", "l", "--class", "z:340=a", "--concept", "s=b", "--random", "r"]
    score = ["--concept", "c=a.npy", "--random", "b.npy", "--gradients", "z=c.npy", "--relative", "c:d"]
    for i, words in enumerate((run, score, run + ["--mean=1,2,3", "--bgr", "--resize", "9"], score + ["--alpha", "3", "--alpha", "star"],
                               ["--concept", "c=a.npy", "--random", "b.npy", "--gradients", "g.npy"],
                               ["--cav", "svm", "--cost", "1e-3", "--seed", "-1"], ["--level", "nan"], ["-q", "--json", "-"])):
        write("command", str(i), "\n".join(words).encode())


def graph():
    random.seed(2)
    for i in range(200):
        for target in ("graph", "op"):
            write(target, str(i), bytes(random.randrange(256) for _ in range(64)))


for write_all in (npy, safetensors, labels, images, onnx, config, command, graph):
    write_all()
