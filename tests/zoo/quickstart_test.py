"""quickstart_test.py ATCAV: runs the quickstart's export line with today's PyTorch; the program must know the modules."""
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

from architectures import zoo

program = sys.argv[1]
page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "quickstart.md"
line = re.search(r"```python export\n(.*?)```", page.read_text(encoding="utf-8"), re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    code = f"import os; os.chdir({folder!r})\n" + line
    exec(code, {"torch": torch, "model": zoo()["resnet"][0]})
    listed = subprocess.run([program, "layers", "model.onnx", "--layer", "layer2.0"], cwd=folder, text=True,
                            capture_output=True, check=True).stdout
    print(listed)
    assert "Relu" in listed and "8x56x56" in listed, listed
    assert "at a time" not in listed and "constants follow" not in listed, listed
