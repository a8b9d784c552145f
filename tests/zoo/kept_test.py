"""kept_test.py PROBE PLUGIN: the exports in kept/ have the names and numbers that PyTorch gave (keep.py)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: /usr/bin/python3 has no NumPy")
    sys.exit(77)

import safetensors_file
from example_inputs import inputs_for

TOLERANCE = 1e-4


def differs(found, expected):
    flat = found.astype(numpy.float64).reshape(len(found), -1)
    if flat.shape[1] != expected["columns"]:
        return f"{flat.shape[1]} columns, must be {expected['columns']}"
    scale = max(1e-6, (expected["squares"] / flat.size) ** 0.5)
    error = max(numpy.abs(flat[-1, :5] - expected["last"]).max() / scale / 10,
                abs((flat ** 2).sum() - expected["squares"]) / max(expected["squares"], 1e-12))
    return f"off by {error:.1e}" if not error <= TOLERANCE else ""


def check(path):
    """What is wrong with one file, and how many of its modules are right, folded and missing."""
    expected = json.loads(path.with_suffix(".json").read_text())
    found, metadata = safetensors_file.read(path.with_suffix(".found.safetensors"))
    problems, good, folded, missing = [], 0, 0, []
    if not numpy.allclose(found["logits"], expected["logits"], rtol=TOLERANCE, atol=TOLERANCE):
        problems.append("logits differ")
    for name, truth in expected["modules"].items():
        if "a/" + name not in found:
            missing.append(name)
            continue
        wrong = differs(found["a/" + name], truth["a"]) or differs(found["g/" + name], truth["g"])
        if not wrong:
            good += 1
        elif "folded" in metadata.get("note/" + name, ""):
            folded += 1
        else:
            problems.append(f"{name}: {wrong}")
    if missing:
        problems.append("not found: " + ", ".join(missing))
    print(f"{path.stem}: {good} of {len(expected['modules'])} modules, {folded} with a BatchNorm folded into them")
    return problems


def main():
    kept = pathlib.Path(__file__).resolve().parent / "kept"
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in sorted(kept.iterdir()):
            shutil.copy(path, folder)
        for path in folder.glob("*.json"):
            expected = json.loads(path.read_text())
            arrays = inputs_for({key: (kind, shape) for key, (kind, shape) in expected["inputs"].items()},
                                expected["examples"])
            safetensors_file.write(path.with_suffix(".inputs.safetensors"), arrays)
        subprocess.run([sys.argv[1], name], check=True, env={**os.environ, "ATCAV_PLUGIN": sys.argv[2]})
        files = sorted(folder.glob("*.onnx"))
        for path in files:
            error = path.with_suffix(".error")
            problems = [error.read_text()] if error.exists() else check(path)
            failed += bool(problems)
            for problem in problems:
                print("   ", problem)
    print(f"{len(files) - failed} of {len(files)} files agree")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
