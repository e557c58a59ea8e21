"""The bytes of a file, decompressed while they are read. The first bytes of a file show its compression."""

import os
import sys
from collections.abc import Callable
from typing import Any

from ...foundation.errors import InputError
from .stored_files import file_state, open_bytes

STDIN = "-"
SKIPPED_AT_ONCE = 1 << 20  # bytes of a compressed file
COMPRESSION_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bz2",
    b"\x04\x22\x4d\x18": "lz4",
}


class ByteStream:
    """The decompressed bytes of a file, which can be peeked at before they are read.

    >>> import gzip, tempfile
    >>> path = tempfile.mktemp()
    >>> with gzip.open(path, "wb") as file:
    ...     _ = file.write(b"a,b")
    >>> stream = ByteStream(path)
    >>> stream.compression, stream.peek(1), stream.read(9), stream.read(9)
    ('gzip', b'a', b'a,b', b'')
    """

    def __init__(self, path: str, file: Any = None) -> None:
        self.path = path
        self.rereadable = path != STDIN  # whether the file can be opened again
        self._raw: Any = sys.stdin.buffer if file is None else file
        if self.rereadable:
            self._raw = open_bytes(path)  # closed with the stream
        self.compression = compression_of(self._raw.peek(8)[:8])
        self._file = self._raw if self.compression is None else open_decompressor(self._raw, self.compression)
        self._ahead = b""

    @property
    def done(self) -> int:
        """How many bytes of the file on disk were read."""
        return int(self._raw.tell()) if self.rereadable else 0

    @property
    def ahead(self) -> int:
        """How many bytes were peeked at and are still to be read."""
        return len(self._ahead)

    def peek(self, size: int) -> bytes:
        """Return at most this many of the next bytes, and leave them to be read."""
        if len(self._ahead) < size:
            self._ahead += self._read(size - len(self._ahead))
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """Return this many of the next bytes, fewer only at the end."""
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken + self._read(size - len(taken)) if len(taken) < size else taken

    def skip(self, size: int) -> None:
        """Leave out this many of the next bytes of a file that can be opened again."""
        left = size - len(self._ahead[:size])
        self._ahead = self._ahead[size:]
        if self.compression is None:
            self._raw.seek(left, os.SEEK_CUR)
            return
        while left and (part := self._read(min(left, SKIPPED_AT_ONCE))):
            left -= len(part)

    def fill(self, buffer: memoryview) -> int:
        """Read the next bytes into a buffer, and return how many: fewer than its size only at the end."""
        done = min(len(self._ahead), len(buffer))
        buffer[:done], self._ahead = self._ahead[:done], self._ahead[done:]
        while done < len(buffer) and (count := self._call(self._file.readinto, buffer[done:])):
            done += count
        return done

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size and (part := bytes(self._call(self._file.read, size))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _call(self, read: Callable[..., Any], argument: Any) -> Any:
        if self.compression is None:
            return read(argument)
        try:
            return read(argument)
        except Exception as error:  # each library raises errors of its own, without a common base class
            if isinstance(error, OSError) and error.errno is not None:
                raise
            truncated = isinstance(error, EOFError) or "truncated" in str(error).lower()
            raise decompression_error(self.path, self.compression, truncated) from None

    def close(self) -> None:
        if self.rereadable:
            self._raw.close()

    def __del__(self) -> None:
        if "_raw" in self.__dict__:
            self.close()


def compression_of(start: bytes) -> str | None:
    """The compression that the first bytes of a file show.

    >>> compression_of(b"BZh91AY"), compression_of(b"a,b,c")
    ('bz2', None)
    """
    return next((name for magic, name in COMPRESSION_MAGIC.items() if start.startswith(magic)), None)


def is_compression_prefix(start: bytes) -> bool:
    """Whether more bytes are needed to tell the compression.

    >>> is_compression_prefix(b"BZ"), is_compression_prefix(b"BZh9"), is_compression_prefix(b"ab")
    (True, False, False)
    """
    return any(len(start) < len(magic) and magic.startswith(start) for magic in COMPRESSION_MAGIC)


def open_decompressor(raw: Any, compression: str) -> Any:
    """A file object that decompresses another one."""
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if compression == "bz2":
        import bz2

        return bz2.BZ2File(raw)
    if compression == "xz":
        import lzma

        return lzma.LZMAFile(raw)
    import pyarrow as arrow

    return arrow.CompressedInputStream(arrow.PythonFile(raw, mode="r"), compression)


def decompression_error(path: str, compression: str, truncated: bool = False) -> InputError:
    """
    >>> str(decompression_error("rows.csv.gz", "gzip", truncated=True))
    'rows.csv.gz (gzip) is cut off before its end; fetch or compress it again.'
    """
    problem = "is cut off before its end" if truncated else "is damaged"
    return InputError(f"{path} ({compression}) {problem}; fetch or compress it again.")


def file_size(path: str) -> int:
    """The size of a file on disk; 0 for standard input."""
    return 0 if path == STDIN else file_state(path).size
