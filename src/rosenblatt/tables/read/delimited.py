"""CSV and its relatives: UTF-8, with the columns' names in the first line."""

import csv
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as arrow
import pyarrow.csv

from ... import _core
from ...foundation.errors import ColumnError, InputError
from ...foundation.threads import thread_count
from .arrow_arrays import from_numpy
from .batches import CATEGORY, DATE, NUMBER, RAW, TEXT, Batch, Reading, Result, check_column_names, map_in_parallel
from .compressed import STDIN, ByteStream, file_size
from .text_lines import (
    BLOCK_SIZE,
    HEAD_SIZE,
    Block,
    Dialect,
    TextSource,
    detect_newline,
    encoding_error,
    quote_error,
    read_blocks,
    read_text_head,
    scan_rows,
)

DELIMITERS = ",;\t|"
BYTES_PER_COLUMN, MAX_BLOCK_SIZE = (
    1 << 11,
    1 << 26,
)  # bytes of a column in a block, and of a block: each column takes time of its own
MISSING_VALUES = [
    *("", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null"),
    *("<NA>", "#N/A N/A", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
]
ARROW_TYPES = {
    NUMBER: arrow.float64(),
    CATEGORY: arrow.dictionary(arrow.int32(), arrow.string()),
    TEXT: arrow.string(),
    RAW: arrow.string(),
}
FIRST_LINE = re.compile(rb"[^\r\n]*\S[^\r\n]*")
CORE_FIELD_KINDS = {
    ARROW_TYPES[NUMBER]: 1,
    ARROW_TYPES[CATEGORY]: 2,
    ARROW_TYPES[TEXT]: 2,
}  # what the core reads: numbers, and texts


class BlockPosition(NamedTuple):
    """Where a block of rows is: its first line, its place behind the header, where that ends, and how long it is."""

    line: int
    offset: int
    begin: int
    size: int

    @property
    def end(self) -> int:
        return self.begin + self.offset + self.size

    def block(self, file: int) -> Block:
        return Block(os.pread(file, self.size, self.begin + self.offset), self.line, self.offset)


class DelimitedText(TextSource):
    """A file of delimited text, plain or compressed."""

    # Where blocks of rows begin, known after the first read, and the size and time of the file that this holds for.
    block_index: tuple[list[BlockPosition], tuple[int, int]] | None = None

    def __init__(self, path: str, stream: ByteStream) -> None:
        csv.field_size_limit(1 << 30)
        self.path, self.size = path, file_size(path)
        head = read_text_head(stream)
        if len(head) >= HEAD_SIZE and detect_newline(head) not in head[:HEAD_SIZE]:
            raise InputError(
                f"{path}, line 1 goes on for more than {HEAD_SIZE >> 20} MB: so many columns are better LIBSVM text."
            )
        self.dialect = detect_dialect(head)
        self._header_lines, header = self._header(head)
        self.names = check_column_names(path, [name.strip() for name in header], f", line {self._header_lines}")
        self._first = stream if path == STDIN else None
        self.rereadable = path != STDIN
        self._head = head
        self._sample: Batch | None = None
        if self._first is None:
            stream.close()

    def sample(self) -> Batch:
        if self._sample is None:
            self._sample = self._first_rows()
        return self._sample

    def _first_rows(self) -> Batch:
        start = self._header_size(self._head)
        text = self._head[start:]
        if len(self._head) >= HEAD_SIZE:
            text = text[: scan_rows(text, self.dialect).end]
        block = Block(text, self._header_lines + 1, 0)
        return Batch(self._parsed(block, [*filter(None, self.names)], {}), self.path, self._placed(block))

    def batches(self, reading: Reading) -> Iterator[Batch]:
        return self._map_blocks(self.reader(reading))

    def batches_as_written(self, reading: Reading, names: Sequence[str]) -> Iterator[tuple[Batch, Any]]:
        read, read_text = self.reader(reading), self.reader(dict.fromkeys(names, RAW))
        return self._map_blocks(lambda block: (read(block), read_text(block).table))

    def _map_blocks(self, make: Callable[[Block], Result]) -> Iterator[Result]:
        """Yield the result of each block of rows, computed by several threads."""
        threads = thread_count(None)
        if self.block_index is None or self.block_index[1] != size_and_mtime(self.path):
            for done, result in map_in_parallel(lambda read: (read[0], make(read[1])), self._blocks(), threads):
                self.done = done
                yield result
            return
        with open(self.path, "rb") as file:  # its blocks are known: each is read by who takes it
            number = file.fileno()
            for done, result in map_in_parallel(
                lambda cut: (cut.end, make(cut.block(number))), self.block_index[0], threads
            ):
                self.done = done
                yield result

    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        shown = {field.name: field.type for field in self.sample().table.schema}
        types = {name: _arrow_type(shown.get(name), kind) for name, kind in reading.items()}
        gaps = RAW not in reading.values()

        def batch(block: Block) -> Batch:
            return Batch(self._parsed(block, list(reading), types, gaps), self.path, self._placed(block))

        return batch

    def _blocks(self) -> Iterator[tuple[int, Block]]:
        """Blocks of rows, each with how much of the file is read then."""
        stream = self._begun()[0] if self._first is None else self._first
        stream.read(self._header_size(self._head))
        begin, cuts, before = stream.done - stream.ahead, [], size_and_mtime(self.path)
        try:
            size = min(max(BLOCK_SIZE, len(self.names) * BYTES_PER_COLUMN), MAX_BLOCK_SIZE)
            for block in read_blocks(stream, self._header_lines + 1, self.dialect, size):
                cuts.append(BlockPosition(block.line, block.offset, begin, len(block.text)))
                yield stream.done, block
        finally:
            stream.close()
        if before is not None and stream.compression is None:
            self.block_index = cuts, before

    def _begun(self) -> tuple[ByteStream, bytes]:
        stream = ByteStream(self.path)
        return stream, read_text_head(stream)

    def _header(self, head: bytes) -> tuple[int, list[str]]:
        """How many lines the header ends after, and its cells; lines in quotes are lines too."""
        line, cells = next(self.dialect.rows(head), (0, []))
        return line + sum(cell.count("\n") for cell in cells), cells

    def _header_size(self, head: bytes) -> int:
        at = 0
        for _ in range(self._header_lines):
            at = head.find(self.dialect.newline.encode(), at) + 1 or len(head)
        return at

    def _parsed(self, block: Block, columns: Sequence[str], types: dict[str, Any], gaps: bool = True) -> Any:
        if not block.text or block.text.isspace():
            return arrow.table({name: arrow.nulls(0) for name in columns})
        plain = self._plain(block.text, columns, types) if gaps and types and self.dialect.newline != "\r" else None
        if plain is not None:
            return plain
        try:
            return arrow.csv.read_csv(
                arrow.BufferReader(block.text),
                arrow.csv.ReadOptions(column_names=self._unique(), use_threads=False, block_size=len(block.text) + 1),
                arrow.csv.ParseOptions(
                    delimiter=self.dialect.delimiter, quote_char=self.dialect.quote or False, newlines_in_values=True
                ),
                arrow.csv.ConvertOptions(
                    include_columns=columns,
                    column_types=types,
                    null_values=MISSING_VALUES,
                    strings_can_be_null=gaps,
                    quoted_strings_can_be_null=gaps,
                ),
            )
        except (arrow.ArrowInvalid, arrow.ArrowKeyError) as error:
            raise self._explained(block, str(error), types) from None

    def _plain(self, text: bytes | bytearray, columns: Sequence[str], types: dict[str, Any]) -> Any:
        """The same several times as fast, where there is nothing but numbers and short words; None where there is."""
        if not all(types[name] in CORE_FIELD_KINDS for name in columns):
            return None
        fields = {name: CORE_FIELD_KINDS[types[name]] for name in columns}
        kinds = np.array([fields.get(name, 0) for name in self.names], np.uint8)
        letters = np.frombuffer(text, np.uint8)
        found = _core.read_delimited(letters, self.dialect.delimiter, self.dialect.quote is not None, kinds)
        if found is None:
            return None
        by_name = dict(zip(self.names, found, strict=True))
        return arrow.table({name: _arrow_column(by_name[name], types[name]) for name in columns})

    def _unique(self) -> list[str]:
        """Columns without a name get one that nobody asks for."""
        return [name or f"\0{place}" for place, name in enumerate(self.names)]

    def _placed(self, block: Block) -> Any:
        first, offset, size = block.line, block.offset, len(block.text)

        def place(row: int) -> str:
            if self._first is not None:
                return f"line {first + row} or below"
            stream = self._begun()[0]
            stream.read(self._header_size(self._head) + offset)
            text = stream.read(size)
            stream.close()
            for number, (line, _) in enumerate(self.dialect.rows(text)):
                if number == row:
                    return f"line {first + line - 1}"
            return f"line {first + row}"

        return place

    def _explained(self, block: Block, complaint: str, types: dict[str, Any]) -> InputError:
        """Arrow tells columns by number and rows by their place in a block; say it as people find it."""
        if "UTF8" in complaint:
            return encoding_error(self.path, block)
        rows = scan_rows(block.text, self.dialect)
        if rows.unclosed_quote is not None or rows.misplaced_quote is not None:
            return quote_error(self.path, block.text, block.line, rows, self.dialect)
        width = len(self.names)
        for line, cells in self.dialect.rows(block.text):
            if len(cells) != width:
                values = f"{len(cells)} value{'' if len(cells) == 1 else 's'}"
                where = f"{self.path}, line {block.line + line - 1}"
                return InputError(f"{where} has {values} where the first line names {width} columns.")
        found = re.search(
            r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to \w+.*?: invalid value '(.*)'",
            complaint,
            re.S,
        )
        if found is None:
            return InputError(f"{self.path} cannot be read as a table: {complaint.splitlines()[0].rstrip('.')}.")
        name, value = self.names[int(found[1])], found[2]
        lines = (line for line, cells in self.dialect.rows(block.text) if cells[int(found[1])] == value)
        where = f"line {block.line + next(lines, 1) - 1}"
        return ColumnError(
            f"{self.path}, column {name!r} does not hold numbers ({value!r} in {where}): correct it", name
        )


def size_and_mtime(path: str) -> tuple[int, int] | None:
    """The size of a file and when it was written, which change when it does; None of standard input."""
    if path == STDIN:
        return None
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _arrow_column(values: Any, kind: Any) -> Any:
    """An Arrow array of what the core has read."""
    if not isinstance(values, tuple):
        return from_numpy(values, gaps=np.isnan(values))
    ends, letters = (arrow.py_buffer(part) for part in values)
    texts = arrow.Array.from_buffers(arrow.string(), len(values[0]) - 1, [None, ends, letters])
    return texts.dictionary_encode() if arrow.types.is_dictionary(kind) else texts


def _arrow_type(shown: Any, kind: str) -> Any:
    """How Arrow is to read a column; dates and truth values as the sample shows them."""
    if kind == DATE or (kind == NUMBER and arrow.types.is_boolean(shown)):
        return shown
    return ARROW_TYPES[kind]


def detect_dialect(head: bytes) -> Dialect:
    """The delimiter that the first line has most of; with tabs, quotes count only where they are used as such.

    >>> detect_dialect(b"a;b\\n1;2"), detect_dialect(b'a\\tb\\r"x" is\\t1\\r')
    (Dialect(delimiter=';', quote='"', newline='\\n'), Dialect(delimiter='\\t', quote=None, newline='\\r'))
    """
    first, newline = FIRST_LINE.search(head), detect_newline(head).decode()
    delimiter = max(DELIMITERS, key=lambda mark: first[0].count(mark.encode()) if first else 0)
    quoted = Dialect(delimiter, '"', newline)
    return quoted if delimiter != "\t" or _has_quoted_fields(head, quoted) else Dialect(delimiter, None, newline)


def _has_quoted_fields(head: bytes, dialect: Dialect) -> bool:
    """Whether some fields open with a quote, and all of these close with one.

    >>> [_has_quoted_fields(head, Dialect("\\t", '"')) for head in (b'a\\t"x y"\\n', b'a\\t"x" is\\n', b'a\\tb\\n')]
    [True, False, False]
    """
    rows = scan_rows(head, dialect)
    wrong = rows.unclosed_quote is not None or rows.misplaced_quote is not None
    return not wrong and (head.startswith(b'"') or any(edge in head for edge in (b'\t"', b'\n"', b'\r"')))
