"""All Python of README.md and docs/python.md runs, and docs/python-api.md is what the docstrings say."""
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


def missing(module: str) -> bool:
    return importlib.util.find_spec(module) is None


class Docs(unittest.TestCase):
    def run_text(self, text, folder, place):
        done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{place}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_scripts_run_as_they_are(self):
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            write_arrays(pathlib.Path(folder))
            for block in blocks(ROOT / "docs/python.md"):
                if block.words[:2] != ["python", "run"] or any(map(missing, block.values("needs"))):
                    continue
                output = self.run_text(block.text, folder, block.place)
                for pattern in block.values("prints"):
                    self.assertRegex(output, re.compile(pattern), block.place)
                ran += 1
        self.assertGreaterEqual(ran, 1)

    @unittest.skipIf(missing("torch"), "PyTorch is not installed")
    def test_what_is_shown_runs_on_what_it_takes_as_given(self):
        prelude = (ROOT / "tests/python/docs_prelude.py").read_text(encoding="utf-8")
        for page in ("README.md", "docs/python.md"):
            shown = [block for block in blocks(ROOT / page) if block.words[:1] == ["python"] and "run" not in block.words]
            self.assertGreater(len(shown), 0)
            # Lines about results belong to the run before them, so that a page is one script.
            needs = {"plot": "matplotlib", "to_frame": "pandas", "to_parquet": "pyarrow"}
            lines = [line for block in shown for line in block.text.splitlines()
                     if not any(word in line and missing(package) for word, package in needs.items())]
            with self.subTest(page), tempfile.TemporaryDirectory() as folder:
                self.assertIn("striped", self.run_text("\n".join([prelude, *lines]), folder, page))
                report = pathlib.Path(folder, "out", "report.html").read_text(encoding="utf-8")
                self.assertIn("striped", report)

    @unittest.skipIf(missing("torch"), "PyTorch is not installed")
    def test_api_page_is_current(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "api.md")
            subprocess.run([sys.executable, ROOT / "tools/python_api_page.py", made], check=True)
            self.assertEqual(pathlib.Path(made).read_text(encoding="utf-8"),
                             (ROOT / "docs/python-api.md").read_text(encoding="utf-8"),
                             "make it anew: python tools/python_api_page.py")


if __name__ == "__main__":
    unittest.main()
