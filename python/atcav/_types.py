"""What users give, as type checkers see it; docs/python.md says what each is."""
import os
import typing

if typing.TYPE_CHECKING:
    import numpy
    import torch
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import TypeAlias


class Indexed(typing.Protocol):
    """Rows by number: tensors, a Dataset."""

    def __getitem__(self, index: int, /) -> object: ...


Path: "TypeAlias" = "typing.Union[str, os.PathLike[str]]"
Model: "TypeAlias" = "typing.Union[torch.nn.Module, Path]"
Layers: "TypeAlias" = "typing.Union[str, torch.nn.Module, typing.Iterable[typing.Union[str, torch.nn.Module]]]"
Examples: "TypeAlias" = "typing.Union[Path, typing.Iterable[object], Indexed]"
Forward: "TypeAlias" = "typing.Callable[[typing.Any, typing.Any], object]"
Index: "TypeAlias" = "typing.Union[int, str]"
Target: "TypeAlias" = "typing.Union[Index, typing.Tuple[Index, Index], typing.Sequence[int], NDArray[numpy.integer], torch.Tensor, None]"
Class: "TypeAlias" = "typing.Union[typing.Tuple[Target, Examples], Examples]"
ClassFiles: "TypeAlias" = "typing.Union[typing.Tuple[Target, Path], Path]"
Array: "TypeAlias" = "typing.Union[ArrayLike, torch.Tensor]"
Named: "TypeAlias" = "typing.Union[typing.Mapping[str, Array], Array, typing.Tuple[Array, typing.Sequence[str]], Path]"
Directions: "TypeAlias" = "typing.Mapping[str, Named]"
Progress: "TypeAlias" = "typing.Union[bool, typing.Callable[[str, int, int], object], None]"
