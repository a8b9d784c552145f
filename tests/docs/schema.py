"""results.json is what docs/results.schema.json and docs/results.md say, for every method and odd input."""
import argparse
import json
import pathlib
import subprocess
import tempfile

import jsonschema
import numpy as np

from arrays import write_arrays
from markdown import ROOT

SCHEMA = json.loads((ROOT / "docs/results.schema.json").read_text(encoding="utf-8"))
BASE = ["--concept", "striped=striped.npy", "--random", "random.npy", "--gradients", "zebra=zebra.npy"]
SMALL = ["--concept", "striped=striped60.npy", "--random", "random60.npy", "--gradients", "zebra=zebra.npy"]
# Small numbers of refits: what is checked here is the shape.
QUICK = ["--bootstrap", "20", "--permutations", "19"]
RUNS = {
    "pattern": BASE + ["--concept", "dotted=dotted.npy", "--concept", "faint=faint.npy", "--layer", "layer3"],
    "fast": BASE + ["--cav", "fast", "--alpha", "2.5", "--alpha", "star"],
    "ridge": BASE + ["--cav", "ridge", "--centred", "--interval", "bootstrap"],
    "logistic": BASE + ["--cav", "logistic", "--sigma", "analytic"],
    "svm": SMALL + ["--cav", "svm", "--split", "both", "--runs", "4"],
    "moments": BASE + ["--moments"],
    "zero gradients": BASE[:-1] + ["zero.npy"],
    "one input": BASE[:-1] + ["one.npy"],
    "same array": ["--concept", "a=random.npy"] + BASE[2:],
    "labels": ["--pool", "random.npy", "--labels", "labels.csv", "--group-column", "source"] + BASE[4:],
    "two rows": ["--concept", "a=two.npy", "--random", "two.npy"] + BASE[4:],
}


def odd_arrays(folder: pathlib.Path) -> None:
    gradients = np.load(folder / "zebra.npy")
    np.save(folder / "zero.npy", 0 * gradients)
    np.save(folder / "one.npy", gradients[:1])
    for name in ("striped", "random"):  # as many of both: an svm with few of one class converges slowly
        np.save(folder / f"{name}60.npy", np.load(folder / f"{name}.npy")[:60])
    np.save(folder / "two.npy", np.load(folder / "random.npy")[:2])
    rows = [f"{i},{i % 2},{(i * 7) % 13 / 3},s{i // 3}\n" for i in range(len(np.load(folder / "random.npy")))]
    (folder / "labels.csv").write_text("row,odd,size,source\n" + "".join(rows), encoding="utf-8")


def reject_constant(text: str):
    raise SystemExit(f"{text} is not JSON")


def field_names(schema: dict):
    for name, part in schema.get("properties", {}).items():
        yield name
        if isinstance(part, dict):  # not false: a field that must be missing
            yield from field_names(part)
    for part in [schema.get("items"), *schema.get("$defs", {}).values()]:
        if isinstance(part, dict):
            yield from field_names(part)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    program = parser.parse_args().program.resolve()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_arrays(folder)
        odd_arrays(folder)
        for title, arguments in RUNS.items():
            text = subprocess.run([program, "score", *arguments, *QUICK, "--json", "-"], cwd=folder, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            results = json.loads(text, parse_constant=reject_constant)
            for error in validator.iter_errors(results):
                raise SystemExit(f"{title}: {error.json_path}: {error.message[:300]}")
            print(f"{title}: {len(results['results'])} results as the schema says")
    manual = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    unexplained = sorted({name for name in field_names(SCHEMA) if f"`{name}`" not in manual})
    if unexplained:
        raise SystemExit(f"docs/results.md does not explain {', '.join(unexplained)}")


if __name__ == "__main__":
    main()
