"""CSV files and others with a delimiter: UTF-8, with the column names in the first line."""

import csv
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pyarrow as arrow
import pyarrow.csv

from ... import _core
from ...foundation.errors import InputError
from ...foundation.threads import thread_count
from .arrow_arrays import from_numpy
from .batches import CATEGORY, DATE, NUMBER, RAW, TEXT, Batch, Reading, check_column_names
from .compressed import STDIN, ByteStream, file_size
from .csv_errors import explain_csv_error
from .dialect import detect_dialect, detect_newline, scan_rows
from .parallel_map import Result, map_in_parallel
from .stored_files import FileState, file_state, open_random
from .text_lines import BLOCK_SIZE, HEAD_SIZE, Block, TextSource, read_blocks, read_text_head

# Blocks grow with the number of columns, because each column of a block has a fixed cost.
BYTES_PER_COLUMN, MAX_BLOCK_SIZE = 1 << 11, 1 << 26
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
CORE_FIELD_KINDS = {ARROW_TYPES[NUMBER]: 1, ARROW_TYPES[TEXT]: 2, ARROW_TYPES[CATEGORY]: 3}


class BlockPosition(NamedTuple):
    """Where a block of rows is: its first line, its offset after the header, where the header ends, and its size."""

    line: int
    offset: int
    header_end: int
    size: int

    @property
    def end(self) -> int:
        return self.header_end + self.offset + self.size

    def read(self, file: Any) -> Block:
        return Block(file.read_at(self.size, self.header_end + self.offset), self.line, self.offset)


class DelimitedText(TextSource):
    """A file of delimited text, plain or compressed."""

    # Where blocks of rows begin, known after the first read, and the size and time of the file that this holds for.
    block_index: tuple[list[BlockPosition], FileState | None] | None = None

    def __init__(self, path: str, stream: ByteStream) -> None:
        csv.field_size_limit(1 << 30)
        self.path, self.size = path, file_size(path)
        head = read_text_head(stream)
        if len(head) >= HEAD_SIZE and detect_newline(head) not in head[:HEAD_SIZE]:
            raise InputError(
                f"{path}, line 1 is longer than {HEAD_SIZE >> 20} MB: store so many columns as LIBSVM text."
            )
        self.dialect = detect_dialect(head)
        self._header_lines, header = self._header(head)
        self.names = check_column_names(path, [name.strip() for name in header], f", line {self._header_lines}")
        self._stdin = stream if path == STDIN else None
        self.rereadable = path != STDIN
        self._head = head
        self._sample: Batch | None = None
        if self._stdin is None:
            stream.close()

    def pieces(self, whole: int = 0) -> Iterator[Any]:
        """Where blocks of rows are; of a compressed file, the blocks themselves."""
        if self.size <= max(whole, BLOCK_SIZE):
            yield None
            return
        for done, block, position in self._located_blocks():
            self.done = done
            yield block if position is None else position

    def piece(self, which: Any) -> "DelimitedText":
        one = copy(self)
        if isinstance(which, BlockPosition):
            one.block_index = [which], size_and_mtime(self.path)
        else:
            one.only_block = which
        return one

    def sample(self) -> Batch:
        if self._sample is None:
            self._sample = self._read_sample()
        return self._sample

    def _read_sample(self) -> Batch:
        start = self._header_size(self._head)
        text = self._head[start:]
        if len(self._head) >= HEAD_SIZE:
            text = text[: scan_rows(text, self.dialect).end]
        block = Block(text, self._header_lines + 1, 0)
        return Batch(self._parse(block, [*filter(None, self.names)], {}), self.path, self._row_locator(block))

    def batches(self, reading: Reading) -> Iterator[Batch]:
        return self._map_blocks(self.reader(reading))

    def batches_as_written(self, reading: Reading, names: Sequence[str]) -> Iterator[tuple[Batch, Any]]:
        read, read_text = self.reader(reading), self.reader(dict.fromkeys(names, RAW))
        return self._map_blocks(lambda block: (read(block), read_text(block).table))

    def _map_blocks(self, parse: Callable[[Block], Result]) -> Iterator[Result]:
        """Yield the result of each block of rows, computed by several threads."""
        threads = thread_count(None)
        if self.only_block is not None:
            yield parse(self.only_block)
            return
        if self.block_index is None or self.block_index[1] != size_and_mtime(self.path):
            for done, result in map_in_parallel(lambda item: (item[0], parse(item[1])), self._blocks(), threads):
                self.done = done
                yield result
            return
        with open_random(self.path) as file:  # the blocks are known, so each thread reads its own
            positions = self.block_index[0]
            for done, result in map_in_parallel(lambda at: (at.end, parse(at.read(file))), positions, threads):
                self.done = done
                yield result

    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        sampled = {field.name: field.type for field in self.sample().table.schema}
        types = {name: _arrow_type(sampled.get(name), kind) for name, kind in reading.items()}
        gaps = RAW not in reading.values()

        def batch(block: Block) -> Batch:
            return Batch(self._parse(block, list(reading), types, gaps), self.path, self._row_locator(block))

        return batch

    def _blocks(self) -> Iterator[tuple[int, Block]]:
        """Blocks of rows, each with the number of bytes read so far."""
        return ((done, block) for done, block, _ in self._located_blocks())

    def _located_blocks(self) -> Iterator[tuple[int, Block, BlockPosition | None]]:
        """The same, and where each block is; None in a compressed file."""
        stream = self._open() if self._stdin is None else self._stdin
        stream.read(self._header_size(self._head))
        header_end, positions, before = stream.done - stream.ahead, [], size_and_mtime(self.path)
        try:
            size = min(max(BLOCK_SIZE, len(self.names) * BYTES_PER_COLUMN), MAX_BLOCK_SIZE)
            for block in read_blocks(stream, self._header_lines + 1, self.dialect, size):
                positions.append(BlockPosition(block.line, block.offset, header_end, len(block.text)))
                yield stream.done, block, positions[-1] if stream.compression is None else None
        finally:
            stream.close()
        if before is not None and stream.compression is None:
            self.block_index = positions, before

    def _open(self) -> ByteStream:
        stream = ByteStream(self.path)
        read_text_head(stream)  # skips a byte order mark
        return stream

    def _header(self, head: bytes) -> tuple[int, list[str]]:
        """The number of lines up to the end of the header, those inside quotes included, and its cells."""
        line, cells = next(self.dialect.rows(head), (0, []))
        return line + sum(cell.count("\n") for cell in cells), cells

    def _header_size(self, head: bytes) -> int:
        at = 0
        for _ in range(self._header_lines):
            at = head.find(self.dialect.newline.encode(), at) + 1 or len(head)
        return at

    def _parse(self, block: Block, columns: Sequence[str], types: dict[str, Any], gaps: bool = True) -> Any:
        if not block.text or block.text.isspace():
            return arrow.table({name: arrow.nulls(0) for name in columns})
        if gaps and types and self.dialect.newline != "\r":
            table = self._parse_fast(block.text, columns, types)
            if table is not None:
                return table
        try:
            return self._parse_with_arrow(block.text, columns, types, gaps)
        except (arrow.ArrowInvalid, arrow.ArrowKeyError) as error:
            raise explain_csv_error(self.path, self.names, self.dialect, block, str(error)) from None

    def _parse_with_arrow(
        self, text: bytes | bytearray, columns: Sequence[str], types: dict[str, Any], gaps: bool
    ) -> Any:
        names = [name or f"\0{place}" for place, name in enumerate(self.names)]  # no request matches \0
        return arrow.csv.read_csv(
            arrow.BufferReader(text),
            arrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(text) + 1),
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

    def _parse_fast(self, text: bytes | bytearray, columns: Sequence[str], types: dict[str, Any]) -> Any:
        """Parse in the core, several times as fast; None if there is more than numbers and short words."""
        if not all(types[name] in CORE_FIELD_KINDS for name in columns):
            return None
        fields = {name: CORE_FIELD_KINDS[types[name]] for name in columns}
        kinds = np.array([fields.get(name, 0) for name in self.names], np.uint8)
        characters = np.frombuffer(text, np.uint8)
        found = _core.read_delimited(characters, self.dialect.delimiter, self.dialect.quote is not None, kinds)
        if found is None:
            return None
        by_name = dict(zip(self.names, found, strict=True))
        return arrow.table({name: _arrow_column(by_name[name]) for name in columns})

    def _row_locator(self, block: Block) -> Callable[[int], str]:
        """A function that finds the line of a row. It reads the block again, because rows can span lines."""
        first, offset, size = block.line, block.offset, len(block.text)

        def place(row: int) -> str:
            if self._stdin is not None:
                return f"line {first + row} or below"
            stream = self._open()
            stream.skip(self._header_size(self._head) + offset)
            text = stream.read(size)
            stream.close()
            for number, (line, _) in enumerate(self.dialect.rows(text)):
                if number == row:
                    return f"line {first + line - 1}"
            return f"line {first + row}"

        return place


def size_and_mtime(path: str) -> FileState | None:
    """The size and the modification time of a file, which show whether it changed; None for standard input."""
    return None if path == STDIN else file_state(path)


def _arrow_column(values: Any) -> Any:
    """An Arrow array of values that the core has parsed."""
    if not isinstance(values, tuple):
        return from_numpy(values, gaps=np.isnan(values))
    ends, characters, *codes = values
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(characters)]
    texts = arrow.Array.from_buffers(arrow.string(), len(ends) - 1, buffers)
    if not codes:
        return texts
    return arrow.DictionaryArray.from_arrays(from_numpy(codes[0], gaps=codes[0] < 0), texts, safe=False)


def _arrow_type(sampled: Any, kind: str) -> Any:
    """The Arrow type to read a column as; dates and booleans keep the type that the sample has."""
    if kind == DATE or (kind == NUMBER and arrow.types.is_boolean(sampled)):
        return sampled
    return ARROW_TYPES[kind]
