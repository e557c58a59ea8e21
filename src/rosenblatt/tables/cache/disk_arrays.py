"""Arrays on the disk: written in pieces with a checksum for every block, and read as a view of the file."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.errors import InputError

BLOCK_BYTES = 1 << 22
MAX_BYTES_SENDING = 4 * BLOCK_BYTES  # on their way to the disk at a time
MAX_BYTES_WRITTEN = 1 << 16  # in one call: the system maps bytes written together as a whole, even if one row is read
ArrayInfo = dict[str, Any]  # of a file: {"type", "items", "checks"}


class ArrayWriter:
    """Writes an array to a file, piece by piece.

    With a `start` it writes a part of the array, from that byte on, into a file to which others write other parts. The
    first checksum is then that of the rest of a block.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers")
    >>> writer = ArrayWriter(path)
    >>> writer.write(np.arange(3.0))
    >>> writer.write(np.arange(2.0))
    >>> map_array(path, writer.end(), most=1 << 30)
    array([0., 1., 2., 0., 1.])
    """

    def __init__(self, path: Path, start: int | None = None) -> None:
        self.path, self.items = path, 0
        self._file = path.open("xb", buffering=0) if start is None else _open_at(path, start)
        self._type: str | None = None
        self._checks: list[int] = []
        self._room = -(start or 0) % BLOCK_BYTES  # of the last block, in bytes
        if self._room:
            self._checks.append(0)
        self._first_block = (start or 0) // BLOCK_BYTES
        self._sent, self._sending = start or 0, Thread()

    def write(self, values: npt.NDArray[Any]) -> None:
        """Append values of the same type as those before."""
        self._type = self._type or values.dtype.str
        assert values.dtype.str == self._type
        self.items += values.size
        left = memoryview(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
        while left:
            if not self._room:
                self._checks.append(0)
                self._room = BLOCK_BYTES
            piece = left[: self._room]
            self._checks[-1] = zlib.crc32(piece, self._checks[-1])
            self._room -= len(piece)
            left = left[len(piece) :]
            while piece:
                piece = piece[self._file.write(piece[:MAX_BYTES_WRITTEN]) or 0 :]
            if not self._room:
                self._send()

    def end(self) -> ArrayInfo:
        """Close the file, and describe its content."""
        self.close()
        return {"type": self._type or "|u1", "items": self.items, "checks": self._checks if self.items else []}

    def close(self) -> None:
        self._file.close()

    def _send(self) -> None:
        """Start writing full blocks to the disk in a thread.

        Otherwise the system collects gigabytes and then blocks the writer. The amount is limited, because other
        processes wait for the disk, too. The thread is no daemon: Python ends daemons amid native code, which
        aborts the process.
        """
        if not self._sending.is_alive():
            written = (self._first_block + len(self._checks)) * BLOCK_BYTES
            start, self._sent = self._sent, min(written, self._sent + MAX_BYTES_SENDING)
            self._sending = Thread(target=send_range, args=(os.dup(self._file.fileno()), start, self._sent))
            self._sending.start()


def _open_at(path: Path, start: int) -> Any:
    """Open a file, which need not be there, to write from a byte on."""
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), "wb", buffering=0)
    file.seek(start)
    return file


def send_range(descriptor: int, start: int, end: int) -> None:
    """Write a range of a file to the disk, then close the descriptor."""
    _core.send_to_disk(descriptor, start, end - start)
    os.close(descriptor)


def convert_array(path: Path, about: ArrayInfo, dtype: Any) -> ArrayInfo:
    """Rewrite the array in a file with another type."""
    old = path.with_name(path.name + ".old")
    os.rename(path, old)
    writer, source = ArrayWriter(path), np.dtype(about["type"])
    with old.open("rb") as file:
        while piece := file.read(BLOCK_BYTES):
            writer.write(np.frombuffer(piece, source).astype(dtype))
    os.unlink(old)
    return writer.end()


def check_array(path: Path, about: ArrayInfo, advice: str, tell: Callable[[int], None] | None = None) -> None:
    """Refuse a file that is not as it was written; `tell` is called with the size of every block read."""
    size = about["items"] * np.dtype(about["type"]).itemsize
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path} is missing: {advice}.") from None
    if found != size:
        raise InputError(f"{path} has {found:,} bytes where {size:,} were written: {advice}.")
    room = bytearray(BLOCK_BYTES)
    with path.open("rb", buffering=0) as file:
        for place, wanted in enumerate(about["checks"]):
            first, read = place * BLOCK_BYTES, file.readinto(room)
            if zlib.crc32(memoryview(room)[:read]) != wanted:
                raise InputError(f"{path} is damaged between bytes {first:,} and {first + read:,}: {advice}.")
            if tell is not None:
                tell(read)


def map_array(path: Path, about: ArrayInfo, most: int) -> npt.NDArray[Any]:
    """The array in a file, as a view of it, so that its rows need not fit into memory.

    Its pages are released whenever the process holds more than `most` bytes.
    """
    return _core.mapped(str(path), most).view(about["type"])


def load_array(path: Path, about: ArrayInfo) -> npt.NDArray[Any]:
    """Read the array in a file into memory."""
    return np.fromfile(path, about["type"])
