"""The pictures of the tutorials are what `atcav demo --figures` draws today.

    pictures.py --program build/atcav [--write]

Same marks and words in the same order; numbers within the last digits, which another processor may round differently.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "images"
NUMBER = re.compile(r"-?\d+\.?\d*")
CLOSE = 1.0  # pixels; 0.05 in a text
IN_TEXT = 0.05


def parts(svg):
    """Lines without their numbers, and the numbers with what they may differ by."""
    words, numbers = [], []
    for line in svg.splitlines():
        body, text = (line.rsplit(">", 2)[0], line.rsplit(">", 2)[1]) if line.startswith("<text") else (line, "")
        words.append((NUMBER.sub("#", body), NUMBER.sub("#", text)))
        numbers += [(float(n), CLOSE) for n in NUMBER.findall(body)] + [(float(n), IN_TEXT) for n in NUMBER.findall(text)]
    return words, numbers


def same(old, new):
    (old_words, old_numbers), (new_words, new_numbers) = parts(old), parts(new)
    return old_words == new_words and all(abs(a - b) <= most for (a, most), (b, _) in zip(old_numbers, new_numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--write", action="store_true", help="bring the pictures up to date")
    arguments = parser.parse_args()
    pictures = sorted(PICTURES.glob("*.svg"))
    assert pictures
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.program, "demo", "-q", "-o", f"{folder}/demo", "--figures", folder], check=True)
        for picture in pictures:
            fresh = pathlib.Path(folder) / picture.name
            if arguments.write:
                shutil.copy(fresh, picture)
            elif not same(picture.read_text(encoding="utf-8"), fresh.read_text(encoding="utf-8")):
                print(f"{picture.name} is not what atcav draws today: run tests/docs/pictures.py --write and look at it")
                return 1
    print(f"{len(pictures)} pictures are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
