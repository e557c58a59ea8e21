"""Bytes that come through a pipe, taken as soon as they are there. A thread reads ahead and decompresses."""

import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...foundation.errors import InputError
from .compressed import COMPRESSION_MAGIC, STDIN, open_decompressor

READ_SIZE = 1 << 18  # bytes asked for at a time
MAX_TAKE_SIZE = 1 << 23  # bytes given at a time, at most
MAX_AHEAD_SIZE = 1 << 24  # bytes read before they are asked for
F_SETPIPE_SZ = 1031  # what Linux calls F_SETPIPE_SZ


class PipeReader:
    """The bytes of a file or pipe in the order in which they come.

    >>> import gzip, io
    >>> arriving = PipeReader(io.BytesIO(gzip.compress(b"a,b\\n")))
    >>> arriving.take(5), arriving.take(5)
    (b'a,b\\n', None)
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._ended = self._closed = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        # A daemon: it may wait for bytes that never come when the program ends.
        threading.Thread(target=self._run, daemon=True).start()

    def take(self, seconds: float) -> bytes | None:
        """What has come: at once if there is something, b"" after so many seconds without, None at the end."""
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
            self._held -= size
            self._changed.notify_all()
        return b"".join(taken)

    def close(self) -> None:
        """Read no more; what was read already can still be taken."""
        self._closed = True

    def _run(self) -> None:
        try:
            for piece in self._decompressed():
                with self._changed:
                    self._pieces.append(piece)
                    self._held += len(piece)
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._held < MAX_AHEAD_SIZE)
                if self._closed:
                    break
        except Exception as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _raw(self) -> Iterator[bytes]:
        while (piece := self._file.read(READ_SIZE)) != b"":
            if piece is None:  # a pipe that does not wait
                time.sleep(0.01)
            else:
                yield piece

    def _decompressed(self) -> Iterator[bytes]:
        raw, start, longest = self._raw(), b"", max(map(len, COMPRESSION_MAGIC))
        for piece in raw:
            start += piece
            if len(start) >= longest or not any(magic.startswith(start) for magic in COMPRESSION_MAGIC):
                break
        compression = next((name for magic, name in COMPRESSION_MAGIC.items() if start.startswith(magic)), None)
        if compression is None:
            if start:
                yield start
            yield from raw
        else:
            yield from _decompress(start, raw, compression)


def open_stdin() -> PipeReader:
    """Standard input, past its buffer: a thread that waits there at the end must hold no lock."""
    if sys.stdin is None:
        raise InputError("standard input is closed: give it rows, or name a file.")
    file: Any = sys.stdin.buffer
    file = getattr(file, "raw", file)
    with suppress(ImportError, OSError, ValueError):  # a larger pipe is read with fewer calls; not all systems have it
        import fcntl

        fcntl.fcntl(file.fileno(), F_SETPIPE_SZ, 1 << 20)
    return PipeReader(file)


def _decompress(start: bytes, raw: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Decompressed as far as bytes have come; lz4 and zstd in pieces of their own."""
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
        raise decompression_error(compression) from None
    except (InputError, GeneratorExit):
        raise
    except Exception:  # each library has errors of its own
        raise decompression_error(compression) from None


def decompression_error(compression: str, what: str = "is damaged") -> InputError:
    return InputError(f"{STDIN} ({compression}) {what}; fetch or compress it again.")


def _decompress_members(rest: bytes, raw: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """One compressed file, or several one after the other."""
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
                raise decompression_error(compression, "ends before its data do: it was cut off")
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
    """A file of bytes that were read already and those to come."""

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
