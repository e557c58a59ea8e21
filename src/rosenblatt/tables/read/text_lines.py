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
from .compressed import Bytes

BLOCK = 1 << 22
HEAD = 1 << 20
LONGEST = 1 << 27


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


LINES = Dialect("\n", None)


class Lined(Source):
    """A text whose rows are lines, but for quotes."""

    dialect = LINES

    @abstractmethod
    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        """What makes a batch of a block of rows."""


class WholeRows(NamedTuple):
    """Where the last whole row of a text ends, the lines up to there, and where a quote is wrong.

    `left_open` is the place of one that is never closed, `misquoted` of a value with something behind its quotes.
    """

    end: int
    lines: int
    left_open: int | None
    misquoted: int | None


def whole_rows(text: bytes | bytearray, dialect: Dialect) -> WholeRows:
    """
    >>> whole_rows(b'1,2\\n3,"x\\ny', Dialect(",", '"'))
    WholeRows(end=4, lines=1, left_open=6, misquoted=None)
    >>> whole_rows(b'1,"2"3\\n', Dialect(",", '"')).misquoted, whole_rows(b'1,5" pipe\\n', Dialect(",", '"')).misquoted
    (2, None)
    """
    letters = np.frombuffer(text, np.uint8)
    return WholeRows(*_core.whole_rows(letters, dialect.newline, dialect.delimiter, dialect.quote is not None))


def text_head(stream: Bytes) -> bytes:
    """The beginning of a text file, without its byte order mark; refused where it is no text."""
    if stream.peek(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
        stream.read(len(codecs.BOM_UTF8))
    size = HEAD
    while len(head := stream.peek(size)) == size < LONGEST and not _has_rows(head):  # a first row may be long
        size *= 4
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < size)
        fine = b"\0" not in head
    except UnicodeDecodeError:
        fine = False
    if not fine:
        raise not_text(stream.path)
    return head


def _has_rows(head: bytes) -> bool:
    newline = newline_of(head)
    return newline in head[head.find(newline) + 1 :]


def newline_of(head: bytes) -> bytes:
    """What ends a line: a line feed, also behind a carriage return; or only that, as old Macintoshes have it.

    >>> newline_of(b"a,b\\r\\n1,2"), newline_of(b"a,b\\r1,2")
    (b'\\n', b'\\r')
    """
    return b"\r" if b"\r" in head and b"\n" not in head else b"\n"


def not_text(path: str, block: Block | None = None) -> InputError:
    """Says so, with the line where it shows if a block of rows is given."""
    where = path
    if block is not None:
        try:
            block.text.decode()
        except UnicodeDecodeError as error:
            lines = block.text.count(b"\n", 0, error.start)
            where = f"{path}, line {block.line + lines}"
    return InputError(f"{where} is not text in UTF-8, nor Parquet or Arrow: save the table as CSV in UTF-8.")


def blocks(stream: Bytes, line: int, dialect: Dialect = LINES, size: int = BLOCK) -> Iterator[Block]:
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
        rows = whole_rows(text, dialect)
        wrong = rows.left_open if last else None
        if wrong is not None or rows.misquoted is not None:
            raise wrong_quotes(stream.path, text, line, rows, dialect)
        if len(text) - rows.end > LONGEST:
            raise InputError(
                f"{stream.path}, line {line} goes on for more than {LONGEST >> 20} MB: are its quotes closed?"
            )
        end = len(text) if last else rows.end
        rest = text[end:]
        del text[end:]
        if text:
            yield Block(text, line, offset)
        if last:
            return
        line, offset = line + rows.lines, offset + end


def wrong_quotes(path: str, text: bytes | bytearray, line: int, rows: WholeRows, dialect: Dialect) -> InputError:
    """Says in which line the first quote stands that is wrong."""
    place = min(place for place in (rows.misquoted, rows.left_open) if place is not None)
    what = "goes on behind a closing quote" if place == rows.misquoted else "opens a quote that is never closed"
    line += text.count(dialect.newline.encode(), 0, place)
    return InputError(f"{path}, line {line} {what}: correct it.")
