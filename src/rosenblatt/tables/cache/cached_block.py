"""Blocks of a cached table: rows of its files, which any process that sees the cache folder can read."""

import hashlib
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...distributed.block import BLOCK_ROWS, Block, LoadedBlock
from ...distributed.traffic import pickled_size
from ...foundation.errors import InputError
from ...foundation.memory import DEFAULT_LIMIT
from ..encode.columns.entries import CsrArrays
from ..encode.encoded_rows import EncodedRows, LabelledRows
from .cache_header import read_header
from .encoded_cache import CachedTable

MAX_OPEN_BLOCKS = 1024  # that a worker remembers; their rows stay in the files


class ArrayFile(NamedTuple):
    """One array of a cache: where it is, the type of its numbers, and how the file was when training began."""

    path: str
    type: str
    size: int
    changed: int


@dataclass(frozen=True)
class CachedBlock(Block):
    """Rows of a cached table. `files` are the codes and values, and for sparse rows also the places and starts."""

    files: tuple[ArrayFile, ...]
    columns: int
    first: int
    last: int

    @property
    def name(self) -> str:
        return f"rows {self.first:,} to {self.last - 1:,} of {Path(self.files[0].path).parent}"

    @property
    def identity(self) -> str:
        """What the rows depend on. Files are checked at each pass, so a digest of the rows would tell no more."""
        return hashlib.blake2b(repr(self).encode(), digest_size=16).hexdigest()

    @property
    def sent_bytes(self) -> int:
        return pickled_size(self)

    def load(self) -> LoadedBlock:
        for file in self.files:
            check_unchanged(file)
        return open_block(self)


def check_unchanged(file: ArrayFile) -> None:
    """Refuse a file that this worker does not see, or that has changed since training began."""
    try:
        now = os.stat(file.path)
    except OSError:
        raise InputError(
            f"a worker on {socket.gethostname()} cannot read {file.path}: put the cache on a file system that all "
            "workers see (--cache)."
        ) from None
    if (now.st_size, now.st_mtime_ns) != (file.size, file.changed):
        raise InputError(f"{file.path} changed during training: train again while nobody writes there.")


@lru_cache(MAX_OPEN_BLOCKS)
def open_block(block: CachedBlock) -> LoadedBlock:
    """The rows of a block, as views of the files."""
    codes, values, *places = (open_array(file) for file in block.files)
    if places:
        encoded = EncodedRows(block.columns, None, CsrArrays(places[1], places[0], values))
    else:
        encoded = EncodedRows(block.columns, values.reshape(-1, block.columns), None)
    rows = LabelledRows(encoded, codes).slice(block.first, block.last)
    return LoadedBlock(rows.encoded.matrix(), np.ascontiguousarray(rows.codes), identity=block.identity)


@lru_cache(64)
def open_array(file: ArrayFile) -> npt.NDArray[Any]:
    return _core.mapped(file.path, worker_memory()).view(file.type)


def worker_memory() -> int:
    """The most memory that a worker holds, pages of files included: half of a core's share.

    Dask ends a worker that holds nearly all of its share, although the system could release such pages at any time.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(DEFAULT_LIMIT, memory // (2 * (os.cpu_count() or 1)))


def blocks_of_cache(cached: CachedTable, use: str) -> Iterator[CachedBlock]:
    """The blocks of a cached table's rows of one use."""
    arrays = read_header(cached.path, "train again")["arrays"]
    names = [f"{use}.{part}" for part in ("codes", "values", "places", "starts")]
    files = tuple(_array_file(cached.path / name, arrays[name]["type"]) for name in names if name in arrays)
    rows = cached.rows_by_use[use]
    for first in range(0, len(rows.codes), BLOCK_ROWS):
        yield CachedBlock(files, rows.encoded.columns, first, min(first + BLOCK_ROWS, len(rows.codes)))


def _array_file(path: Path, type: str) -> ArrayFile:
    now = path.stat()
    return ArrayFile(str(path.absolute()), type, now.st_size, now.st_mtime_ns)
