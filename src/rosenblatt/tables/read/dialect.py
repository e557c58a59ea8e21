"""How a text file separates its rows and values, and a scan for whole rows and wrong quotes."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...foundation.errors import InputError

DELIMITERS = ",;\t|"
FIRST_LINE = re.compile(rb"[^\r\n]*\S[^\r\n]*")


class Dialect(NamedTuple):
    """The delimiter, the quote and the line end of a text file; `quote` is None if quotes have no meaning."""

    delimiter: str
    quote: str | None
    newline: str = "\n"

    def rows(self, text: bytes | bytearray) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not blank, each with the number of its first line. Slow: only for headers and errors."""
        lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", errors="replace", newline="")
        quoting: Any = {"quoting": csv.QUOTE_NONE} if self.quote is None else {}
        reader = csv.reader(lines, delimiter=self.delimiter, **quoting)
        first = 1
        for cells in reader:
            if cells:
                yield first, cells
            first = reader.line_num + 1


PLAIN_LINES = Dialect("\n", None)


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
    characters = np.frombuffer(text, np.uint8)
    return RowScan(*_core.whole_rows(characters, dialect.newline, dialect.delimiter, dialect.quote is not None))


def quote_error(path: str, text: bytes | bytearray, line: int, rows: RowScan, dialect: Dialect) -> InputError:
    """An error that names the line of the first wrong quote; `line` is the number of the text's first line."""
    place = min(place for place in (rows.misplaced_quote, rows.unclosed_quote) if place is not None)
    misplaced = place == rows.misplaced_quote
    problem = "has text after a closing quote" if misplaced else "opens a quote that is never closed"
    line += text.count(dialect.newline.encode(), 0, place)
    return InputError(f"{path}, line {line} {problem}: correct it.")


def detect_newline(head: bytes) -> bytes:
    """The character that ends lines: a line feed, alone or after a carriage return, or only a carriage return.

    >>> detect_newline(b"a,b\\r\\n1,2"), detect_newline(b"a,b\\r1,2")
    (b'\\n', b'\\r')
    """
    return b"\r" if b"\r" in head and b"\n" not in head else b"\n"


def detect_dialect(head: bytes) -> Dialect:
    """The dialect of a CSV file: its delimiter is the most frequent one in the first line.

    In tab-separated files quotes often have no meaning, so there they count only if all fields use them correctly.

    >>> detect_dialect(b"a;b\\n1;2"), detect_dialect(b'a\\tb\\r"x" is\\t1\\r')
    (Dialect(delimiter=';', quote='"', newline='\\n'), Dialect(delimiter='\\t', quote=None, newline='\\r'))
    """
    first, newline = FIRST_LINE.search(head), detect_newline(head).decode()
    delimiter = max(DELIMITERS, key=lambda mark: first[0].count(mark.encode()) if first else 0)
    quoted = Dialect(delimiter, '"', newline)
    return quoted if delimiter != "\t" or _has_quoted_fields(head, quoted) else Dialect(delimiter, None, newline)


def _has_quoted_fields(head: bytes, dialect: Dialect) -> bool:
    """Whether some fields open with a quote, and each of these closes with one.

    >>> [_has_quoted_fields(head, Dialect("\\t", '"')) for head in (b'a\\t"x y"\\n', b'a\\t"x" is\\n', b'a\\tb\\n')]
    [True, False, False]
    """
    rows = scan_rows(head, dialect)
    wrong = rows.unclosed_quote is not None or rows.misplaced_quote is not None
    return not wrong and (head.startswith(b'"') or any(edge in head for edge in (b'\t"', b'\n"', b'\r"')))
