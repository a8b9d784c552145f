"""What the tests of `atcav run` share: the demo's network, pictures drawn here, runs of the program on them."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

from harness import PROGRAM, QUICK, main, np, without_progress

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/demo/demo.onnx")
SIDE = 48
SETS = {"random": 20, "striped": 12, "dotted": 12, "zebra": 8}
TOTAL = sum(SETS.values())
OUTPUTS = {"results.json", "timings.json", "report.html"}

# Threads that wait idly instead of spinning: half the processor time where others want it too.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

if "run" not in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout.split():
    print("skipped: the program was built without networks")
    raise SystemExit(77)


def png(pixels):
    """A grey picture as a PNG file; `pixels` are rows of bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def jpeg():
    """An even grey of 48 × 48 as the smallest JPEG: each Huffman table has one code of one bit, 0."""
    def table(kind):
        return b"\xff\xc4\x00\x14" + bytes([kind, 1]) + bytes(16)
    size = struct.pack(">HH", SIDE, SIDE)
    return (b"\xff\xd8\xff\xdb\x00\x43\x00" + b"\x01" * 64 + b"\xff\xc0\x00\x0b\x08" + size + b"\x01\x01\x11\x00" +
            table(0x00) + table(0x10) + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + bytes(9) + b"\xff\xd9")


def picture(generator, kind):
    """Noise with stripes, dots or both faintly on it: what the network was trained to tell apart."""
    y, x = np.mgrid[:SIDE, :SIDE]
    light = 0.5 + 0.12 * generator.normal(size=(SIDE, SIDE))
    shift = generator.integers(6)
    if kind in ("striped", "zebra"):
        light += 0.25 * ((x + shift) % 6 < 3) - 0.125
    if kind == "dotted":
        light += 0.4 * (((x + shift) % 8 - 4) ** 2 + ((y + shift) % 8 - 4) ** 2 < 5) - 0.1
    return png((255 * light.clip(0, 1)).astype(np.uint8))


class RunTest(unittest.TestCase):
    """Every test has a folder of its own with the sets of SETS, fine pictures all."""

    @classmethod
    def setUpClass(cls):
        generator = np.random.default_rng(1)
        cls.pictures = {name: [picture(generator, name) for _ in range(count)] for name, count in SETS.items()}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, pictures in self.pictures.items():
            for i, content in enumerate(pictures):
                self.write(f"{name}/{i:02}.png", content)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def copy(self, source, target):
        os.makedirs(os.path.dirname(self.path(target)), exist_ok=True)
        shutil.copy(self.path(source), self.path(target))

    def names(self, folder):
        return sorted(os.listdir(self.path(folder))) if os.path.isdir(self.path(folder)) else []

    def write_units(self):
        """Six units of up to 128 rows to deal between processes; arrays, so that drawing them takes no time."""
        generator = np.random.default_rng(3)
        for name, rows in (("many", 420), ("a", 170), ("b", 90), ("inputs", 40)):
            values = generator.uniform(size=(rows, 3, 48, 48)).astype(np.float32)
            values[: rows // 2, :, :, ::3] += 0.2
            np.save(self.path(name + ".npy"), values)

    def units(self, *options, layers):
        return self.command(*options, layers=layers, classes=("zebra:0=inputs.npy", "other:1=a.npy"),
                            concepts=("a=a.npy", "b=b.npy"), random="many.npy")

    def command(self, *options, model=MODEL, layers=("block4", "pool"), classes=("zebra:0=zebra",),
                concepts=("striped=striped", "dotted=dotted"), random="random"):
        command = [PROGRAM, "run", "--model", model, "--random", random, "--preprocess", "none",
                   "--scale", "0.00392", *QUICK]
        for option, values in (("--layer", layers), ("--class", classes), ("--concept", concepts)):
            for value in values:
                command += [option, value]
        return [*command, *options]

    def start(self, *options, **inputs):
        return subprocess.Popen(self.command(*options, **inputs), cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_program(self, *options, **inputs):
        done = subprocess.run(self.command(*options, **inputs), cwd=self.folder, text=True, capture_output=True)
        done.stderr = without_progress(done.stderr)
        return done

    def results(self, *options, out="out", **inputs):
        """The bytes of results.json of a run that must go well."""
        done = self.run_program("-o", out, *options, **inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.names(out)), OUTPUTS)
        self.stderr, self.stdout = done.stderr, done.stdout
        return self.read(out + "/results.json")

    def timings(self, out="out"):
        return json.loads(self.read(out + "/timings.json"))
