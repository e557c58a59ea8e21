"""Rows in the body of a request, as JSON, JSON lines or Arrow, and answers in the same format."""

import json
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as arrow

from ..foundation.errors import InputError
from ..foundation.json_values import finite
from .compressed_size import check_compressed_size
from .expanded_size import check_expanded_size
from .log_segment import MAX_RECORD_BYTES
from .row_schema import RowSchema

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
FORMATS = {JSON: JSON, NDJSON: NDJSON, "application/jsonl": NDJSON, ARROW: ARROW}


class Rows(NamedTuple):
    """The rows of a request: JSON objects, or an Arrow table, and whether it was a single object."""

    objects: Sequence[Any]
    table: Any = None
    single: bool = False

    @property
    def row_count(self) -> int:
        return len(self.objects) if self.table is None else int(self.table.num_rows)

    def lines(self, schema: RowSchema, truth: bool = False) -> bytes:
        """The rows as the lines of the log."""
        rows = self.objects if self.table is None else plain_rows(self._known_columns(schema))
        return b"".join([schema.line(row, place, truth) for place, row in enumerate(rows, 1)])

    def _known_columns(self, schema: RowSchema) -> Any:
        assert self.table is not None
        return self.table.select([n for n in self.table.column_names if n in schema.columns or n == schema.target])


def parse_rows(kind: str, body: bytes, most: int) -> Rows:
    """The rows of a body. More than `most`, none at all, or a body of another format are refused."""
    if kind == ARROW:
        rows = Rows((), _read_table(body, most))
    elif kind == NDJSON:
        rows = Rows([read_value(line, f"Line {k}") for k, line in enumerate(body.split(b"\n"), 1) if line.strip()])
    else:
        content = read_value(body, "The request")
        content = _unwrapped(content)
        rows = Rows(content) if isinstance(content, list) else Rows([content], single=True)
    if not rows.row_count:
        raise InputError("The request has no rows: give one or more.")
    if rows.row_count > most:
        raise InputError(f"A request can have {most:,} rows at most, not {rows.row_count:,}: send several.")
    return rows


def _unwrapped(content: Any) -> Any:
    """The rows of {"rows": ...}. A number or a text there is the value of a column with this name."""
    rows = content.get("rows") if isinstance(content, dict) else None
    return rows if isinstance(rows, list | dict) else content


def read_value(text: bytes, what: str) -> Any:
    """A value of JSON; numbers that are not finite are refused."""
    try:
        return json.loads(text, parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError):
        raise InputError(f"{what} is not JSON in UTF-8 with finite numbers: correct it.") from None


def _read_table(body: bytes, most: int) -> Any:
    """The table of an Arrow stream. It is checked before anything uses it."""
    try:
        check_compressed_size(body, MAX_RECORD_BYTES)
        batches, rows = [], 0
        with arrow.ipc.open_stream(arrow.py_buffer(body)) as reader:
            for batch in reader:
                rows += batch.num_rows
                if rows > most:
                    raise InputError(f"A request can have {most:,} rows at most: send several.")
                batches.append(batch)
            table = arrow.Table.from_batches(batches, reader.schema)
        table.validate(full=True)
        _check_names(table.column_names)
        return table
    except (arrow.ArrowException, OSError, ValueError, OverflowError, MemoryError, IndexError, struct.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("The request is no Arrow stream: write a table with pyarrow.ipc.new_stream.") from None


def _check_names(names: list[str]) -> None:
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise InputError(f"The table has several columns {repeated!r}: give each another name.")


def plain_rows(table: Any) -> list[Any]:
    """The rows of a table as JSON would have them: NaN is missing, and dates are texts."""
    check_expanded_size(table, MAX_RECORD_BYTES)
    try:
        rows: list[Any] = table.to_pylist()
    except (arrow.ArrowException, ValueError, OverflowError):
        raise InputError("The table holds values that JSON cannot: convert its columns to numbers and texts.") from None
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float) and value != value:
                row[name] = None
            elif hasattr(value, "isoformat"):
                row[name] = value.isoformat()
    return rows


def formatted(kind: str, columns: Mapping[str, list[Any]], about: Mapping[str, Any], single: bool) -> bytes:
    """The answers for rows, given by columns, in the format of the request; `about` holds for all of them."""
    if kind == ARROW:
        return _written_table(columns, about)
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if kind == NDJSON:
        return b"".join([json.dumps(row).encode() + b"\n" for row in rows])
    content = {**rows[0], **about} if single else {"predictions": rows, **about}
    return json.dumps(content).encode()


def _written_table(columns: Mapping[str, list[Any]], about: Mapping[str, Any]) -> bytes:
    table = arrow.table(dict(columns)).replace_schema_metadata({name: str(value) for name, value in about.items()})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
