"""docs/configuration.md shows what `atcav run --help` prints, so it cannot fall behind.

    configuration.py --program build/atcav [--write]
"""
import argparse
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
START, END = "```text\n", "```\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--write", action="store_true", help="bring the page up to date")
    arguments = parser.parse_args()
    help_text = subprocess.run([arguments.program, "run", "--help"], check=True, capture_output=True, text=True).stdout
    # The first line holds the path the program was called by.
    help_text = "\n".join(line.rstrip() for line in help_text.replace(arguments.program, "atcav").splitlines()) + "\n"
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(START, 1)
    tail = rest.split(END, 1)[1]
    fresh = head + START + help_text + END + tail
    if arguments.write:
        PAGE.write_text(fresh, encoding="utf-8")
        return 0
    if fresh != page:
        print("docs/configuration.md is behind `atcav run --help`: run tests/docs/configuration.py --write")
        return 1
    print("docs/configuration.md: up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
