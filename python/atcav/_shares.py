"""share and merge: a run of an ONNX file in parts that need not know of each other."""
import os
import typing

from . import _atcav, _options
from ._results import Run
from ._run import progress_of

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import RunOptions
    from ._types import Path, Progress

# What may be chosen anew when parts are put together.
_OF_MERGE = {word: _options.RUN[word] for word in ("threads", "memory", "cache", "cache_gb", "influences")}


class Share(typing.NamedTuple):
    """What a part computed: was_there where its file was complete already and nothing was."""
    was_there: bool
    gradients: int
    examples: int
    bytes: int


def _paths(what, given) -> list:
    if isinstance(given, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} is {type(given).__name__}, must be a list of paths")
    return [os.fspath(one) for one in given]


def share(config: "Path", part: typing.Tuple[int, int], file: "Path", *, gradients_only: bool = False,
          gradients: "typing.Iterable[Path]" = (), progress: "Progress" = None, **options: "Unpack[RunOptions]") -> Share:
    """Compute one part of a run, anywhere and in any order: `atcav share`.

        for number in range(1, 9):                                # on eight machines, say
            atcav.share("run.yaml", (number, 8), f"share-{number}")
        run = atcav.merge([f"share-{number}" for number in range(1, 9)])

    config: the YAML file of `atcav run`. part: its number, from 1, and how many there are. file: where it is written, whole or
        not at all; where it is there, complete and of the same run, nothing is computed.
    gradients_only, gradients: a first round, where classes are many: its parts have gradients alone, and those of the
        second are given the files of all.
    Further keywords are the options of `atcav run`; they win over the file, and all parts must have the same, but for
    threads, memory and cache. A torch.nn.Module is shared by run(processes=True) under torchrun.
    """
    with progress_of(progress) as tell:
        return Share(*_atcav.share(os.fspath(config), part, os.fspath(file), gradients_only, _paths("gradients", gradients),
                                   _options.by_key("share", _options.RUN, options), tell))


def merge(files: "typing.Iterable[Path]", *, progress: "Progress" = None, **options: object) -> Run:
    """The run, from all its parts in any order, byte for byte: `atcav merge`.

    Network and examples must be where the parts found them: interventions, erasures and maps are the merge's, and every
    example is read to see that it is the one that the parts had.
    options: threads, memory, cache, cache_gb, influences.
    """
    chosen = _options.by_key("merge", _OF_MERGE, options)
    with progress_of(progress) as tell:
        return Run(*_atcav.merge(_paths("files", files), chosen, tell))
