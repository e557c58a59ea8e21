"""Read a pipe in a background thread, decompress its bytes, and hand them on as they arrive."""

import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...foundation.errors import InputError
from .compressed import STDIN, compression_of, decompression_error, is_compression_prefix, open_decompressor

READ_SIZE = 1 << 18  # bytes in one read of the pipe
MAX_TAKE_SIZE = 1 << 23  # bytes that one call of `take` returns, give or take one read
MAX_AHEAD_SIZE = 1 << 24  # bytes that the thread reads ahead
PIPE_CAPACITY = 1 << 20  # bytes that the system buffers
F_SETPIPE_SZ = 1031  # Linux's number for this call
POLL_SECONDS = 0.01  # between reads of a pipe in non-blocking mode


class PipeReader:
    """The bytes of a file or pipe, decompressed, in the order in which they arrive.

    >>> import gzip, io
    >>> reader = PipeReader(io.BytesIO(gzip.compress(b"a,b\\n")))
    >>> reader.take(5), reader.take(5)
    (b'a,b\\n', None)
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._ended = self._closed = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        # The thread is a daemon because at exit it may be waiting for bytes that never arrive.
        threading.Thread(target=self._run, daemon=True).start()

    def take(self, seconds: float) -> bytes | None:
        """Return the bytes that arrived: at once if there are any, b"" after this many seconds, None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._pieces or self._ended, seconds)
            if not self._pieces:
                if self._ended and self._error is not None:
                    raise self._error
                return None if self._ended else b""
            taken, size = [], 0
            while self._pieces and size < MAX_TAKE_SIZE:
                taken.append(self._pieces.popleft())
                size += len(taken[-1])
            self._size -= size
            self._changed.notify_all()
        return b"".join(taken)

    def close(self) -> None:
        """Stop reading. Bytes that were read already can still be taken."""
        self._closed = True

    def _run(self) -> None:
        try:
            for piece in self._decompressed_pieces():
                with self._changed:
                    self._pieces.append(piece)
                    self._size += len(piece)
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._size < MAX_AHEAD_SIZE)
                if self._closed:
                    break
        except Exception as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _raw_pieces(self) -> Iterator[bytes]:
        while (piece := self._file.read(READ_SIZE)) != b"":
            if piece is None:  # nothing there yet, in non-blocking mode
                time.sleep(POLL_SECONDS)
            else:
                yield piece

    def _decompressed_pieces(self) -> Iterator[bytes]:
        raw, start = self._raw_pieces(), b""
        for piece in raw:
            start += piece
            if not is_compression_prefix(start):
                break
        compression = compression_of(start)
        if compression is None:
            if start:
                yield start
            yield from raw
        else:
            yield from _decompress(start, raw, compression)


def open_stdin() -> PipeReader:
    """A reader of standard input. It skips the buffer, whose lock a waiting thread would hold at exit."""
    if sys.stdin is None:
        raise InputError("standard input is closed: give it rows, or name a file.")
    file: Any = sys.stdin.buffer
    file = getattr(file, "raw", file)
    with suppress(ImportError, OSError, ValueError):  # a larger pipe needs fewer reads; not all systems offer it
        import fcntl

        fcntl.fcntl(file.fileno(), F_SETPIPE_SZ, PIPE_CAPACITY)
    return PipeReader(file)


def _decompress(start: bytes, raw: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Decompress bytes as they arrive; lz4 and zstd return pieces only when a block is complete."""
    try:
        if compression in ("gzip", "bz2", "xz"):
            yield from _decompress_members(start, raw, compression)
        else:
            stream = open_decompressor(_PrefixedFile(start, raw), compression)
            while piece := bytes(stream.read(1 << 16)):
                yield piece
    except OSError as error:
        if error.errno is not None:
            raise
        raise decompression_error(STDIN, compression) from None
    except (InputError, GeneratorExit):
        raise
    except Exception:  # each library raises errors of its own
        raise decompression_error(STDIN, compression) from None


def _decompress_members(rest: bytes, raw: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Decompress one compressed file, or several one after the other."""
    stream = _new_decompressor(compression)
    begun = True
    while True:
        if rest:
            begun = True
            if text := stream.decompress(rest):
                yield text
        if stream.eof:
            rest, stream, begun = stream.unused_data.lstrip(b"\0"), _new_decompressor(compression), False
            if rest:
                continue
        rest = next(raw, b"")
        if not begun:
            rest = rest.lstrip(b"\0")
        if not rest:
            if begun:
                raise decompression_error(STDIN, compression, truncated=True)
            return


def _new_decompressor(compression: str) -> Any:
    if compression == "gzip":
        return zlib.decompressobj(31)
    if compression == "bz2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor()


class _PrefixedFile:
    """A file of bytes that were read already, followed by those still to be read."""

    closed = False

    def __init__(self, start: bytes, raw: Iterator[bytes]) -> None:
        self._rest, self._raw = start, raw

    def read(self, size: int) -> bytes:
        if not self._rest:
            self._rest = next(self._raw, b"")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def close(self) -> None:
        pass
