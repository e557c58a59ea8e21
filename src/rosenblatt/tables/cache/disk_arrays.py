"""Arrays on the disk: written piece by piece with a checksum for every block, read as a view of the file."""

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

BLOCK = 1 << 22
TOGETHER = 4 * BLOCK  # bytes on their way to the disk, at most
PIECE = 1 << 16  # bytes written at once: a system maps whole what came together, for whoever touches a row of it
About = dict[str, Any]  # what is known of a file: {"type", "items", "checks"}


class Stored:
    """An array under way to its file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers")
    >>> stored = Stored(path)
    >>> stored.write(np.arange(3.0))
    >>> stored.write(np.arange(2.0))
    >>> mapped(path, stored.end(), most=1 << 30)
    array([0., 1., 2., 0., 1.])
    """

    def __init__(self, path: Path) -> None:
        self.path, self.items = path, 0
        self._file = path.open("xb", buffering=0)
        self._type: str | None = None
        self._checks: list[int] = []
        self._room = 0  # of the last block, in bytes
        self._sent, self._sending = 0, Thread()

    def write(self, values: npt.NDArray[Any]) -> None:
        """More numbers, of the same type as those before."""
        self._type = self._type or values.dtype.str
        assert values.dtype.str == self._type
        self.items += values.size
        left = memoryview(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
        while left:
            if not self._room:
                self._checks.append(0)
                self._room = BLOCK
            piece = left[: self._room]
            self._checks[-1] = zlib.crc32(piece, self._checks[-1])
            self._room -= len(piece)
            left = left[len(piece) :]
            while piece:
                piece = piece[self._file.write(piece[:PIECE]) or 0 :]
            if not self._room:
                self._send()

    def end(self) -> About:
        """Close the file, and say what is in it."""
        self.close()
        return {"type": self._type or "|u1", "items": self.items, "checks": self._checks}

    def close(self) -> None:
        self._file.close()

    def _send(self) -> None:
        """Full blocks go to the disk at once: a system lets gigabytes wait, and then stops whoever writes.

        A thread waits for the disk, which never has more than a few of them to do: others wait for it, too.
        """
        if not self._sending.is_alive():
            start, self._sent = self._sent, min(len(self._checks) * BLOCK, self._sent + TOGETHER)
            self._sending = Thread(target=sent, args=(os.dup(self._file.fileno()), start, self._sent), daemon=True)
            self._sending.start()


def sent(descriptor: int, start: int, end: int) -> None:
    """Bytes of a file go to the disk; then the descriptor is closed."""
    _core.send_to_disk(descriptor, start, end - start)
    os.close(descriptor)


def retyped(path: Path, about: About, dtype: Any) -> About:
    """The same numbers in a file with another type."""
    old = path.with_name(path.name + ".old")
    os.rename(path, old)
    stored, source = Stored(path), np.dtype(about["type"])
    with old.open("rb") as file:
        while piece := file.read(BLOCK):
            stored.write(np.frombuffer(piece, source).astype(dtype))
    os.unlink(old)
    return stored.end()


def check(path: Path, about: About, advice: str, tell: Callable[[int], None] | None = None) -> None:
    """Refuse a file that is not as it was written; `tell` hears of every block read."""
    size = about["items"] * np.dtype(about["type"]).itemsize
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path} is missing: {advice}.") from None
    if found != size:
        raise InputError(f"{path} has {found:,} bytes where {size:,} were written: {advice}.")
    room = bytearray(BLOCK)
    with path.open("rb", buffering=0) as file:
        for place, wanted in enumerate(about["checks"]):
            read = file.readinto(room)
            if zlib.crc32(memoryview(room)[:read]) != wanted:
                raise InputError(
                    f"{path} is damaged between bytes {place * BLOCK:,} and {place * BLOCK + read:,}: {advice}."
                )
            if tell is not None:
                tell(read)


def mapped(path: Path, about: About, most: int) -> npt.NDArray[Any]:
    """The array in a file, as a view of it: what is not read is not in memory, nor is what was read.

    Its pages are let go whenever the process holds more than `most` bytes.
    """
    return _core.mapped(str(path), most).view(about["type"])


def loaded(path: Path, about: About) -> npt.NDArray[Any]:
    """The array in a file, in memory."""
    return np.fromfile(path, about["type"])
