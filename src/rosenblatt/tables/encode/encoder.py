"""Turn tables into rows of numbers: the encoder of each column, fitted to some rows and applied to any."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from ... import _core
from ...foundation.errors import ColumnError, InputError
from ...foundation.types import Floats
from ..read.batches import CATEGORY, DATE, NUMBER, NUMBERED, TEXT, Batch, Reading
from ..read.notations import Unreadable
from .column_kinds import EMPTY, READ_AS, KindGuess
from .columns import (
    COLUMN_ENCODERS,
    CategoryColumn,
    ColumnEncoder,
    DateColumn,
    IndexedColumns,
    NumberColumn,
    TextColumn,
)
from .columns.entries import Entries, SingleEntries
from .encoded_rows import EncodedRows, FixedWidthRows, concatenate_entries, concatenate_rows, fill_dense, sparse_rows
from .layout import Layout, entries_per_row

State = dict[str, Any]
Review = Callable[["Encoder", Sequence[Batch]], None]
MAX_COLUMNS = (1 << 31) - 1  # of encoded rows: their indices are int32
MIN_WORD_ROWS = 2  # that a word needs for a column of its own


class Encoder:
    """The encoders of a table's columns by name, and why each other column was left out."""

    _fixed_layout: Layout | None = None

    def __init__(self, column_encoders: Mapping[str, ColumnEncoder], left_out: Mapping[str, str] | None = None) -> None:
        self.column_encoders: dict[str, ColumnEncoder] = dict(column_encoders)
        self.left_out: dict[str, str] = dict(left_out or {})

    # Fitting

    def fit_encode(self, batches: Sequence[Batch], review: Review | None = None) -> EncodedRows:
        """Fit the encoder to rows, and encode them. `review` may correct what the columns have learned."""
        for batch in batches:
            self.observe(batch, keep=True)
        if review is not None:
            review(self, batches)
        self.finish(batches[0].path)
        return self.encode_observed(batches)

    def observe(self, batch: Batch, keep: bool = False) -> None:
        """Learn from some rows; with `keep` their texts need not be read again to encode them."""
        for name, column in self.column_encoders.items():
            values = _values(batch, name, column)
            if isinstance(column, TextColumn):
                column.learn(values, keep)
            else:
                column.learn(values)

    def summary(self, batch: Batch) -> dict[str, Any]:
        """What `add` takes of some rows. It can be computed elsewhere, by the same encoder without its fit."""
        return {name: column.summary(_values(batch, name, column)) for name, column in self.column_encoders.items()}

    def add(self, summary: Mapping[str, Any]) -> None:
        """Learn from rows by their summary: the same as `observe` with these rows, which are not kept."""
        for name, column in self.column_encoders.items():
            column.add(summary[name])

    def finish(self, path: str) -> None:
        """End the fit: fix the encoded columns, and leave out columns that carry no information."""
        for column in self.column_encoders.values():
            column.finish()
        self._leave_out(path)
        if not self.column_encoders:
            why = "; ".join(f"{name!r}: {why}" for name, why in list(self.left_out.items())[:3])
            raise InputError(f"{path} has no columns to learn from, all are left out ({why}).")
        if self.columns > MAX_COLUMNS:
            needed = f"{self.columns:,} columns, more than {MAX_COLUMNS:,}"
            raise InputError(f"{path} would need {needed}: number them anew.")

    def _leave_out(self, path: str) -> None:
        """Leave out columns that are empty or constant."""
        for name, column in list(self.column_encoders.items()):
            if column.empty:
                self.left_out[name] = "it is empty" if not isinstance(column, TextColumn) else "no word is in two rows"
            elif column.constant:
                self.left_out[name] = "it is always the same"
            elif isinstance(column, NumberColumn) and column.too_large:
                what = f"column {name!r} holds numbers too large or too small to learn from"
                raise ColumnError(f"{path}, {what}: change their unit", name)
            else:
                continue
            del self.column_encoders[name]

    def encode_observed(self, batches: Sequence[Batch]) -> EncodedRows:
        """Encode all rows that `observe` was called with; texts that were kept are not read again."""
        columns = self.column_encoders.values()
        texts = [column for column in columns if isinstance(column, TextColumn)]
        if texts and all(column.kept for column in texts):
            return self._encode_kept_texts(batches)
        indexed = any(isinstance(column, IndexedColumns) for column in columns)
        if self.sparse and not texts and not indexed:
            return self._encode_fixed_width(batches)
        return concatenate_rows([self.encode(batch) for batch in batches])

    def _encode_kept_texts(self, batches: Sequence[Batch]) -> EncodedRows:
        """Encode batches whose texts were kept: only the other columns are read from the batches."""
        texts = {name for name, column in self.column_encoders.items() if isinstance(column, TextColumn)}
        others = zip(*(self._entries(batch, texts) for batch in batches), strict=True)
        entries: list[Entries] = []
        for column in self.column_encoders.values():
            if isinstance(column, TextColumn):
                entries.append(column.learned())
                continue
            for _ in range(entries_per_row(column)):
                entries.append(concatenate_entries(next(others)))
        return sparse_rows(entries, self.layout.offsets(), self.columns)

    def _encode_fixed_width(self, batches: Sequence[Batch]) -> EncodedRows:
        """Encode batches straight into one result, without a copy to concatenate them."""
        rows = FixedWidthRows(sum(batch.table.num_rows for batch in batches), self.layout.offsets())
        first = 0
        for batch in batches:
            rows.fill(first, [entry for entry in self._entries(batch, ()) if isinstance(entry, SingleEntries)])
            first += batch.table.num_rows
        return rows.encoded(self.columns)

    # Encoding

    @property
    def columns(self) -> int:
        return sum(column.width for column in self.column_encoders.values())

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        return [name for column in self.column_encoders.values() for name in column.names]

    def renamed(self, names: Mapping[str, str]) -> "Encoder":
        """The same encoder for columns that are called otherwise."""
        columns = {}
        for name, column in self.column_encoders.items():
            columns[names[name]] = copy(column)
            columns[names[name]].name = names[name]
        return Encoder(columns, {names[name]: why for name, why in self.left_out.items()})

    @property
    def owners(self) -> list[str]:
        """The column of the table that each encoded column comes from."""
        return [name for name, column in self.column_encoders.items() for _ in column.names]

    @property
    def kinds(self) -> dict[str, str]:
        return {name: column.kind for name, column in self.column_encoders.items()}

    def reading(self) -> Reading:
        """The columns of a table that are needed, and how each is to be read."""
        return {name: column.read_as for name, column in self.column_encoders.items()}

    @property
    def layout(self) -> Layout:
        """Where the encoded columns are."""
        return self._fixed_layout or Layout.of(self.column_encoders)

    def fixed(self) -> Self:
        """A copy for many small batches, which works out its layout once: its columns must not change any more."""
        found = copy(self)
        found._fixed_layout = self.layout
        return found

    def check(self, batch: Batch) -> None:
        """Refuse rows that `encode` would refuse."""
        for name, column in self.column_encoders.items():
            _values(batch, name, column)

    def encode(self, batch: Batch) -> EncodedRows:
        """The rows of a batch as numbers."""
        layout = self.layout
        if layout.sparse:
            return sparse_rows(self._entries(batch, ()), layout.offsets(), layout.columns)
        return EncodedRows(layout.columns, self._dense(batch, layout), None)

    def _dense(self, batch: Batch, layout: Layout) -> Floats:
        """Encode a batch as a dense matrix: all numbers in one native call, other columns one by one."""
        scaling, shape = layout.scaling, (batch.table.num_rows, layout.columns)
        numbers = scaling.numbers
        all_numbers = len(numbers) == len(self.column_encoders)
        matrix = np.empty(shape) if all_numbers else np.zeros(shape)
        if not all_numbers:
            slots = [entry for entry in self._entries(batch, numbers) if isinstance(entry, SingleEntries)]
            fill_dense(matrix, slots, layout.offsets(numbers))
        if numbers:
            read = {name: read_numbers(batch, name, column) for name, column in numbers.items()}
            contiguous = [np.ascontiguousarray(values) for values in read.values()]
            _core.fill_scaled(matrix, contiguous, scaling.firsts, scaling.centres, scaling.scales, scaling.gaps)
            if not _sums_finitely(matrix):  # an infinite number stays infinite when it is scaled
                for name, values in read.items():
                    refuse_infinite(batch, name, values)
        return matrix

    @property
    def sparse(self) -> bool:
        """Whether rows are encoded as CSR, because most columns of a row are 0."""
        return self.layout.sparse

    def _entries(self, batch: Batch, without: Any) -> list[Entries]:
        found: list[Entries] = []
        for name, column in self.column_encoders.items():
            if name not in without:
                values = _values(batch, name, column)
                found += column.entries(values) if isinstance(column, DateColumn) else [column.encode(values)]
        return found

    # Saving

    def state(self) -> State:
        return {
            "parts": {name: column.state() for name, column in self.column_encoders.items()},
            "left_out": self.left_out,
        }

    @classmethod
    def from_state(cls, state: State) -> "Encoder":
        columns = {}
        for name, saved in state["parts"].items():
            if saved["kind"] not in COLUMN_ENCODERS:
                raise ValueError(f"column {name!r} is of no known kind")
            columns[name] = COLUMN_ENCODERS[saved["kind"]].from_state(name, saved)
        left_out = {str(name): str(why) for name, why in state["left_out"].items()}
        return cls(columns, left_out)


def _values(batch: Batch, name: str, column: ColumnEncoder) -> Any:
    return checked_numbers(batch, name, column) if isinstance(column, NumberColumn) else batch.table.column(name)


def checked_numbers(batch: Batch, name: str, column: NumberColumn) -> Floats:
    """The numbers of a column as float64; text and infinite numbers are refused."""
    numbers = read_numbers(batch, name, column)
    if not _sums_finitely(numbers):
        refuse_infinite(batch, name, numbers)
    return numbers


def read_numbers(batch: Batch, name: str, column: NumberColumn) -> Floats:
    """The numbers of a column as float64; text is refused."""
    values = batch.table.column(name)
    if isinstance(values, np.ndarray):
        return values
    import pyarrow as arrow

    try:
        return column.numbers(values)
    except Unreadable as error:
        what = f"column {name!r} holds {column.kind}s written {column.notation}, but {error.text!r}"
        raise ColumnError(f"{batch.path}, {what} in {batch.place(error.row)}: correct it", name) from None
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        raise ColumnError(f"{batch.path}, column {name!r} does not hold {column.kind}s: correct it", name) from None


def _sums_finitely(numbers: Floats) -> bool:
    """Whether a sum is finite, and so each number: one pass decides in most cases, but for gaps and overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def refuse_infinite(batch: Batch, name: str, numbers: Floats) -> None:
    """Refuse infinite numbers of a column."""
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ColumnError(
            f"{batch.path}, column {name!r} has an infinite number in {batch.place(row)}: correct it", name
        )


def make_encoder(kinds: Mapping[str, KindGuess], scaled: bool = True, **texts: Any) -> Encoder:
    """An unfitted encoder for columns of these kinds; `texts` are the options of text columns."""
    columns: dict[str, ColumnEncoder] = {}
    left_out: dict[str, str] = {}
    for name, (kind, why, notation) in kinds.items():
        if kind not in READ_AS:
            left_out[name] = why
            continue
        read_as = READ_AS[kind]
        if read_as == TEXT:
            from .words import Words

            columns[name] = TextColumn(name, Words(**texts, min_rows=MIN_WORD_ROWS))
        elif read_as == NUMBERED:
            columns[name] = IndexedColumns(name)
        elif read_as == CATEGORY or kind == EMPTY:
            columns[name] = CategoryColumn(name)
        else:
            columns[name] = {NUMBER: NumberColumn, DATE: DateColumn}[read_as](name, scaled, notation)
    return Encoder(columns, left_out)
