"""The design matrix of a table for proofs: numbers as they are, and a column of 0 and 1 for each category.

Nothing is scaled or rounded. Categories, dates and missing values have the same columns as in `rosenblatt train`, so
that the same hyperplanes are possible. LIBSVM text has a column for every number up to the largest, and stays sparse.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError, InputError
from ..encode.column_kinds import IDENTIFIER, guess_kinds
from ..encode.columns import CategoryColumn, DateColumn, NumberColumn
from ..encode.columns.entries import CsrArrays, Entries, SingleEntries
from ..encode.encoded_rows import EncodedRows, concatenate_rows, fill_dense, sparse_rows
from ..read.arrow_arrays import csr_from_lists, is_date, is_text
from ..read.batches import DATE, NUMBER, NUMBERED, TEXT, Batch, Reading, Source
from ..read.notations import AS_TYPED
from ..read.svmlight_table import FEATURES, is_svmlight
from .exact_columns import read_date_column, read_number_column, read_number_matrix

State = dict[str, Any]
MAX_INDEXED_COLUMNS = 1 << 24  # columns of LIBSVM text
REFUSED = {
    TEXT: "texts, which are no numbers",
    IDENTIFIER: "names, nearly every row another",
    NUMBER: "numbers with decimal commas, which a proof does not read",
}


class DesignEncoder(ABC):
    """Turns a table into a design matrix. If it `learns`, it must `observe` all rows before they are encoded."""

    reading: Reading
    learns: bool

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The names of the columns of the matrix."""

    @property
    def origins(self) -> list[str]:
        """The column of the table that each column of the matrix comes from."""
        return self.names

    @property
    def categories(self) -> list[list[int]]:
        """Columns of the matrix, of which each row has exactly one 1."""
        return []

    @abstractmethod
    def observe(self, batch: Batch) -> None:
        """Learn which columns the matrix has."""

    @abstractmethod
    def finish(self) -> None:
        """End the learning, after the last rows."""

    @abstractmethod
    def encode(self, batches: Sequence[Batch]) -> EncodedRows:
        """The matrix of these rows."""

    @abstractmethod
    def options(self) -> Any:
        """The user's options as JSON; they identify a cache."""

    @abstractmethod
    def state(self) -> State:
        """What was learned, as JSON."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Restore what was learned before."""

    def learn(self, batches: Iterable[Batch]) -> None:
        for batch in batches:
            self.observe(batch)
        self.finish()


class ColumnDesign(DesignEncoder):
    """The design matrix of columns of numbers, dates and categories. `dates` tells how those are written.

    A missing number is 0 and has a 1 in one more column, as in training.

    >>> import pyarrow as arrow
    >>> batch = Batch(arrow.table({"size": [1.5, 2.0, None], "kind": ["b", None, "c"]}), "", str)
    >>> columns = ColumnDesign(["size", "kind"], {"kind"})
    >>> columns.learn([batch])
    >>> columns.names
    ['size', 'size is missing', 'kind=c', 'kind is missing']
    >>> columns.encode([batch]).dense.tolist()
    [[1.5, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]]
    """

    def __init__(
        self, columns: Sequence[str], categories: Collection[str] = (), dates: Mapping[str, str] | None = None
    ) -> None:
        self._columns: dict[str, CategoryColumn | NumberColumn] = {}
        for name in columns:
            if name in categories:
                self._columns[name] = CategoryColumn(name)
            elif dates and name in dates:
                self._columns[name] = DateColumn(name, scaled=False, notation=dates[name])
            else:
                self._columns[name] = NumberColumn(name, scaled=False)
        self.reading = {name: column.read_as for name, column in self._columns.items()}
        self.learns = not all(type(column) is NumberColumn for column in self._columns.values())

    @property
    def names(self) -> list[str]:
        return [name for column in self._columns.values() for name in column.names]

    @property
    def origins(self) -> list[str]:
        return [name for name, column in self._columns.items() for _ in column.names]

    def observe(self, batch: Batch) -> None:
        for name, column in self._columns.items():
            column.learn(self._values([batch], batch, name, may_miss=True))

    def finish(self) -> None:
        for column in self._columns.values():
            column.finish()

    def _values(self, batches: Sequence[Batch], batch: Batch, name: str, may_miss: bool) -> Any:
        """The values of a column: numbers and dates as floats. Missing ones are refused unless they are expected."""
        column = self._columns[name]
        if isinstance(column, DateColumn):
            return read_date_column(batches, batch, column, may_miss)
        if isinstance(column, NumberColumn):
            return read_number_column(batches, batch, name, may_miss)
        return batch.table.column(name)

    def _firsts(self) -> list[int]:
        """The first column of the matrix that each column of the table has."""
        return list(accumulate((column.width for column in self._columns.values()), initial=0))[:-1]

    @property
    def categories(self) -> list[list[int]]:
        placed = zip(self._columns.values(), self._firsts(), strict=True)
        return [[first + place for place in group] for column, first in placed for group in column.groups]

    def encode(self, batches: Sequence[Batch]) -> EncodedRows:
        if not self.state():
            return EncodedRows(len(self._columns), read_number_matrix(batches, list(self._columns)), None)
        entries = [[self._entries(batches, batch, name) for name in self._columns] for batch in batches]
        offsets = [first for first, of_one in zip(self._firsts(), entries[0], strict=True) for _ in of_one]
        width = len(self.names)
        made = _sparse if width > 2 * len(offsets) else _dense
        return concatenate_rows([made(list(chain.from_iterable(each)), offsets, width) for each in entries])

    def _entries(self, batches: Sequence[Batch], batch: Batch, name: str) -> list[SingleEntries]:
        column = self._columns[name]
        values = self._values(batches, batch, name, may_miss=column.gaps)
        return column.entries(values) if isinstance(column, DateColumn) else [column.encode(values)]

    def options(self) -> Any:
        kinds = {name: type(column) for name, column in self._columns.items()}
        categories = sorted(name for name, kind in kinds.items() if kind is CategoryColumn)
        return [list(self._columns), categories, sorted(name for name, kind in kinds.items() if kind is DateColumn)]

    def state(self) -> State:
        columns, found = self._columns.items(), State()
        found["categories"] = {
            name: {"values": column.values, "other": column.others, "missing": column.gaps}
            for name, column in columns
            if isinstance(column, CategoryColumn)
        }
        found["dates"] = {
            name: {"notation": column.notation, "missing": column.gaps}
            for name, column in columns
            if isinstance(column, DateColumn)
        }
        found["missing"] = [name for name, column in columns if type(column) is NumberColumn and column.gaps]
        made = {name: value for name, value in found.items() if value}
        return {"columns": list(self._columns), **made} if made else {}

    def restore(self, state: State) -> None:
        for name, about in state.get("categories", {}).items():
            known = {"values": about["values"], "others": about["other"], "gaps": about["missing"]}
            self._columns[name] = CategoryColumn.from_state(name, known)
        for name, about in state.get("dates", {}).items():
            self._columns[name].gaps = about["missing"]
        for name in state.get("missing", []):
            self._columns[name].gaps = True


class IndexedDesign(DesignEncoder):
    """The design matrix of LIBSVM text: columns from 1, or from 0 if there is one, to the last, except `without`.

    >>> import io
    >>> from rosenblatt.tables.read.sources import open_stream
    >>> from rosenblatt.tables.read.compressed import ByteStream
    >>> stream = ByteStream("-", io.BufferedReader(io.BytesIO(b"1 2:5\\n0 1:0 4:7\\n")))
    >>> [batch] = open_stream("-", stream).batches({"features": "numbered"})
    >>> columns = IndexedDesign(without={"1"})
    >>> columns.learn([batch])
    >>> columns.names, columns.encode([batch]).sparse.places.tolist(), columns.encode([batch]).sparse.values.tolist()
    (['2', '3', '4'], [0, 2], [5.0, 7.0])
    """

    learns = True

    def __init__(self, without: Collection[str] = ()) -> None:
        self.reading = {FEATURES: NUMBERED}
        self._without = set(without)
        self._first, self._last = 1, 0
        self._names: list[str] = []

    @property
    def names(self) -> list[str]:
        return self._names

    def observe(self, batch: Batch) -> None:
        _, places, _ = csr_from_lists(batch.table.column(FEATURES))
        if len(places):
            self._first = min(self._first, int(places.min()))
            self._last = max(self._last, int(places.max()))
        if self._last > MAX_INDEXED_COLUMNS:
            raise InputError(
                f"{batch.path} has {self._last:,} columns, and a proof allows {MAX_INDEXED_COLUMNS:,}: renumber the "
                "columns."
            )

    def finish(self) -> None:
        every = map(str, range(self._first, self._last + 1))
        self._take([name for name in every if name not in self._without])

    def _take(self, names: list[str]) -> None:
        self._names, whole = names, np.array(names, dtype=np.int64)
        self._place = np.full(
            whole.max(initial=-1) + 2, -1, dtype=np.int32
        )  # the last place stands for all larger numbers
        self._place[whole] = np.arange(len(names), dtype=np.int32)

    def encode(self, batches: Sequence[Batch]) -> EncodedRows:
        return concatenate_rows([self._encoded(batch) for batch in batches])

    def _encoded(self, batch: Batch) -> EncodedRows:
        starts, places, values = csr_from_lists(batch.table.column(FEATURES))
        at = self._place[np.minimum(places, len(self._place) - 1)]
        return _without_zeros(EncodedRows(len(self.names), None, CsrArrays(starts, at, values)), at >= 0)

    def options(self) -> Any:
        return sorted(self._without)

    def state(self) -> State:
        return {"numbered": self.names}

    def restore(self, state: State) -> None:
        self._take(state["numbered"])


def are_column_indices(names: Sequence[str]) -> bool:
    """
    >>> are_column_indices(["1", "3"]), are_column_indices(["1", "99999999"]), are_column_indices(["-1"])
    (True, False, False)
    """
    return all(
        name.isascii() and name.isdecimal() and len(name) <= 8 and int(name) <= MAX_INDEXED_COLUMNS for name in names
    )


def _dense(entries: Sequence[SingleEntries], offsets: Sequence[int], columns: int) -> EncodedRows:
    matrix = np.zeros((len(entries[0].values), columns))
    fill_dense(matrix, entries, offsets)
    return EncodedRows(columns, matrix, None)


def _sparse(entries: Sequence[Entries], offsets: Sequence[int], columns: int) -> EncodedRows:
    return _without_zeros(sparse_rows(entries, offsets, columns, np.float64))


def _without_zeros(encoded: EncodedRows, wanted: Any = True) -> EncodedRows:
    """The rows without zeros, and without entries that are not wanted."""
    assert encoded.sparse is not None
    starts, places, values = encoded.sparse
    wanted = wanted & (values != 0)
    if wanted.all():
        return encoded
    before = np.concatenate([[0], np.cumsum(wanted)])
    return EncodedRows(encoded.columns, None, CsrArrays(before[starts], places[wanted], values[wanted]))


def choose_design(
    source: Source, columns: Sequence[str], categories: Collection[str] = (), drop: Collection[str] = ()
) -> DesignEncoder:
    """The design encoder for these columns of a source; `categories` names columns that the user calls categories."""
    if is_svmlight(source):
        return IndexedDesign(drop)
    sample = source.sample()
    types = {name: value_type(sample.table.column(name).type) for name in columns if name not in categories}
    texts = [name for name, kind in types.items() if is_text(kind)]
    dates = {name: AS_TYPED for name, kind in types.items() if is_date(kind)}
    for name, (kind, _, notation) in guess_kinds(sample, texts).items():
        if kind in REFUSED:
            what = f"column {name!r} holds {REFUSED[kind]}: turn it into numbers or categories"
            raise ColumnError(f"{source.path}, {what}", name)
        if kind == DATE:
            dates[name] = notation
    return ColumnDesign(columns, {*categories, *texts} - dates.keys(), dates)


def value_type(kind: Any) -> Any:
    """The type of a column's values, also if the column is stored as a dictionary."""
    return kind.value_type if arrow.types.is_dictionary(kind) else kind
