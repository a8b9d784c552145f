"""The notebooks in examples/ run from top to bottom and leave their page and pictures."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PICTURES = {"images": ["scores", "profile", "histogram"], "text": ["scores"], "from_captum": ["profile"],
            "language_model": ["where", "steering"]}


@unittest.skipIf(any(importlib.util.find_spec(name) is None for name in ("torch", "pandas", "matplotlib")),
                 "PyTorch, pandas or matplotlib is not installed")
class Notebooks(unittest.TestCase):
    def test_they_are_all_known(self):
        self.assertEqual({path.stem for path in EXAMPLES.glob("*.py")}, set(PICTURES))

    def test_they_run(self):
        for name, pictures in PICTURES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=folder, capture_output=True, text=True,
                                      env={**os.environ, "MPLBACKEND": "Agg"})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                out = pathlib.Path(folder, "out", name)
                self.assertIn("<html", (out / "report.html").read_text(encoding="utf-8"))
                for picture in pictures:
                    self.assertEqual((out / f"{picture}.png").read_bytes()[:4], b"\x89PNG")


if __name__ == "__main__":
    unittest.main()
