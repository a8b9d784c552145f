#!/usr/bin/python3
"""Ties numbers in the documentation to files that commands make.

    tools/figures.py check                  every marked number is what docs/measured says (the test docs_figures)
    tools/figures.py update NAME [OUT]      runs NAME's command into OUT (default: a new folder), or reads OUT as it
                                            is if it holds the source already, and writes the values that came
    tools/figures.py enter NAME             puts the numbers of NAME's blocks that the file does not have yet into it, by hand
    tools/figures.py show NAME [OUT [WORD ...]]   what the source has, with the paths to quote it by

In a page `<!-- measured: NAME KEY -->` stands before a paragraph, list or table. docs/measured/NAME.json has for KEY the
values that the block must show, in this order, each rounded as the text rounds it; other numbers may stand between.

    {"command": "atcav paper -o $OUT --quiet",      run by bash in the repository's root, the program first on PATH
     "source": "paper.json",                        what is read, under $OUT: paper.json, or a log of text
     "date": "2026-11-19", "commit": "93373a5", "machine": "2 cores of an AMD EPYC",
     "figures": {"KEY": [["figure/claim's first words", 0.28], ["figure:curve:3", 0.47], 4.5]}}

A path into paper.json is FIGURE/WORDS (a claim's own number; WORDS may follow `paper/` for the paper's, `deviation/`),
FIGURE:CURVE:N (point N of a curve), or `min FIGURE:CURVE`, `max …`, `median …`, `last …`. Into a log it is a regular expression
with one group. A number without a path was entered by hand: it comes from another machine or day, the file's.

Tables of what `atcav paper` claims are written whole: `<!-- claims: NAME -->` (what the paper says) and `<!-- checks: NAME -->`
(simulation against theory) stand before them, and `update` writes what follows.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MEASURED = ROOT / "docs/measured"
MARKER = re.compile(r"<!-- measured: (\S+) (\S+) -->\n")
TABLE = re.compile(r"<!-- (claims|checks): (\S+) -->\n\n?((?:\|.*\n)*)")
NUMBER = re.compile(r"([-−+]?(?:\d[\d,]*)?\.?\d+(?:e-?\d+)?)(\s?%)?")


def numbers(block: str):
    """Of a block of text: (value, half a unit of its last digit), percent as shares."""
    for token, percent in NUMBER.findall(block.replace("½", "0.5").replace("¼", "0.25")):
        plain = token.replace("−", "-").replace(",", "").replace("+", "")
        digits = plain.split("e")[0].partition(".")[2]
        exponent = int(plain.split("e")[1]) if "e" in plain else 0
        unit = 0.01 if percent else 1
        yield unit * float(plain), unit * 0.5 * 10.0 ** (exponent - len(digits))


def blocks(page: pathlib.Path):
    """(name, key, text) of each marker: the text ends at an empty line, in a table with the table."""
    text = page.read_text(encoding="utf-8")
    for found in MARKER.finditer(text):
        yield found[1], found[2], text[found.end():].lstrip("\n").split("\n\n")[0]


def missing(block: str, values):
    """The first value that the block does not show in its place."""
    shown = iter(numbers(block))
    for value in values:
        if not any(abs(have - value) <= half * 1.0001 + 1e-12 * abs(value) for have, half in shown):
            return value
    return None


def record(name: str):
    path = MEASURED / f"{name}.json"
    if not path.is_file():
        raise SystemExit(f"figures: there is no docs/measured/{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))


def short(value) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}".replace("-", "−")


def table(kind: str, known) -> str:
    """Of the claims that NAME's file has, as Markdown."""
    def plain(text):
        return text.replace("|", "\\|")

    if kind == "checks":
        rows = ["| checked | here | largest deviation | figure |", "|---|---|---|---|"]
        rows += [f"| {plain(c['text'])} | {short(c['ours'])} | {short(c['deviation'])}{' SE' * (c['deviation'] is not None)} "
                 f"| `{c['figure']}` |" for c in known["claims"] if c["check"]]
    else:
        rows = ["| the paper | says | paper | here | verdict | figure |", "|---|---|---|---|---|---|"]
        rows += [f"| {c['where']} | {plain(c['text'])}{': ' * bool(c.get('untested'))}{c.get('untested') or ''} | {short(c['paper'])} "
                 f"| {short(c['ours'])} | {c['verdict']} | `{c['figure']}` |" for c in known["claims"] if c.get("where")]
    return "\n".join(rows) + "\n"


def all_pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def write_tables(name: str) -> None:
    def written(found):
        return f"<!-- {found[1]}: {name} -->\n\n{table(found[1], record(name))}" if found[2] == name else found[0]
    for page in all_pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(TABLE.sub(written, text), encoding="utf-8")


def problems():
    quoted = set()
    for page in all_pages():
        place = page.relative_to(ROOT)
        for kind, name, text in TABLE.findall(page.read_text(encoding="utf-8")):
            if text != table(kind, record(name)):
                yield f"{place}: the {kind} of {name} are not those of docs/measured/{name}.json (tools/figures.py update)"
        for name, key, text in blocks(page):
            quoted.add((name, key))
            values = record(name)["figures"].get(key)
            if values is None:
                yield f"{place}: docs/measured/{name}.json has no {key}"
                continue
            absent = missing(text, [value if isinstance(value, float | int) else value[1] for value in values])
            if absent is not None:
                yield f"{place}: {key} of {name} was measured as {absent:.6g}, which the text does not show in its place"
    for path in sorted(MEASURED.glob("*.json")):
        for field in ("command", "date", "commit", "machine"):
            if not record(path.stem).get(field):
                yield f"docs/measured/{path.name}: {field} is missing"
        for key in record(path.stem)["figures"]:
            if (path.stem, key) not in quoted:
                yield f"docs/measured/{path.name}: no page quotes {key}"


def rounded(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


class Paper:
    """paper.json by path."""

    def __init__(self, text: str):
        self.figures = {f["id"]: f for section in json.loads(text)["sections"] for f in section["figures"]}
        fields = ("text", "where", "paper", "ours", "deviation", "check", "verdict", "untested")
        self.claims = [{**{k: rounded(c[k]) for k in fields if k in c}, "figure": f["id"]}
                       for f in self.figures.values() for c in f["claims"]]

    def curve(self, path: str):
        figure, _, name = path.partition(":")
        for curve in self.figures[figure]["curves"]:
            if curve["name"] == name:
                return curve["y"]
        raise SystemExit(f"figures: {figure} has no curve '{name}'")

    def value(self, path: str) -> float:
        word, _, rest = path.partition(" ")
        ways = {"min": min, "max": max, "median": statistics.median, "last": lambda y: y[-1]}
        if word in ways and ":" in rest:
            return ways[word](self.curve(rest))
        if "/" in path:
            figure, _, words = path.partition("/")
            which = "ours"
            if words.split("/")[0] in ("paper", "deviation"):
                which, _, words = words.partition("/")
            for claim in self.figures[figure]["claims"]:
                if claim["text"].startswith(words):
                    return claim[which]
            raise SystemExit(f"figures: {figure} has no claim '{words}'")
        name, _, place = path.rpartition(":")
        return self.curve(name)[int(place)]

    def paths(self):
        for name, figure in self.figures.items():
            for claim in figure["claims"]:
                yield f"{name}/{claim['text']}", claim["ours"]
            for curve in figure["curves"]:
                for place, y in enumerate(curve["y"][:60]):
                    yield f"{name}:{curve['name']}:{place}", y


class Log:
    """Printed text by regular expressions."""

    def __init__(self, text: str):
        self.text = text

    def value(self, path: str) -> float:
        found = re.search(path, self.text)
        if found is None:
            raise SystemExit(f"figures: the log has nothing like '{path}'")
        return float(found[1])

    def paths(self):
        return [(line, "") for line in self.text.splitlines()]


def source_of(known, folder: pathlib.Path):
    text = (folder / known["source"]).read_text(encoding="utf-8")
    return Paper(text) if known["source"].endswith("paper.json") else Log(text)


def made(known, folder: pathlib.Path):
    if not (folder / known["source"]).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        script = f'set -e; export PATH="$PWD/build:$PATH" OUT="{folder}"; {known["command"]}'
        subprocess.run(["bash", "-c", script], cwd=ROOT, check=True)
    return source_of(known, folder)


def update(name: str, folder: pathlib.Path) -> None:
    known = record(name)
    source = made(known, folder)
    for key, values in known["figures"].items():
        known["figures"][key] = [v if isinstance(v, float | int) else [v[0], rounded(source.value(v[0]))] for v in values]
    if isinstance(source, Paper):
        known["claims"] = source.claims
    git = ["git", "-C", str(ROOT)]
    known["commit"] = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    known["date"] = subprocess.run(["date", "+%F"], check=True, capture_output=True, text=True).stdout.strip()
    write(name, known)
    write_tables(name)


def enter(name: str) -> None:
    """Blocks of a machine or a day that is gone: what the text says is taken as measured."""
    known = record(name)
    for page in all_pages():
        for named, key, text in blocks(page):
            if named == name and key not in known["figures"]:
                known["figures"][key] = [rounded(value) for value, _ in numbers(text)]
    write(name, known)


def write(name: str, known) -> None:
    def line(value) -> str:
        return json.dumps(value, ensure_ascii=False)

    head = {field: value for field, value in known.items() if field not in ("figures", "claims")}
    figures = ",\n".join(f"  {line(key)}: {line(values)}" for key, values in known["figures"].items())
    claims = ",\n".join("  " + line(claim) for claim in known.get("claims", []))
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2] + f',\n "figures": {{\n{figures}\n }}'
    text += f',\n "claims": [\n{claims}\n ]\n}}\n' if claims else "\n}\n"
    (MEASURED / f"{name}.json").write_text(text, encoding="utf-8")


def main(words) -> int:
    if words[:1] == ["check"]:
        found = list(problems())
        print("\n".join(found) if found else "figures: every marked number is what was measured")
        return 1 if found else 0
    if words[:1] == ["enter"] and len(words) == 2:
        enter(words[1])
        return 0
    if len(words) >= 2 and words[0] in ("update", "show"):
        with tempfile.TemporaryDirectory() as new:
            folder = pathlib.Path(words[2] if words[0] == "update" and len(words) > 2 else new).resolve()
            if words[0] == "update":
                update(words[1], folder)
            else:
                folder = pathlib.Path(words[2]).resolve() if len(words) > 2 else folder
                for path, value in made(record(words[1]), folder).paths():
                    if all(word in path for word in words[3:]):
                        print(value, path, sep="\t")
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
