"""write_examples.py FOLDER: all Python of README.md, docs/python.md and docs/tutorials as files, for type checkers."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
from markdown import blocks  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
prelude = (ROOT / "tests/python/docs_prelude.py").read_text(encoding="utf-8")
for page in (ROOT / "README.md", ROOT / "docs/python.md"):
    shown = []
    for number, block in enumerate(blocks(page)):
        if "pyarrow" in block.values("needs"):  # which has no types for checkers
            continue
        if block.words[:2] == ["python", "run"]:
            (folder / f"{page.stem}_{number}.py").write_text(block.text, encoding="utf-8")
        elif block.words[:1] == ["python"]:
            shown.append(block.text)
    # As the tests run them: a page is one script.
    (folder / f"{page.stem}.py").write_text("\n".join([prelude, *shown]), encoding="utf-8")
