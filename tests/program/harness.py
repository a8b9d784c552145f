"""What the tests of the program share: small arrays, a folder of their own, runs of the program."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/atcav"
QUICK = ["--bootstrap", "20", "--permutations", "19"]


def without_progress(text):
    """Standard error less the plain lines of progress: "examples: 44 in 0.3 s"."""
    return re.sub(r"^\w+: \d+ (in|of) .* s( left)?\n", "", text, flags=re.M)


class ProgramTest(unittest.TestCase):
    """Every test has a folder with arrays that are fine: concept.npy, random.npy, gradients.npy."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        generator = np.random.default_rng(1)
        self.save("concept", generator.normal(size=(20, 6)) + 0.3)
        self.save("random", generator.normal(size=(30, 6)))
        self.save("gradients", generator.normal(size=(8, 6)))

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, values, dtype=np.float32):
        path = self.path(name + ".npy")
        np.save(path, np.asarray(values, dtype))
        return path

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def load(self, name="concept"):
        return np.load(self.path(name + ".npy"))

    def command(self, *options, concept=None, random=None, gradients=None):
        return [PROGRAM, "score", "--concept", "c=" + (concept or self.path("concept.npy")),
                "--random", random or self.path("random.npy"),
                "--gradients", gradients or self.path("gradients.npy"), *options]

    def run_program(self, *options, **arrays):
        return subprocess.run(self.command(*QUICK, *options, **arrays), capture_output=True, text=True, cwd=self.folder)

    def result(self, *options, **arrays):
        """The only result of a run that must go well; JSON without NaN or Infinity."""
        done = self.run_program("--json", "-", *options, **arrays)
        self.assertEqual(done.returncode, 0, done.stderr)

        def refuse(text):
            self.fail(f"results.json holds {text}")

        (result,) = json.loads(done.stdout, parse_constant=refuse)["results"]
        return result

    def table(self, *options, **arrays):
        done = self.run_program(*options, **arrays)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_fails(self, code, message, *options, **arrays):
        done = self.run_program(*options, **arrays)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        return done


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
