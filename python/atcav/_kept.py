"""What a Run rests on: the C++ result of a run that was just made, or what is kept of one that was pickled."""
import os
import typing
import zlib

from . import _atcav


class Live:
    """Of a run that was just made; the texts come when they are asked for."""

    def __init__(self, result):
        self._result = result
        self.text = result.json()

    def timings(self) -> str:
        return self._result.timings_json()

    def table(self) -> str:
        return self._result.table()

    def files(self) -> typing.List[typing.Tuple[str, str]]:
        """Names and contents of results.json, report.html and timings.json."""
        return self._result.report_files()

    def figures(self) -> typing.List[typing.Tuple[str, str]]:
        return self._result.figures()

    def warnings(self) -> typing.List[typing.Tuple[str, str, str]]:
        """(text, places, an example of them or "")"""
        return self._result.warnings()

    def cavs(self) -> list:
        """(layer, concepts, directions, steps, random mean) by layer."""
        return self._result.cav_parts()

    def cavs_file(self) -> bytes:
        return self._result.cavs_file()

    def analysed(self):
        """With each example's and input's share, for other groups and for comparisons."""
        return self._result

    def __reduce__(self):
        page = dict(self.files())["report.html"]
        texts = {"text": self.text, "timings": self.timings(), "table": self.table(), "page": page}
        return Kept, ({name: zlib.compress(text.encode("utf-8", "surrogateescape")) for name, text in texts.items()},
                      [(name, zlib.compress(svg.encode("utf-8", "surrogateescape"))) for name, svg in self.figures()],
                      self.warnings(), self.cavs(), self.cavs_file())

    def __deepcopy__(self, memo):
        return self  # nothing in it changes


class Kept:
    """The same by value, texts compressed."""

    def __init__(self, texts, figures, warnings, cavs, cavs_file):
        self._texts, self._figures, self._warnings, self._cavs, self._cavs_file = texts, figures, warnings, cavs, cavs_file

    def _read(self, name: str) -> str:
        return _text(self._texts[name])

    @property
    def text(self) -> str:
        return self._read("text")

    def analysed(self):
        raise ValueError("this run was pickled, which leaves influences out: summary() and compare() need the run itself, or its "
                         "folder and `atcav reanalyse` and `atcav compare`")

    def timings(self):
        return self._read("timings")

    def table(self):
        return self._read("table")

    def files(self):
        return [("results.json", self.text), ("report.html", self._read("page")), ("timings.json", self.timings())]

    def figures(self):
        return [(name, _text(svg)) for name, svg in self._figures]

    def warnings(self):
        return self._warnings

    def cavs(self):
        return self._cavs

    def cavs_file(self):
        return self._cavs_file


def _text(compressed: bytes) -> str:
    return zlib.decompress(compressed).decode("utf-8", "surrogateescape")


def write(folder, files) -> typing.List[str]:
    """All of the files, or none; gives their paths."""
    folder = os.fspath(folder)
    paths = [os.path.join(folder, name) for name, _ in files]
    contents = [one if isinstance(one, bytes) else one.encode("utf-8", "surrogateescape") for _, one in files]
    _atcav.write_files(list(zip(paths, contents)))
    return paths
