"""Text files in blocks of whole rows, each with the number of its first line."""

import codecs
import csv
import io
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...foundation.errors import InputError
from .batches import Batch, Reading, Source
from .compressed import ByteStream

BLOCK_SIZE = 1 << 22
HEAD_SIZE = 1 << 20
MAX_ROW_SIZE = 1 << 27


class Block(NamedTuple):
    """Whole rows of a text file, the number of their first line, and where in the file's text they begin."""

    text: bytes | bytearray
    line: int
    offset: int


class Dialect(NamedTuple):
    """How a file separates its rows and values; `quote` is None where quotes are letters like others."""

    delimiter: str
    quote: str | None
    newline: str = "\n"

    def rows(self, text: bytes | bytearray) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not blank, slowly, each with the number of its first line."""
        lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", errors="replace", newline="")
        quoting: Any = {"quoting": csv.QUOTE_NONE} if self.quote is None else {}
        reader = csv.reader(lines, delimiter=self.delimiter, **quoting)
        first = 1
        for cells in reader:
            if cells:
                yield first, cells
            first = reader.line_num + 1


PLAIN_LINES = Dialect("\n", None)


class TextSource(Source):
    """A text whose rows are lines, but for quotes."""

    dialect = PLAIN_LINES

    @abstractmethod
    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        """What makes a batch of a block of rows."""


class RowScan(NamedTuple):
    """Where the last whole row of a text ends, the number of lines up to there, and the positions of wrong quotes.

    `unclosed_quote` opens a value that is never closed. `misplaced_quote` opens a value that goes on after its closing
    quote.
    """

    end: int
    lines: int
    unclosed_quote: int | None
    misplaced_quote: int | None


def scan_rows(text: bytes | bytearray, dialect: Dialect) -> RowScan:
    """Find where the last whole row ends, and quotes that are wrong.

    >>> scan_rows(b'1,2\\n3,"x\\ny', Dialect(",", '"'))
    RowScan(end=4, lines=1, unclosed_quote=6, misplaced_quote=None)
    >>> [scan_rows(text, Dialect(",", '"')).misplaced_quote for text in (b'1,"2"3\\n', b'1,5" pipe\\n')]
    [2, None]
    """
    letters = np.frombuffer(text, np.uint8)
    return RowScan(*_core.whole_rows(letters, dialect.newline, dialect.delimiter, dialect.quote is not None))


def read_text_head(stream: ByteStream) -> bytes:
    """The beginning of a text file, without its byte order mark; refused where it is no text."""
    if stream.peek(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
        stream.read(len(codecs.BOM_UTF8))
    size = HEAD_SIZE
    while len(head := stream.peek(size)) == size < MAX_ROW_SIZE and not _has_rows(head):  # a first row may be long
        size *= 4
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < size)
        fine = b"\0" not in head
    except UnicodeDecodeError:
        fine = False
    if not fine:
        raise encoding_error(stream.path)
    return head


def _has_rows(head: bytes) -> bool:
    newline = detect_newline(head)
    return newline in head[head.find(newline) + 1 :]


def detect_newline(head: bytes) -> bytes:
    """What ends a line: a line feed, also behind a carriage return; or only that, as old Macintoshes have it.

    >>> detect_newline(b"a,b\\r\\n1,2"), detect_newline(b"a,b\\r1,2")
    (b'\\n', b'\\r')
    """
    return b"\r" if b"\r" in head and b"\n" not in head else b"\n"


def encoding_error(path: str, block: Block | None = None) -> InputError:
    """Says so, with the line where it shows if a block of rows is given."""
    where = path
    if block is not None:
        try:
            block.text.decode()
        except UnicodeDecodeError as error:
            lines = block.text.count(b"\n", 0, error.start)
            where = f"{path}, line {block.line + lines}"
    return InputError(f"{where} is not text in UTF-8, nor Parquet or Arrow: save the table as CSV in UTF-8.")


def read_blocks(
    stream: ByteStream, line: int, dialect: Dialect = PLAIN_LINES, size: int = BLOCK_SIZE
) -> Iterator[Block]:
    """What is left of a stream, in pieces of about so many bytes, cut where rows end."""
    offset, rest = 0, bytearray()
    while True:
        text = bytearray(len(rest) + size)  # read into, and then cut, without a copy
        text[: len(rest)] = rest
        filled = len(rest) + stream.fill(memoryview(text)[len(rest) :])
        last = filled < len(text)
        del text[filled:]
        if not text:
            return
        rows = scan_rows(text, dialect)
        wrong = rows.unclosed_quote if last else None
        if wrong is not None or rows.misplaced_quote is not None:
            raise quote_error(stream.path, text, line, rows, dialect)
        if len(text) - rows.end > MAX_ROW_SIZE:
            raise InputError(
                f"{stream.path}, line {line} goes on for more than {MAX_ROW_SIZE >> 20} MB: are its quotes closed?"
            )
        end = len(text) if last else rows.end
        rest = text[end:]
        del text[end:]
        if text:
            yield Block(text, line, offset)
        if last:
            return
        line, offset = line + rows.lines, offset + end


def quote_error(path: str, text: bytes | bytearray, line: int, rows: RowScan, dialect: Dialect) -> InputError:
    """Says in which line the first quote stands that is wrong."""
    place = min(place for place in (rows.misplaced_quote, rows.unclosed_quote) if place is not None)
    what = "goes on behind a closing quote" if place == rows.misplaced_quote else "opens a quote that is never closed"
    line += text.count(dialect.newline.encode(), 0, place)
    return InputError(f"{path}, line {line} {what}: correct it.")
