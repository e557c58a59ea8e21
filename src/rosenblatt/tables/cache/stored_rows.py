"""Rows that a worker has written to their place in a cache: only their classes and checksums return to the driver."""

import socket
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...foundation.errors import InputError
from ...foundation.types import Codes
from ..encode.encoded_rows import LabelledRows
from .disk_arrays import BLOCK_BYTES, ArrayInfo, ArrayWriter


@dataclass(frozen=True)
class StoredRows:
    """The classes of rows whose numbers are in the file already, and what was written there."""

    codes: Codes
    columns: int
    values: ArrayInfo


@dataclass(frozen=True)
class RowPlaces:
    """Where the rows of a part belong: the folder of the cache, and for each use how many rows come before them."""

    folder: str
    first_rows: dict[str, int]

    def store(self, batches: Iterable[dict[str, LabelledRows]]) -> Iterator[dict[str, LabelledRows | StoredRows]]:
        """Write dense rows to their place. Sparse rows are left as they are: only all rows before tell their place.

        A part that two workers write is the same bytes twice.
        """
        uses: dict[str, _UseWriter] = {}
        try:
            for batch in batches:
                if any(rows.encoded.dense is None for rows in batch.values()):
                    yield dict(batch)
                    continue
                for use, rows in batch.items():
                    if use not in uses:
                        uses[use] = _UseWriter(Path(self.folder), use, self.first_rows[use], rows.encoded.columns)
                    uses[use].write(rows)
            if uses:
                yield {use: writer.stored() for use, writer in uses.items()}
        finally:
            for writer in uses.values():
                writer.array.close()


class _UseWriter:
    """Writes the dense rows of one use of a part."""

    def __init__(self, folder: Path, use: str, first_row: int, columns: int) -> None:
        self.columns, self.codes = columns, list[Codes]()
        try:
            self.array = ArrayWriter(folder / f"{use}.values", first_row * columns * np.dtype(np.float64).itemsize)
        except FileNotFoundError:
            raise InputError(
                f"a worker on {socket.gethostname()} cannot write into {folder.parent}: put the cache on a file system "
                "that all workers see (--cache)."
            ) from None

    def write(self, rows: LabelledRows) -> None:
        assert rows.encoded.dense is not None
        self.array.write(rows.encoded.dense)
        self.codes.append(rows.codes)

    def stored(self) -> StoredRows:
        return StoredRows(np.concatenate(self.codes), self.columns, self.array.end())


class PlacedArray:
    """An array whose parts others write, one after the other. It collects their checksums."""

    def __init__(self, path: Path) -> None:
        self.items, self._type, self._bytes = 0, "", 0
        self._checks: list[int] = []
        path.touch()

    def add(self, part: ArrayInfo) -> None:
        """Note the next part."""
        room, checks = -self._bytes % BLOCK_BYTES, list(part["checks"])
        size = part["items"] * np.dtype(part["type"]).itemsize
        if room and checks:
            self._checks[-1] = joined_check(self._checks[-1], checks.pop(0), min(room, size))
        self._checks += checks
        self._type, self.items, self._bytes = self._type or part["type"], self.items + part["items"], self._bytes + size

    def end(self) -> ArrayInfo:
        return {"type": self._type or "|u1", "items": self.items, "checks": self._checks}

    def close(self) -> None:
        pass


def joined_check(first: int, second: int, size: int) -> int:
    """The CRC-32 of two runs of bytes, from that of each and the size of the second: it is linear in the bits.

    >>> joined_check(zlib.crc32(b"rosen"), zlib.crc32(b"blatt"), 5) == zlib.crc32(b"rosenblatt")
    True
    """
    zeros = bytes(size)
    return zlib.crc32(zeros, first) ^ zlib.crc32(zeros) ^ second
