"""Files and tables whose columns have declared types: Parquet, Arrow IPC, and tables in memory."""

from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar

import numpy as np
import pyarrow as arrow

from .arrow_checks import report_damage, validate_tables
from .arrow_types import check_column_types, simplify_columns
from .batches import Batch, Reading, Source, check_column_names
from .compressed import ByteStream, file_size
from .in_memory import as_table
from .stored_files import is_address, open_mapped, open_random

BATCH_ROWS = 1 << 16
PIECE_ROWS = 4 * BATCH_ROWS  # of a Parquet file that one task reads
# Cells of a Parquet file that Arrow decodes at once, with some 20 bytes for each: MNIST, 784 columns of a byte, took
# 990 MB to read 65,536 rows at once, and 320 MB to read them piece by piece, in less time.
DECODED_CELLS, MIN_DECODED_ROWS = 1 << 21, 1024
# Bytes of an Arrow batch that are read at once. Files with larger batches are mapped, to keep within the memory limit.
# A file that is not mapped may be truncated by another process while it is in use.
MAX_UNMAPPED_BATCH = 1 << 26


class TypedSource(Source):
    """The common part of these sources: errors name rows by number."""

    first_row = 0  # of a piece, in its file

    def sample(self) -> Batch:
        named = [*filter(None, self.names)]  # a column without a name is left out
        nothing = arrow.table({name: arrow.nulls(0) for name in named})
        return next(self._number_rows(self._tables(named)), Batch(nothing, self.path, str))

    def batches(self, reading: Reading) -> Iterator[Batch]:
        for batch in self._number_rows(self._tables(list(reading))):
            check_column_types(batch, reading)
            yield batch

    def _number_rows(self, parts: Iterator[Any]) -> Iterator[Batch]:
        first = self.first_row + 1
        for part in map(simplify_columns, parts):
            yield Batch(part, self.path, lambda row, first=first: f"row {first + row}")  # type: ignore[misc]
            first += part.num_rows

    def _tables(self, columns: list[str]) -> Iterator[Any]:
        raise NotImplementedError


class InMemorySource(TypedSource):
    """A table in memory: of pandas, polars or Arrow, a dict of columns, or an array."""

    in_memory = True

    def __init__(self, table: Any, path: str = "the table") -> None:
        self.path = path
        self._table = as_table(table)
        self.names = check_column_names(path, self._table.column_names)

    @property
    def files(self) -> list[str]:
        return []

    def _tables(self, columns: list[str]) -> Iterator[Any]:
        chosen = self._table.select(columns)
        if self._table.num_rows <= BATCH_ROWS:
            yield chosen.combine_chunks()
            return
        for start in range(0, chosen.num_rows, BATCH_ROWS):
            yield chosen.slice(start, BATCH_ROWS).combine_chunks()


class TypedFile(TypedSource):
    """The common part of these files: they may be damaged, so every table is validated."""

    kind: ClassVar[str]

    def __init__(self, path: str, stream: ByteStream) -> None:
        self.path, self.size = path, file_size(path)
        self._buffer = _read_whole(stream)
        with report_damage(path, self.kind):
            names = self._schema().names  # raises if a name is not UTF-8
        self.names = check_column_names(path, names)

    def _tables(self, columns: list[str]) -> Iterator[Any]:
        return validate_tables(self._read(columns), self.path, self.kind)

    def _read(self, columns: list[str]) -> Iterator[Any]:
        """Yield the tables of the file, not yet validated."""
        raise NotImplementedError

    def _schema(self) -> Any:
        raise NotImplementedError


class ParquetFile(TypedFile):
    """A Parquet file."""

    kind = "Parquet"
    last_row: int | None = None  # of a piece: the one after its last

    def pieces(self, whole: int = 0) -> Iterator[Any]:
        """The first row and the one after the last, of so many rows as one process reads in a few batches."""
        rows = self._open().metadata.num_rows
        for first in range(0, max(rows, 1), PIECE_ROWS):
            last = min(first + PIECE_ROWS, rows)
            self.done = self.size * last // max(rows, 1)
            yield first, last

    def piece(self, which: Any) -> "ParquetFile":
        one = copy(self)
        one.first_row, one.last_row = which
        return one

    def _open(self) -> Any:
        from pyarrow import parquet

        file = open_random(self.path) if self._buffer is None else arrow.BufferReader(self._buffer)
        return parquet.ParquetFile(file, pre_buffer=is_address(self.path))

    def _schema(self) -> Any:
        return self._open().schema_arrow

    def _read(self, columns: list[str]) -> Iterator[Any]:
        file, seen = self._open(), 0
        rows = file.metadata.num_rows
        for table in rows_between(file, self.first_row, rows if self.last_row is None else self.last_row, columns):
            seen += len(table)
            self.done = self.size * seen // rows
            yield table


def rows_between(file: Any, first: int, last: int, columns: list[str]) -> Iterator[Any]:
    """These rows of a Parquet file, in batches of BATCH_ROWS. Groups without any of these rows are not read.

    Arrow would begin a batch wherever the dictionary of a column changes, and so cut parts otherwise than the whole.
    """
    starts = np.cumsum([0, *(file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups))])
    groups = np.flatnonzero((starts[:-1] < last) & (starts[1:] > first)).tolist()
    if not groups:
        return
    at, held = int(starts[groups[0]]), arrow.table({})
    read = columns or file.schema_arrow.names[:1]  # a table without columns cannot be cut
    decoded = min(BATCH_ROWS, max(MIN_DECODED_ROWS, DECODED_CELLS // len(read)))
    for part in _joined_to(BATCH_ROWS, file.iter_batches(decoded, row_groups=groups, columns=read), read):
        inside = part.slice(max(first - at, 0), max(min(last, at + len(part)) - max(first, at), 0))
        at += len(part)
        held = _joined([held, inside]) if len(held) else inside
        while len(held) >= BATCH_ROWS or (len(held) and at >= last):
            yield held.slice(0, BATCH_ROWS).combine_chunks().select(columns)
            held = held.slice(BATCH_ROWS)
        if at >= last:
            return


def _joined_to(rows: int, batches: Iterator[Any], columns: list[str]) -> Iterator[Any]:
    """Tables of at least so many rows, joined from batches; the last may have fewer."""
    parts: list[Any] = []
    for batch in batches:
        parts.append(arrow.Table.from_batches([batch]).select(columns))
        if sum(map(len, parts)) >= rows:
            yield _joined(parts)
            parts = []
    if parts:
        yield _joined(parts)


def _joined(tables: list[Any]) -> Any:
    """Tables as one, validated before, because joining them follows their offsets."""
    if len(tables) == 1:
        return tables[0]
    for table in tables:
        table.validate(full=True)
    return arrow.concat_tables(tables)


class ArrowFile(TypedFile):
    """An Arrow IPC file, or a stream in a file."""

    kind = "Arrow"

    def _open(self) -> tuple[Any, Iterator[Any]]:
        if self._buffer is not None:
            return _open_ipc(arrow.BufferReader(self._buffer))[:2]
        schema, batches, count = _open_ipc(open_random(self.path))
        if self.size <= MAX_UNMAPPED_BATCH * max(count, 1) or is_address(self.path):
            return schema, batches
        return _open_ipc(open_mapped(self.path))[:2]

    def _schema(self) -> Any:
        return self._open()[0]

    def _read(self, columns: list[str]) -> Iterator[Any]:
        for batch in self._open()[1]:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield arrow.Table.from_batches([batch.slice(start, BATCH_ROWS)]).select(columns)
        self.done = self.size


def _open_ipc(file: Any) -> tuple[Any, Iterator[Any], int]:
    """The schema of an Arrow file, its batches and their number; 1 for a stream, whose number is unknown."""
    if file.read(6) == b"ARROW1":
        reader = arrow.ipc.open_file(file)
        count = reader.num_record_batches
        return reader.schema, (reader.get_batch(k) for k in range(count)), count
    file.seek(0)
    reader = arrow.ipc.open_stream(file)
    return reader.schema, iter(reader), 1


def _read_whole(stream: ByteStream) -> Any:
    """The content of a compressed file or a pipe, because these formats are read from their end; otherwise None."""
    if stream.rereadable and stream.compression is None:
        return None
    parts = iter(lambda: stream.read(1 << 22), b"")
    return arrow.py_buffer(b"".join(parts))
