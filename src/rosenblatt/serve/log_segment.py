"""The bytes of a log: segments of records, each with its length and a digest that covers all records before it.

    segment   "ROSENLG1", number of its first record (8 bytes), digest before it (16), digest of these bytes (16)
    record    length (4 bytes), checksum of the length (4), content, digest (16)

The digest of a record is BLAKE2b of the digest before it and its content. So it tells whether any byte, the order or
the number of the records before it was changed. The checksum of the length tells a record that was cut off, whose
length is sound but whose content ends early, from a length that was damaged. After a power failure a file system may
leave zeros where a record was being written, so zeros from within the last record to the end also count as cut off.
"""

import struct
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ..foundation.errors import InputError

MAGIC = b"ROSENLG1"
DIGEST_BYTES = 16
FIRST_DIGEST = bytes(DIGEST_BYTES)  # before the first record
HEAD = struct.Struct("<8sQ16s")
HEAD_BYTES = HEAD.size + DIGEST_BYTES
LENGTH = struct.Struct("<II")
MAX_RECORD_BYTES = 1 << 28


class Position(NamedTuple):
    """The number of the last record, counted from 1, its digest, and where its segment ends after it."""

    record: int
    digest: bytes
    end: int


class StoredRecord(NamedTuple):
    """The content of a record and its position."""

    content: bytes
    position: Position


class TornTail(NamedTuple):
    """A last record that was cut off: where it begins, and how many bytes of it there are."""

    start: int
    size: int


def digest_after(before: bytes, content: bytes) -> bytes:
    """The digest of a record, given that of the record before."""
    return blake2b(before + content, digest_size=DIGEST_BYTES).digest()


def segment_head(first: int, before: bytes) -> bytes:
    """The bytes at the beginning of a segment whose first record has this number."""
    head = HEAD.pack(MAGIC, first, before)
    return head + blake2b(head, digest_size=DIGEST_BYTES).digest()


def check_length(content: bytes) -> None:
    """Refuse a record that is longer than any that is read back."""
    if len(content) > MAX_RECORD_BYTES:
        most = f"a record of the log can have {MAX_RECORD_BYTES:,} at most"
        raise InputError(f"The rows of the request take {len(content):,} bytes, but {most}: send several requests.")


def framed(content: bytes, before: bytes) -> tuple[bytes, bytes]:
    """The bytes of a record in a segment, and its digest."""
    check_length(content)
    length = struct.pack("<I", len(content))
    digest = digest_after(before, content)
    return length + struct.pack("<I", zlib.crc32(length)) + content + digest, digest


def read_head(path: Path, content: bytes) -> Position:
    """The position before the first record of a segment."""
    head = content[: HEAD.size]
    if len(content) < HEAD_BYTES or blake2b(head, digest_size=DIGEST_BYTES).digest() != content[HEAD.size : HEAD_BYTES]:
        raise damaged(path, 0)
    magic, first, before = HEAD.unpack(head)
    if magic != MAGIC:
        raise InputError(f"{path} is a log of another version: upgrade rosenblatt.")
    return Position(first - 1, before, HEAD_BYTES)


def read_records(path: Path, content: bytes, position: Position) -> Iterator[StoredRecord | TornTail]:
    """The records of a segment after a position. The last may be a `TornTail`; other damage is an InputError."""
    view, size = memoryview(content), len(content)
    written = len(content.rstrip(b"\0"))  # zeros may follow
    number, digest, start = position
    while start < size:
        if size - start < LENGTH.size:
            yield TornTail(start, size - start)
            return
        length, check = LENGTH.unpack_from(content, start)
        if zlib.crc32(view[start : start + 4]) != check or length > MAX_RECORD_BYTES:
            if written < start + LENGTH.size:
                yield TornTail(start, size - start)
                return
            raise damaged(path, start)
        first = start + LENGTH.size
        end = first + length + DIGEST_BYTES
        if end > size:
            yield TornTail(start, size - start)
            return
        record = bytes(view[first : first + length])
        digest = digest_after(digest, record)
        if digest != content[first + length : end]:
            if written < end:
                yield TornTail(start, size - start)
                return
            raise damaged(path, start)
        number, start = number + 1, end
        yield StoredRecord(record, Position(number, digest, end))


def damaged(path: Path, start: int) -> InputError:
    return InputError(f"{path} is damaged at byte {start:,}: restore the log from a copy.")
