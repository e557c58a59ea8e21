"""Files and tables whose columns have types of their own: Parquet, Arrow IPC, and tables in memory."""

from collections.abc import Iterator
from typing import Any

import pyarrow as arrow

from ...foundation.errors import InputError
from .batches import Batch, Reading, Source, checked_names
from .compressed import Bytes, size_of

ROWS = 1 << 16


class Typed(Source):
    """What they share: rows are known by number."""

    def sample(self) -> Batch:
        return next(self._numbered(self._parts(self.names)), Batch(self._schema().empty_table(), self.path, str))

    def batches(self, reading: Reading) -> Iterator[Batch]:
        yield from self._numbered(self._parts(list(reading)))

    def _numbered(self, parts: Iterator[Any]) -> Iterator[Batch]:
        first = 1
        for part in parts:
            yield Batch(part, self.path, lambda row, first=first: f"row {first + row}")  # type: ignore[misc]
            first += part.num_rows

    def _schema(self) -> Any:
        raise NotImplementedError

    def _parts(self, columns: list[str]) -> Iterator[Any]:
        raise NotImplementedError


class InMemory(Typed):
    """A table in memory: Arrow's, or whatever speaks its interface (pandas, polars), or a dict of columns."""

    bounded = False

    def __init__(self, table: Any, path: str = "the table") -> None:
        self.path = path
        self._table = table if isinstance(table, arrow.Table) else arrow.table(table)
        self.names = checked_names(path, self._table.column_names)

    @property
    def files(self) -> list[str]:
        return []

    def _schema(self) -> Any:
        return self._table.schema

    def _parts(self, columns: list[str]) -> Iterator[Any]:
        chosen = self._table.select(columns)
        if self._table.num_rows <= ROWS:
            yield chosen.combine_chunks()
            return
        for start in range(0, chosen.num_rows, ROWS):
            yield chosen.slice(start, ROWS).combine_chunks()


class Parquet(Typed):
    """A Parquet file."""

    def __init__(self, path: str, stream: Bytes) -> None:
        self.path, self.size = path, size_of(path)
        self._buffer = _buffered(stream)
        self.names = checked_names(path, self._schema().names)

    def _open(self) -> Any:
        from pyarrow import parquet

        try:
            return parquet.ParquetFile(self.path if self._buffer is None else arrow.BufferReader(self._buffer))
        except (arrow.ArrowException, OSError, EOFError) as error:
            raise damaged(self.path, "Parquet", error) from None

    def _schema(self) -> Any:
        return self._open().schema_arrow

    def _parts(self, columns: list[str]) -> Iterator[Any]:
        file = self._open()
        rows, seen = max(file.metadata.num_rows, 1), 0
        try:
            for batch in file.iter_batches(ROWS, columns=columns):
                seen += batch.num_rows
                self.done = self.size * seen // rows
                yield arrow.Table.from_batches([batch]).select(columns)
        except (arrow.ArrowException, OSError, EOFError) as error:
            raise damaged(self.path, "Parquet", error) from None


class ArrowFile(Typed):
    """An Arrow IPC file, or a stream in a file."""

    def __init__(self, path: str, stream: Bytes) -> None:
        self.path, self.size = path, size_of(path)
        self._buffer = _buffered(stream)
        self.names = checked_names(path, self._schema().names)

    def _open(self) -> tuple[Any, Iterator[Any]]:
        file = arrow.memory_map(self.path) if self._buffer is None else arrow.BufferReader(self._buffer)
        try:
            if file.read(6) == b"ARROW1":
                reader = arrow.ipc.open_file(file)
                return reader.schema, (reader.get_batch(k) for k in range(reader.num_record_batches))
            file.seek(0)
            reader = arrow.ipc.open_stream(file)
            return reader.schema, iter(reader)
        except (arrow.ArrowException, OSError, EOFError) as error:
            raise damaged(self.path, "Arrow", error) from None

    def _schema(self) -> Any:
        return self._open()[0]

    def _parts(self, columns: list[str]) -> Iterator[Any]:
        try:
            for batch in self._open()[1]:
                for start in range(0, batch.num_rows, ROWS):
                    yield arrow.Table.from_batches([batch.slice(start, ROWS)]).select(columns)
        except (arrow.ArrowException, OSError, EOFError) as error:
            raise damaged(self.path, "Arrow", error) from None
        self.done = self.size


def _buffered(stream: Bytes) -> Any:
    """What is compressed as a whole, or comes through a pipe, is read whole; these files are read from their end."""
    if stream.again and stream.compression is None:
        return None
    parts = iter(lambda: stream.read(1 << 22), b"")
    return arrow.py_buffer(b"".join(parts))


def damaged(path: str, kind: str, error: BaseException) -> InputError:
    what = str(error).splitlines()[0].rstrip(". ") if str(error) else type(error).__name__
    return InputError(f"{path} is damaged, or not {kind} after all ({what}): fetch or write it again.")
