"""What of a table is held in memory, and where the rest goes."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...foundation import memory
from ...foundation.errors import InputError
from ..read.batches import Batch, Reading, Source

Tell = Callable[[Source], None]
Say = Callable[[str], None]

# What a table in memory takes at most of it, beside what is there already, for each byte that Arrow holds: the rows to
# train on, those encoded, and both once more while they are put together.
FACTOR = 4
UNDER_WAY = 1 << 26  # bytes that are being read and encoded
WORTH_A_LOOK = 16  # files smaller than this share of the memory have no cache


@dataclass(frozen=True)
class Storage:
    """How much memory may be used, in bytes, and the folder for what has no room there; `keep` it for the next time."""

    memory: int = memory.DEFAULT
    folder: Path | None = None
    keep: bool = True

    @property
    def allowance(self) -> int:
        """The memory that may be held before pages of rows are let go.

        Where a shuffle begins a window it touches pages all over a file, and a system may map a megabyte around each.
        """
        return self.memory * 13 // 16

    @property
    def place(self) -> Path:
        """The folder given, $ROSENBLATT_CACHE, or one in the user's folder for such things."""
        if self.folder is not None:
            return self.folder
        given = os.environ.get("ROSENBLATT_CACHE")
        return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "rosenblatt")

    def may_have(self, source: Source) -> bool:
        """Whether there can be a cache of this table; nobody looks for that of a small one."""
        return bool(source.files) and source.size >= self.memory // WORTH_A_LOOK


def within(batches: Iterator[Batch], most: int) -> tuple[list[Batch], Iterator[Batch] | None]:
    """The batches that have room in memory, and the others; None where there are no others."""
    held, size = [], 0
    free = (most - memory.resident() - UNDER_WAY) // FACTOR
    for batch in batches:
        held.append(batch)
        size += batch.table.nbytes
        if size > free:
            return held, batches
    return held, None


def emptied(held: list[Batch]) -> Iterator[Batch]:
    """The batches, each forgotten when the next is asked for."""
    held.reverse()
    while held:
        yield held.pop()


def told(source: Source, reading: Reading, tell: Tell | None) -> Iterator[Batch]:
    """The batches of a source that have rows; `tell` hears of each."""
    for batch in source.batches(reading):
        if tell is not None:
            tell(source)
        if batch.table.num_rows:
            yield batch


def refuse_what_is_read_once(source: Source, most: int) -> None:
    """What has no room in memory must be read twice."""
    if not source.again:
        raise InputError(
            f"{source.path} holds more than --memory {memory.shown(most)} has room for, and can be read only once: "
            "save it to a file, or allow more memory."
        )
