"""Text files in blocks of whole rows, each with the number of its first line."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from .. import _core
from ..errors import InputError
from .compressed import Bytes

BLOCK = 1 << 22
HEAD = 1 << 20
LONGEST = 1 << 27


class Block(NamedTuple):
    """Whole rows of a text file, the number of their first line, and where in the file's text they begin."""

    text: bytes
    line: int
    offset: int


def text_head(stream: Bytes) -> bytes:
    """The beginning of a text file, without its byte order mark; refused where it is no text."""
    head = stream.peek(HEAD)
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
        head = stream.peek(HEAD)
    size = HEAD
    while len(head) == size < LONGEST and head.count(b"\n") < 2:  # a first row may be long
        size *= 4
        head = stream.peek(size)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < size)
        fine = b"\0" not in head
    except UnicodeDecodeError:
        fine = False
    if not fine:
        raise not_text(stream.path)
    return head


def not_text(path: str) -> InputError:
    return InputError(f"{path} is not text in UTF-8, nor Parquet or Arrow: save the table as CSV in UTF-8.")


def blocks(stream: Bytes, line: int, quoted: re.Pattern[bytes] | None = None) -> Iterator[Block]:
    """What is left of a stream, cut where rows end. `quoted` finds what stands in quotes, where a line may go on."""
    offset, rest = 0, b""
    while True:
        more = stream.read(BLOCK)
        text = rest + more
        if not text:
            return
        end = row_end(text, quoted) if more else len(text)
        if not more and quoted is not None and is_left_open(text, quoted):
            raise left_open(stream.path, text, line, quoted)
        if end:
            block = Block(text[:end], line, offset)
            yield block
            line, offset = line + count(block.text, b"\n"), offset + end
        elif len(text) > LONGEST:
            raise InputError(
                f"{stream.path}, line {line} goes on for more than {LONGEST >> 20} MB: are its quotes closed?"
            )
        rest = text[end:]


def count(text: bytes, letter: bytes) -> int:
    """`text.count(letter)` of one byte, many times as fast: Python compares byte by byte.

    >>> count(b"1,2\\n3,4\\n", b"\\n")
    2
    """
    return _core.count_bytes(text, letter.decode())


def row_end(text: bytes, quoted: re.Pattern[bytes] | None) -> int:
    """Where the last whole row ends; quotes that come in pairs up to a line's end leave none open there.

    >>> row_end(b"1,2\\n3,", None), row_end(b'1,2\\n3,"x\\ny', quotes(","))
    (4, 4)
    """
    end = text.rfind(b"\n") + 1
    if quoted is None or b'"' not in text or not count(text[:end], b'"') % 2:
        return end
    return quoted.sub(lambda found: b"_" * len(found[0]), text).rfind(b"\n") + 1


def quotes(delimiter: str) -> re.Pattern[bytes]:
    """Finds fields in quotes; what a last one that is never closed ends with is group 1."""
    return re.compile(rb'(?:(?<=\A)|(?<=[\r\n%b]))"(?:[^"]|"")*(?:"|(\Z))' % re.escape(delimiter.encode()))


def is_left_open(text: bytes, quoted: re.Pattern[bytes]) -> bool:
    """
    >>> [is_left_open(text, quotes(",")) for text in (b'1,"x\\n', b'1,"x"\\n', b'5" pipe')]
    [True, False, False]
    """
    return count(text, b'"') % 2 == 1 and any(found[1] is not None for found in quoted.finditer(text))


def left_open(path: str, text: bytes, line: int, quoted: re.Pattern[bytes]) -> InputError:
    """Says in which line the quote stands that is never closed."""
    start = next(found.start() for found in quoted.finditer(text) if found[1] is not None)
    line += text.count(b"\n", 0, start)
    return InputError(f"{path}, line {line} opens a quote that is never closed: correct it.")
