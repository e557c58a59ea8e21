"""Text files in blocks of whole rows, each with the number of its first line."""

import codecs
from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

from ...foundation.errors import InputError
from .batches import Batch, Reading, Source
from .compressed import ByteStream
from .dialect import PLAIN_LINES, Dialect, detect_newline, quote_error, scan_rows

BLOCK_SIZE = 1 << 22  # bytes of a block of rows
HEAD_SIZE = 1 << 20  # bytes that are read to detect columns and their types
MAX_ROW_SIZE = 1 << 27  # bytes


class Block(NamedTuple):
    """Whole rows of a text file, the number of their first line, and their offset in the text after the header."""

    text: bytes | bytearray
    line: int
    offset: int


class TextSource(Source):
    """A text file with one row per line, except that quoted values may contain line ends."""

    dialect = PLAIN_LINES
    only_block: Block | None = None  # of a piece: the rows that it holds

    @abstractmethod
    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        """A function that parses a block of rows into a batch."""

    def pieces(self, whole: int = 0) -> Iterator[Any]:
        """Blocks of rows with their text: a worker could not find their beginning in the file."""
        if self.size <= max(whole, BLOCK_SIZE):
            yield None
            return
        stream = ByteStream(self.path)
        read_text_head(stream)  # skips a byte order mark
        for block in read_blocks(stream, 1, self.dialect, BLOCK_SIZE):
            self.done = stream.done
            yield block
        stream.close()

    def piece(self, which: Any) -> "TextSource":
        one = copy(self)
        one.only_block = which
        return one


def read_text_head(stream: ByteStream) -> bytes:
    """Skip the byte order mark, and peek at the beginning of a text; raises an error if it is not UTF-8 text."""
    if stream.peek(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
        stream.read(len(codecs.BOM_UTF8))
    size = HEAD_SIZE
    while len(head := stream.peek(size)) == size < MAX_ROW_SIZE and not _has_row(head):  # the first row may be long
        size *= 4
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < size)
        is_text = b"\0" not in head
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise encoding_error(stream.path)
    return head


def _has_row(head: bytes) -> bool:
    newline = detect_newline(head)
    return newline in head[head.find(newline) + 1 :]


def encoding_error(path: str, block: Block | None = None) -> InputError:
    """An error that says that a file is not UTF-8 text, and in which line if a block of rows is given."""
    where = path
    if block is not None:
        try:
            block.text.decode()
        except UnicodeDecodeError as error:
            lines = block.text.count(b"\n", 0, error.start)
            where = f"{path}, line {block.line + lines}"
    return InputError(f"{where} is not text in UTF-8, nor Parquet or Arrow: save the table as CSV in UTF-8.")


def row_size_error(path: str, line: int) -> InputError:
    """An error for a row that is too long, most often because a quote is not closed."""
    return InputError(f"{path}, line {line} is longer than {MAX_ROW_SIZE >> 20} MB: are its quotes closed?")


def read_blocks(
    stream: ByteStream, line: int, dialect: Dialect = PLAIN_LINES, size: int = BLOCK_SIZE
) -> Iterator[Block]:
    """Read the rest of a stream in blocks of whole rows, of about `size` bytes; `line` numbers its first line."""
    offset, rest = 0, bytearray()
    while True:
        text = bytearray(len(rest) + size)  # filled and then shortened, without a copy
        text[: len(rest)] = rest
        filled = len(rest) + stream.fill(memoryview(text)[len(rest) :])
        last = filled < len(text)
        del text[filled:]
        if not text:
            return
        rows = scan_rows(text, dialect)
        unclosed = last and rows.unclosed_quote is not None
        if unclosed or rows.misplaced_quote is not None:
            raise quote_error(stream.path, text, line, rows, dialect)
        if len(text) - rows.end > MAX_ROW_SIZE:
            raise row_size_error(stream.path, line)
        end = len(text) if last else rows.end
        rest = text[end:]
        del text[end:]
        if text:
            yield Block(text, line, offset)
        if last:
            return
        line, offset = line + rows.lines, offset + end
