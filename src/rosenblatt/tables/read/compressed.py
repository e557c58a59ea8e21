"""The bytes of a file, decompressed on the way. What a file is compressed with is seen from its first bytes."""

import os
import sys
from collections.abc import Callable
from typing import Any

from ...foundation.errors import InputError

STDIN = "-"
COMPRESSION_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bz2",
    b"\x04\x22\x4d\x18": "lz4",
}


class ByteStream:
    """A stream that can be looked into before it is read.

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
        self.rereadable = path != STDIN  # whether it can be opened once more
        self._raw: Any = sys.stdin.buffer if file is None else file
        if self.rereadable:
            self._raw = open(path, "rb")  # noqa: SIM115  # closed with the stream
        start = self._raw.peek(8)[:8]
        self.compression = next((name for magic, name in COMPRESSION_MAGIC.items() if start.startswith(magic)), None)
        self._file = self._raw if self.compression is None else open_decompressor(self._raw, self.compression)
        self._ahead = b""

    @property
    def done(self) -> int:
        """How many bytes of the file are behind."""
        return int(self._raw.tell()) if self.rereadable else 0

    @property
    def ahead(self) -> int:
        """How many bytes were looked into, and are still to be read."""
        return len(self._ahead)

    def peek(self, size: int) -> bytes:
        """The next bytes, at most so many, which stay to be read."""
        if len(self._ahead) < size:
            self._ahead += self._read(size - len(self._ahead))
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """The next bytes: so many, or all up to the end."""
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken + self._read(size - len(taken)) if len(taken) < size else taken

    def fill(self, room: memoryview) -> int:
        """Read the next bytes into memory. How many there were: fewer than there is room for only at the end."""
        done = min(len(self._ahead), len(room))
        room[:done], self._ahead = self._ahead[:done], self._ahead[done:]
        while done < len(room) and (some := self._try(self._file.readinto, room[done:])):
            done += some
        return done

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size and (part := bytes(self._try(self._file.read, size))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _try(self, read: Callable[..., Any], what: Any) -> Any:
        if self.compression is None:
            return read(what)
        try:
            return read(what)
        except Exception as error:  # each library has errors of its own, some of them with no other parent
            if isinstance(error, OSError) and error.errno is not None:
                raise
            cut = isinstance(error, EOFError) or "truncated" in str(error).lower()
            what = "ends before its data do: it was cut off" if cut else "is damaged"
            raise InputError(f"{self.path} ({self.compression}) {what}; fetch or compress it again.") from None

    def close(self) -> None:
        if self.rereadable:
            self._raw.close()

    def __del__(self) -> None:
        if "_raw" in self.__dict__:  # closed at the latest when nobody reads it any more
            self.close()


def open_decompressor(raw: Any, compression: str) -> Any:
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


def file_size(path: str) -> int:
    """Bytes of a file, as it lies on the disk; 0 where nobody knows."""
    return 0 if path == STDIN else os.stat(path).st_size
