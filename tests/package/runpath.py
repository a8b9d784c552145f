"""No program or library looks for others in the current folder: runpath.py FOLDER...

Every part of RUNPATH and RPATH is absolute or begins with $ORIGIN. An empty part is the current folder, where anybody's
libfmt.so.9 may lie.
"""
import os
import re
import subprocess
import sys


def binaries(folder):
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in sorted(names)):
            if os.path.isfile(path) and not os.path.islink(path) and is_linked(path):
                yield path


def is_linked(path):
    """An ELF file of type 2 or 3: a program or a shared library, not an object file."""
    with open(path, "rb") as file:
        head = file.read(18)
    return head.startswith(b"\x7fELF") and head[16] in (2, 3)


def problems(path):
    shown = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    for parts in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", shown):
        for part in parts.split(":"):
            if not part.startswith(("/", "$ORIGIN", "${ORIGIN}")):
                yield f"{path}: '{part}' in {parts}"


def main():
    found, count = [], 0
    for folder in sys.argv[1:]:
        for path in binaries(folder):
            count += 1
            found += problems(path)
    print("\n".join(found) if found else f"{count} programs and libraries: clean")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
