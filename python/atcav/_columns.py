"""Columns of embeddings in Parquet and Arrow files, tables and datasets, through pyarrow where it is installed."""
import mmap
import os
import re
import sys
import tempfile

import numpy

# "x.parquet", "folder/x.arrow:embedding"
_FILE = re.compile(r"(?P<path>.+\.(?P<format>parquet|arrow|feather))(?::(?P<column>.+))?", re.DOTALL)
_BATCH = 8192  # rows that are decoded at once


def _arrow(name):
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError:
        raise ImportError(f"{name}: Parquet and Arrow columns need the package pyarrow") from None
    return pyarrow


def _is_arrow(value) -> bool:
    """pyarrow is not imported for what cannot come from it."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None:
        return False
    return isinstance(value, (pyarrow.Table, pyarrow.RecordBatch, pyarrow.ChunkedArray, pyarrow.Array)) or \
        type(value).__module__ == "pyarrow._dataset"


def _column_of(name, schema, wanted, arrow) -> str:
    """The one that is asked for, or the only one with a list of numbers in each row."""
    is_list = (arrow.types.is_list, arrow.types.is_large_list, arrow.types.is_fixed_size_list)
    lists = [field.name for field in schema if any(one(field.type) for one in is_list)]
    if wanted is None and len(lists) == 1:
        return lists[0]
    if wanted is None:
        raise ValueError(f"{name} has {len(lists)} columns with a list in each row ({', '.join(schema.names)}), must be one: "
                         "name it, 'file.parquet:column' or table.select([column])")
    if wanted not in schema.names:
        raise ValueError(f"{name} has no column '{wanted}', must be one of {', '.join(schema.names)}")
    return wanted


def _rows(name, chunk):
    """rows × columns of an Arrow array with a list of equally many numbers, or one number, in each row."""
    lists = hasattr(chunk.type, "value_type")
    values = chunk.flatten() if lists else chunk
    if chunk.null_count > 0 or values.null_count > 0:
        raise ValueError(f"{name}: a value is null, must be a number")
    found = values.to_numpy(zero_copy_only=False)
    if found.dtype.kind not in "fiub":
        raise ValueError(f"{name} has the type {chunk.type}, must be lists of numbers")
    if lists and not hasattr(chunk.type, "list_size"):
        lengths = numpy.unique(chunk.value_lengths().to_numpy(zero_copy_only=False))
        if len(lengths) != 1:
            raise ValueError(f"{name}: rows have {lengths[0]} to {lengths[-1]} numbers, must be equally many")
    return found.astype(numpy.int64 if found.dtype.kind in "iu" else numpy.float32, copy=False).reshape(len(chunk), -1)


def _joined(name, chunks):
    """The rows of all chunks in a file that has no name any more, so that memory holds only what is being used."""
    shape, kind = None, None
    with tempfile.TemporaryFile() as file:
        rows = 0
        for chunk in chunks:
            if len(chunk) == 0:
                continue
            part = _rows(name, chunk)
            if shape is None:
                shape, kind = part.shape[1:], part.dtype
            if part.shape[1:] != shape:
                raise ValueError(f"{name}: rows have {shape[0]} and {part.shape[1]} numbers, must be equally many")
            file.write(memoryview(numpy.ascontiguousarray(part)).cast("B"))
            rows += len(part)
        if rows == 0:
            raise ValueError(f"{name} is empty, must have at least one row")
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return numpy.frombuffer(mapped, kind).reshape(rows, *shape)


def _chunks_of(dataset, column, arrow):
    parquet = getattr(arrow.dataset, "ParquetFragmentScanOptions", None)
    options = {}
    if parquet is not None and isinstance(getattr(dataset, "format", None), arrow.dataset.ParquetFileFormat):
        options["fragment_scan_options"] = parquet(use_buffered_stream=True, pre_buffer=False)
    batches = dataset.scanner(columns=[column], batch_size=_BATCH, batch_readahead=1, fragment_readahead=1,
                              **options).to_batches()
    return (batch.column(0) for batch in batches)


def read(name: str, value):
    """What `value` holds as an array, if it is a column of embeddings: the path of a Parquet or Arrow file, 'x.parquet' or
    'x.parquet:column', or something of pyarrow. Anything else comes back as it is."""
    found = _FILE.fullmatch(os.fspath(value)) if isinstance(value, (str, os.PathLike)) else None
    if found is None and not _is_arrow(value):
        return value
    arrow = _arrow(name)
    if found is not None:
        name = f"{name}: {found['path']}"
        kind = "parquet" if found["format"] == "parquet" else "ipc"
        value = arrow.dataset.dataset(found["path"], format=kind)
    if isinstance(value, arrow.Array):
        return _joined(name, [value])
    if isinstance(value, arrow.ChunkedArray):
        return _joined(name, value.chunks)
    column = _column_of(name, value.schema, found["column"] if found else None, arrow)
    if isinstance(value, arrow.RecordBatch):
        return _joined(name, [value.column(column)])
    if isinstance(value, arrow.Table):
        return _joined(name, value.column(column).chunks)
    return _joined(name, _chunks_of(value, column, arrow))
