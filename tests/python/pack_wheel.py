"""pack_wheel.py BUILD PYPROJECT FOLDER: the wheel of a developer build, from the same install rules as pip's, without PyPI.

What pip builds (pyproject.toml) needs scikit-build-core, which Debian 12 does not have. Prints the wheel's path.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile


def metadata(project: dict, version: str) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}"]
    return "\n".join(lines + [f"Requires-Dist: {one}" for one in project["dependencies"]]) + "\n"


def main(build: pathlib.Path, pyproject: pathlib.Path, folder: pathlib.Path) -> None:
    settings = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    found = settings["tool"]["scikit-build"]["metadata"]["version"]
    version = re.search(found["regex"], (pyproject.parent / found["input"]).read_text(encoding="utf-8"))["value"]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    staged = folder / "staged"
    subprocess.run(["cmake", "--install", build, "--component", "python", "--strip", "--prefix", staged], check=True,
                   stdout=subprocess.DEVNULL)
    info = staged / f"atcav-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(metadata(settings["project"], version), encoding="utf-8")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: pack_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n")
    record = info / "RECORD"
    files = sorted(path for path in staged.rglob("*") if path.is_file())
    with record.open("w", encoding="utf-8") as lines:
        for path in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            lines.write(f"{path.relative_to(staged)},sha256={digest},{path.stat().st_size}\n")
        lines.write(f"{record.relative_to(staged)},,\n")
    wheel = folder / f"atcav-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in [*files, record]:
            archive.write(path, path.relative_to(staged))
    print(wheel)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
