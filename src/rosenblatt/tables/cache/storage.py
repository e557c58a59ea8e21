"""How much of a table is held in memory, and where the rest goes."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...foundation import memory
from ...foundation.errors import InputError
from ..read.batches import Batch, Reading, Source

OnBatch = Callable[[Source], None]
OnMessage = Callable[[str], None]

# Bytes that a table in memory needs at most for each byte that Arrow holds: the rows to train on, these rows encoded,
# and both once more while batches are concatenated.
MEMORY_PER_ARROW_BYTE = 4
READING_BYTES = 1 << 26  # of batches that are being read and encoded
MIN_CACHED_SHARE = 16  # a table that needs less than 1 / 16 of the memory never has a cache


@dataclass(frozen=True)
class Storage:
    """The memory that may be used, in bytes, and the folder for caches; `keep` leaves the cache for the next run.

    With `shared` every table in files is cached, because other processes read its rows.
    """

    memory: int = memory.DEFAULT_LIMIT
    folder: Path | None = None
    keep: bool = True
    shared: bool = False

    @property
    def table_memory(self) -> int:
        """The memory for a table that is not cached."""
        return 0 if self.shared else self.memory

    @property
    def allowance(self) -> int:
        """The memory that may be held before pages of rows are released.

        The rest is a reserve. When a shuffled order begins a new window it touches pages all over a file, and the
        system may map a megabyte around each of them.
        """
        return self.memory * 13 // 16

    @property
    def cache_folder(self) -> Path:
        """The folder given, else $ROSENBLATT_CACHE, else a folder in the user's cache folder."""
        if self.folder is not None:
            return self.folder
        given = os.environ.get("ROSENBLATT_CACHE")
        return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "rosenblatt")

    def may_be_cached(self, source: Source) -> bool:
        """Whether there can be a cache of this table. Small tables have none."""
        return bool(source.files) and source.size >= self.table_memory // MIN_CACHED_SHARE


def take_within_memory(batches: Iterator[Batch], most: int) -> tuple[list[Batch], Iterator[Batch] | None]:
    """The batches that fit into `most` bytes of memory, and the others; None if there are no others.

    What the process holds already counts, as in a notebook with large arrays, but never keeps out a small table.
    """
    held, size = [], 0
    left = max(most - memory.resident_memory() - READING_BYTES, most // MIN_CACHED_SHARE)
    free = left // MEMORY_PER_ARROW_BYTE
    for batch in batches:
        held.append(batch)
        size += batch.table.nbytes
        if size > free:
            return held, batches
    return held, None


def drain(held: list[Batch]) -> Iterator[Batch]:
    """The batches of a list; each is removed from the list before the next is given, to free its memory."""
    held.reverse()
    while held:
        yield held.pop()


def read_batches(source: Source, reading: Reading, on_batch: OnBatch | None) -> Iterator[Batch]:
    """The batches of a source that have rows; `on_batch` is called after each batch read."""
    for batch in source.batches(reading):
        if on_batch is not None:
            on_batch(source)
        if batch.table.num_rows:
            yield batch


def require_rereadable(source: Source, most: int) -> None:
    """Refuse a source larger than memory that can be read only once: a cache needs two passes."""
    if not source.rereadable:
        raise InputError(
            f"{source.path} needs more memory than --memory {memory.format_size(most)} allows and can be read only "
            "once: save it to a file, or allow more memory."
        )
