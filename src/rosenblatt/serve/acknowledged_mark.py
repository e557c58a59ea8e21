"""The mark of what was acknowledged: the last record that a client was told of.

It tells a record that was cut off before anybody heard of it, which may be dropped, from one that is missing. It is
written after the log was flushed and before the answer, into two places by turns, so that one of them is whole. It is
not flushed each time: a killed process has written it, and after a power failure it is an older mark, which is still
true.
"""

import os
import struct
from hashlib import blake2b
from pathlib import Path

from ..foundation.errors import InputError
from .log_segment import DIGEST_BYTES, FIRST_DIGEST

MARK = struct.Struct("<Q16s")
APART = 512  # bytes from one place to the other: a disk writes so many at once


class AcknowledgedMark:
    """The file of the mark, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._writes = 0

    @classmethod
    def create(cls, path: Path) -> None:
        """Write the mark of an empty log."""
        mark = cls(path)
        try:
            mark.write(0, FIRST_DIGEST)
            mark.flush()
        finally:
            mark.close()

    def write(self, record: int, digest: bytes) -> None:
        mark = MARK.pack(record, digest)
        os.pwrite(self.file, mark + blake2b(mark, digest_size=DIGEST_BYTES).digest(), self._writes % 2 * APART)
        self._writes += 1

    def flush(self) -> None:
        os.fsync(self.file)

    def close(self) -> None:
        os.close(self.file)


def read_mark(path: Path) -> tuple[int, bytes]:
    """The last record acknowledged, and its digest."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} is missing: restore the log from a copy.") from None
    found = []
    for start in (0, APART):
        mark = content[start : start + MARK.size]
        digest = content[start + MARK.size : start + MARK.size + DIGEST_BYTES]
        if len(mark) == MARK.size and blake2b(mark, digest_size=DIGEST_BYTES).digest() == digest:
            found.append(MARK.unpack(mark))
    if not found:
        raise InputError(f"{path} is damaged: restore the log from a copy.")
    return max(found)


def marks_records(path: Path) -> bool:
    """Whether a mark tells of any record. One that is missing, or was being created, does not."""
    if not path.exists() or not path.read_bytes().strip(b"\0"):
        return False
    return read_mark(path)[0] > 0
