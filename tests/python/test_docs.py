"""The Python blocks of docs/python.md that are marked `run` do, and docs/python-api.md is what the docstrings say."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
from arrays import write_arrays  # noqa: E402
from markdown import blocks  # noqa: E402


class Docs(unittest.TestCase):
    def test_blocks_run(self):
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            write_arrays(pathlib.Path(folder))
            for block in blocks(ROOT / "docs/python.md"):
                if block.words[:2] != ["python", "run"] or any(importlib.util.find_spec(name) is None
                                                               for name in block.values("needs")):
                    continue
                done = subprocess.run([sys.executable, "-c", block.text], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{block.place}\n{done.stderr}")
                for pattern in block.values("prints"):
                    self.assertRegex(done.stdout, re.compile(pattern), block.place)
                ran += 1
        self.assertGreaterEqual(ran, 1)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_api_page_is_current(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "api.md")
            subprocess.run([sys.executable, ROOT / "tools/python_api_page.py", made], check=True)
            self.assertEqual(pathlib.Path(made).read_text(encoding="utf-8"),
                             (ROOT / "docs/python-api.md").read_text(encoding="utf-8"),
                             "make it anew: python tools/python_api_page.py")


if __name__ == "__main__":
    unittest.main()
