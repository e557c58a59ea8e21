"""How many bytes the compressed buffers of an Arrow stream take once they are decompressed.

A buffer tells its size before it is decompressed, so a short request that would fill the memory is refused in time.
Arrow's own reader offers no limit. The metadata of a message is a FlatBuffer, of which only the places of the buffers
are read here, see https://arrow.apache.org/docs/format/Columnar.html (Message.fbs).
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as arrow

from ..foundation.errors import InputError

DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # members of the union MessageHeader
MESSAGE_TYPE, MESSAGE_HEADER, DICTIONARY_DATA, BUFFERS, COMPRESSION = 1, 2, 1, 2, 3  # numbers of fields
PLAIN = -1  # the size of a buffer that is not compressed although the others are


class Table(NamedTuple):
    """A table of a FlatBuffer. A place outside of it raises struct.error or IndexError."""

    content: bytes
    start: int

    def field(self, number: int) -> int | None:
        """Where a field stands; None if it is absent."""
        (back,) = struct.unpack_from("<i", self.content, self.start)
        table = self.start - back
        (size,) = struct.unpack_from("<H", self.content, table)
        if 4 + 2 * number >= size:
            return None
        (offset,) = struct.unpack_from("<H", self.content, table + 4 + 2 * number)
        return self.start + offset if offset else None

    def target(self, number: int) -> int | None:
        """Where the table or vector of a field begins; None if it is absent."""
        place = self.field(number)
        return None if place is None else place + int(struct.unpack_from("<I", self.content, place)[0])

    def table(self, number: int) -> "Table | None":
        place = self.target(number)
        return None if place is None else Table(self.content, place)


def check_compressed_size(body: bytes, most: int) -> None:
    """Refuse an Arrow stream whose compressed buffers take more than `most` bytes, before any is decompressed."""
    total = 0
    for message in _messages(body):
        for size in _compressed_sizes(message):
            total += max(size, 0)
            if total > most:
                raise InputError(f"The rows of the request take more than {most:,} bytes: send several requests.")


def _messages(body: bytes) -> Iterator[Any]:
    reader = arrow.ipc.MessageReader.open_stream(arrow.py_buffer(body))
    while True:
        try:
            yield reader.read_next_message()
        except StopIteration:
            return


def _compressed_sizes(message: Any) -> Iterator[int]:
    """The size of each compressed buffer of a message, as it will be."""
    content = message.metadata.to_pybytes()
    root = Table(content, struct.unpack_from("<I", content, 0)[0])
    kind, header = root.field(MESSAGE_TYPE), root.table(MESSAGE_HEADER)
    if kind is None or header is None:
        return
    batch = header.table(DICTIONARY_DATA) if content[kind] == DICTIONARY_BATCH else header
    if content[kind] not in (DICTIONARY_BATCH, RECORD_BATCH) or batch is None or batch.field(COMPRESSION) is None:
        return
    start = batch.target(BUFFERS)
    count = 0 if start is None else struct.unpack_from("<I", content, start)[0]
    for number in range(count):
        offset, length = struct.unpack_from("<qq", content, (start or 0) + 4 + 16 * number)
        if length > 0 and message.body is not None:
            yield struct.unpack_from("<q", message.body, offset)[0]
