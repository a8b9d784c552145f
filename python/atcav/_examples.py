"""Examples from anything: what the streaming run reads, block after block (model::ExampleSource in C++)."""
import mmap
import os
import sys
import typing

import numpy

from . import _atcav
from ._text import texts_of


def _torch():
    """PyTorch if the program uses it; this package never imports it by itself."""
    return sys.modules.get("torch")


def is_tensor(value) -> bool:
    torch = _torch()
    return torch is not None and torch.is_tensor(value)


def is_array(value) -> bool:
    return is_tensor(value) or isinstance(value, numpy.ndarray)


def leaves(batch) -> list:
    """The parts of nested tuples, lists and dicts, in order. A list of texts is one part."""
    if isinstance(batch, dict) or hasattr(batch, "keys"):
        return [leaf for key in batch.keys() for leaf in leaves(batch[key])]
    if isinstance(batch, (tuple, list)) and not _is_column(batch):
        return [leaf for part in batch for leaf in leaves(part)]
    return [batch]


def _is_column(part) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(one, (str, bytes, int, float)) for one in part)


def count_rows(batch) -> int:
    for leaf in leaves(batch):
        if is_array(leaf) and leaf.ndim > 0:
            return int(leaf.shape[0])
        if _is_column(leaf):
            return len(leaf)
    raise ValueError(f"a batch is {type(batch).__name__} without any array in it; must hold arrays or tensors with one "
                     "row per example")


def sliced(batch, first: int, last: int):
    rows = count_rows(batch)
    return each_part(batch, lambda part: part[first:last] if len(part) == rows else part)


def each_part(batch, function):
    """The same structure with what the function gives for each array and list of values."""
    if isinstance(batch, dict) or hasattr(batch, "keys"):
        return {key: each_part(batch[key], function) for key in batch.keys()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(each_part(part, function) for part in batch))
    if isinstance(batch, (tuple, list)) and not _is_column(batch):
        return type(batch)(each_part(part, function) for part in batch)
    return function(batch) if (is_array(batch) and batch.ndim > 0) or _is_column(batch) else batch


_STAGED_BYTES = 1 << 25  # of rows on a device that are copied at once to be hashed


class Staging:
    """Rows on a device come to memory beside what the device has in hand, which a plain copy would wait for."""

    def __init__(self, leaf):
        cuda = _torch().cuda
        self._device, self._stream, self._there = leaf.device, cuda.Stream(leaf.device), cuda.Event()
        self.begin()

    def begin(self) -> None:
        """Everything that was computed until now is there to be copied."""
        self._there.record(_torch().cuda.current_stream(self._device))

    def copied(self, leaf):
        torch = _torch()
        self._stream.wait_event(self._there)
        with torch.cuda.stream(self._stream):
            here = torch.empty(leaf.shape, dtype=leaf.dtype, pin_memory=True).copy_(leaf, non_blocking=True)
        self._stream.synchronize()
        return here


def _is_staged(leaf) -> bool:
    return is_tensor(leaf) and leaf.device.type == "cuda"


def _hashed_part(leaf, rows: int, staging):
    """(shape, array) or ("", a text per row): what C++ hashes of an array file, where it could be one."""
    if is_tensor(leaf):
        leaf = leaf.detach()
        leaf = staging.copied(leaf) if staging is not None and _is_staged(leaf) else leaf.cpu()
        if leaf.is_floating_point() and leaf.element_size() < 8:
            leaf = leaf.float()
        leaf = leaf.resolve_conj().contiguous().numpy()
    if isinstance(leaf, numpy.ndarray) and leaf.ndim > 0 and len(leaf) == rows and leaf.dtype.kind != "O":
        if leaf.dtype.kind in "iub":
            leaf = leaf.astype(numpy.int64, copy=False)
        elif leaf.dtype.kind == "f" and leaf.dtype.itemsize < 8:
            leaf = leaf.astype(numpy.float32, copy=False)
        return "x".join(map(str, leaf.shape[1:])) + "\n", numpy.ascontiguousarray(leaf)
    if (_is_column(leaf) or isinstance(leaf, numpy.ndarray)) and len(leaf) == rows:
        return "", [repr(one) for one in leaf]
    return "", [repr(leaf)] * rows


def row_hashes(batch, rows: int, targets=None, staging=None) -> typing.List[str]:
    """SHA-256 of each row. Equal rows have equal hashes, wherever they lie."""
    some = rows
    staged = sum(leaf.numel() * leaf.element_size() for leaf in leaves(batch) if _is_staged(leaf))
    if staged > 0:
        staging = staging or Staging(next(filter(_is_staged, leaves(batch))))
        some = max(1, _STAGED_BYTES * rows // staged)
    hashes = []
    for first in range(0, rows, some):
        last = min(first + some, rows)
        part = batch if last - first == rows else sliced(batch, first, last)
        parts = [_hashed_part(leaf, last - first, staging) for leaf in leaves(part)]
        if targets is not None:
            parts.append(("", [f"target {target}" for target in targets[first:last]]))
        hashes += _atcav.row_hashes(parts, last - first)
    return hashes


class Batch(typing.NamedTuple):
    """What travels through C++ to the network: the examples, and a target for each where they differ."""
    inputs: typing.Any
    rows: int
    targets: typing.Optional[list] = None
    where: str = ""  # "concept 'striped', batch 3"


class Examples:
    """A set of examples with rows, has_any_order, block() and read(), which C++ calls. `used`, a function of the set's name and a batch,
    picks what the network takes of it; `arrays`: for an ONNX file, which takes arrays instead of objects."""

    has_any_order = False

    def __init__(self, name: str, rows: int, used, targets=None, arrays: bool = False):
        self.name = name
        self.rows = rows
        self._used = used
        self._targets = targets
        self._arrays = arrays
        self._number = 0  # of the last batch that was read
        self._staging = None  # of examples on a device, which are there from the start
        if rows == 0:
            raise ValueError(f"{name} is empty, must have at least one example")
        if targets is not None and len(targets) != rows:
            raise ValueError(f"{name} has {rows} examples but {len(targets)} targets; must be one target for all, or "
                             "one for each example")

    def first(self, count: int) -> Batch:
        """For a look at the network: so many examples, or fewer."""
        inputs = self._used(self.name, sliced(self._batch(0, self.block(0, count)), 0, count))
        return Batch(inputs, count_rows(inputs), where=self.name)

    def read(self, first: int, count: int):
        given = self._batch(first, count)
        inputs = self._used(self.name, given)
        rows = count_rows(inputs)
        self._number = 1 if first == 0 else self._number + 1
        if rows != count:
            raise ValueError(f"{self.name}: a batch has {rows} rows, {count} were expected")
        if self._arrays:
            return [_numpy(leaf) for leaf in leaves(inputs)], None
        targets = None if self._targets is None else [int(one) for one in self._targets[first:first + count]]
        # Tokens of a text are padded to the length of what shares its batch.
        hashes = row_hashes(inputs if texts_of(given) is None else texts_of(given), rows, targets, self._staging)
        return Batch(inputs, rows, targets, f"{self.name}, batch {self._number}"), hashes

    def block(self, first: int, count: int) -> int:
        raise NotImplementedError

    def _batch(self, first: int, count: int):
        raise NotImplementedError


def check_there(name, array) -> None:
    """Of an array that NumPy maps: whether the file still holds it. Reading what is gone would end the process."""
    while isinstance(array, numpy.ndarray):
        if isinstance(array.base, mmap.mmap) and getattr(array, "filename", None) is not None:
            start = array.offset - array.offset % mmap.ALLOCATIONGRANULARITY
            if os.path.getsize(array.filename) < start + len(array.base):
                raise RuntimeError(f"{name}: {array.filename} has become shorter than the array that it holds")
        array = array.base


def _numpy(leaf):
    return leaf.detach().cpu().numpy() if is_tensor(leaf) else numpy.asarray(leaf)


class Whole(Examples):
    """Arrays or tensors that are there: one, or several in a tuple or dict with equally many rows."""
    has_any_order = True

    def __init__(self, name, data, **how):
        rows = {len(leaf) for leaf in leaves(data) if _is_column(leaf) or (is_array(leaf) and leaf.ndim > 0)}
        if len(rows) != 1:
            raise ValueError(f"{name}: arrays have {sorted(rows)} rows, must be equally many")
        super().__init__(name, rows.pop(), **how)
        self._data = data
        self._staging = next((Staging(leaf) for leaf in leaves(data) if _is_staged(leaf)), None)

    def block(self, first, count):
        return min(count, self.rows - first)

    def _batch(self, first, count):
        for leaf in leaves(self._data):
            check_there(self.name, leaf)
        return sliced(self._data, first, first + count)


class Items(Examples):
    """A torch Dataset: any of its examples, put together as a DataLoader does."""
    has_any_order = True

    def __init__(self, name, data, **how):
        super().__init__(name, len(data), **how)
        self._data = data

    def block(self, first, count):
        return min(count, self.rows - first)

    def _batch(self, first, count):
        wanted = range(first, first + count)
        fetched = getattr(self._data, "__getitems__", None)
        items = fetched(list(wanted)) if callable(fetched) else [self._data[k] for k in wanted]
        return _torch().utils.data.default_collate(items)


class Batches(Examples):
    """A DataLoader or any iterable of batches, taken as they come. A single look is enough for all but a second pass
    over class inputs; an iterator that cannot start again is kept in memory."""

    def __init__(self, name, data, **how):
        if iter(data) is data:
            data = list(data)
        self._data = data
        self._iterator = None
        self._next = 0  # the row that the iterator gives next
        self._ahead = None
        self._kept = None  # hashes of the rows in their order, where targets belong to them
        if how.get("targets") is not None:
            self._check_order(name)
        try:
            rows = self._count()
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        super().__init__(name, rows, **how)

    def _check_order(self, name) -> None:
        """Targets for each example are in the order of the examples, which must not change."""
        sampler = getattr(self._data, "sampler", None)
        inner = getattr(getattr(self._data, "batch_sampler", None), "sampler", None)
        for one in filter(None, (sampler, inner)):
            if "Random" in type(one).__name__ or getattr(one, "shuffle", False):
                raise ValueError(f"{name}: targets for each example need a loader that does not shuffle; its sampler is "
                                 f"{type(one).__name__}")
        self._kept = [key for batch in self._data for key in row_hashes(batch, count_rows(batch))]

    def _count(self) -> int:
        loader = self._data
        torch = _torch()
        if torch is not None and isinstance(loader, torch.utils.data.DataLoader) and loader.batch_size is not None:
            if not isinstance(loader.dataset, torch.utils.data.IterableDataset):
                rows = len(loader.sampler)
                return rows - rows % loader.batch_size if loader.drop_last else rows
        return sum(count_rows(batch) for batch in loader)

    def _peek(self, first):
        if self._iterator is None or self._next != first:
            if first == 0 or first < self._next:
                self._iterator, self._next, self._ahead = iter(self._data), 0, None
            while self._next < first:
                self._take()
        if self._ahead is None:
            self._ahead = next(self._iterator, None)
            if self._ahead is None:
                raise ValueError(f"{self.name} ends after {first} examples, {self.rows} were expected")
        return self._ahead

    def _take(self):
        batch = self._peek(self._next)
        self._ahead = None
        self._next += count_rows(batch)
        return batch

    def block(self, first, count):
        return count_rows(self._peek(first))

    def first(self, count):
        inputs = self._used(self.name, sliced(self._peek(0), 0, 2))  # batches stay what they are, whatever is asked for
        return Batch(inputs, count_rows(inputs), where=self.name)

    def _batch(self, first, count):
        self._peek(first)
        batch = self._take()
        if self._kept is not None and row_hashes(batch, count) != self._kept[first:first + count]:
            raise ValueError(f"{self.name}: examples come in another order each time, so that targets for each cannot be told")
        return batch


def check_batches(given) -> None:
    """Of (name, what was given, Examples) of all sets: lists of batches, not of single examples. An array among the sets
    tells how many dimensions a batch has."""
    ranks = {leaf.ndim for _, data, found in given if isinstance(found, Whole) for leaf in leaves(data)[:1] if is_array(leaf)}
    if len(ranks) != 1:
        return
    rank = ranks.pop()
    for name, data, _ in given:
        if isinstance(data, list) and data and all(is_array(one) and one.ndim == rank - 1 for one in data):
            raise ValueError(_single_examples(name, data))


def _single_examples(name, data) -> str:
    return (f"{name} is a list of {len(data)} arrays of shape {tuple(data[0].shape)}, must be a list of batches, whose first "
            "dimension counts the examples: torch.stack or numpy.stack makes one of examples")


def _is_whole(data) -> bool:
    """Whether all examples are there at once: an array, a column, or a tuple or dict of those."""
    if _is_column(data):
        return True
    parts = leaves(data) if isinstance(data, (tuple, list)) or hasattr(data, "keys") else [data]
    return bool(parts) and not isinstance(data, list) and all(map(is_array, parts))


def _is_dataset(data) -> bool:
    torch = _torch()
    return torch is not None and (hasattr(type(data), "__getitems__") or isinstance(data, torch.utils.data.Dataset)) \
        and not isinstance(data, torch.utils.data.IterableDataset)


def open_examples(name: str, data, batch: int, used, targets=None, arrays: bool = False):
    """Examples, or the path as text where `data` is a file or folder (C++ reads those)."""
    if isinstance(data, (str, os.PathLike)):
        if targets is not None:
            raise ValueError(f"{name}: targets for each example need arrays, not a folder")
        return os.fspath(data)
    how = {"used": used, "targets": targets, "arrays": arrays}
    if isinstance(data, (list, tuple, numpy.ndarray)) and len(data) > 0 and isinstance(data[0], str):
        data = texts_of(data) or data
    if _is_whole(data):
        return Whole(name, data, **how)
    if _is_dataset(data):
        return Items(name, data, **how)
    if not hasattr(data, "__iter__") or hasattr(data, "to_numpy"):
        hint = ": to_numpy() gives one" if hasattr(data, "to_numpy") else ""
        raise TypeError(f"{name} is {type(data).__name__}, must be a folder, an array, a tensor, a Dataset, a DataLoader "
                        f"or an iterable of batches{hint}")
    if isinstance(data, list) and data and all(is_array(one) and one.ndim < 2 for one in data):
        raise ValueError(_single_examples(name, data))
    return Batches(name, data, **how)
