"""The design matrix of a table for proofs: numbers as they are, and a column of 0 and 1 for each category.

Nothing is scaled, filled in or rounded. A category has the same columns as in `rosenblatt train`. LIBSVM text has a
column for every number up to the largest, and stays sparse.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError, InputError
from ..encode.column_kinds import IDENTIFIER, guess_kinds
from ..encode.columns import CategoryColumn
from ..encode.columns.entries import CsrArrays, Entries, SingleEntries
from ..encode.encoded_rows import EncodedRows, concatenate_rows, fill_dense, sparse_rows
from ..read.arrow_arrays import csr_from_lists, is_text
from ..read.batches import CATEGORY, NUMBER, NUMBERED, TEXT, Batch, Reading, Source
from ..read.svmlight_table import FEATURES, is_svmlight
from .exact_columns import read_number_column, read_number_matrix

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
    names: list[str]  # of the columns of the matrix
    learns: bool

    @property
    def categories(self) -> list[range]:
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

    def learn(self, batches: Sequence[Batch]) -> None:
        for batch in batches if self.learns else ():
            self.observe(batch)
        self.finish()


class ColumnDesign(DesignEncoder):
    """The design matrix of columns of numbers and categories.

    >>> import pyarrow as arrow
    >>> batch = Batch(arrow.table({"size": [1.5, 2.0, 3.0], "kind": ["b", None, "c"]}), "", str)
    >>> columns = ColumnDesign(["size", "kind"], {"kind"})
    >>> columns.learn([batch])
    >>> columns.names, columns.encode([batch]).dense.tolist()
    (['size', 'kind=c', 'kind is missing'], [[1.5, 0.0, 0.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    """

    def __init__(self, columns: Sequence[str], categories: Collection[str] = ()) -> None:
        self.columns = list(columns)
        self.category_columns = {name: CategoryColumn(name) for name in columns if name in categories}
        self.reading = {name: CATEGORY if name in self.category_columns else NUMBER for name in columns}
        self.learns, self.names = bool(self.category_columns), self.columns

    def observe(self, batch: Batch) -> None:
        for name, column in self.category_columns.items():
            column.learn(batch.table.column(name))

    def finish(self) -> None:
        for column in self.category_columns.values():
            column.finish()
        self._name()

    def _name(self) -> None:
        self.names = [each for name in self.columns for each in self._names(name)]

    def _names(self, name: str) -> list[str]:
        return self.category_columns[name].names if name in self.category_columns else [name]

    def _offsets(self) -> list[int]:
        """The first column of the matrix that each column of the table has."""
        return [0, *accumulate(len(self._names(name)) for name in self.columns)][:-1]

    @property
    def categories(self) -> list[range]:
        firsts = dict(zip(self.columns, self._offsets(), strict=True))
        found = [(firsts[name], column) for name, column in self.category_columns.items() if column.covers_rows]
        return [range(first, first + column.width) for first, column in found]

    def encode(self, batches: Sequence[Batch]) -> EncodedRows:
        if not self.category_columns:
            return EncodedRows(len(self.columns), read_number_matrix(batches, self.columns), None)
        offsets = self._offsets()
        many, made = len(self.names) > 2 * len(self.columns), []
        for batch in batches:
            entries = [self._entries(batches, batch, name) for name in self.columns]
            made.append((_sparse if many else _dense)(entries, offsets, len(self.names)))
        return concatenate_rows(made)

    def _entries(self, batches: Sequence[Batch], batch: Batch, name: str) -> SingleEntries:
        if name in self.category_columns:
            return self.category_columns[name].encode(batch.table.column(name))
        found = read_number_column(batches, batch, name)
        return SingleEntries(np.zeros(len(found), np.int64), found)

    def options(self) -> Any:
        return [self.columns, sorted(self.category_columns)]

    def state(self) -> State:
        categories = {
            name: {"values": column.values, "other": column.others, "missing": column.gaps}
            for name, column in self.category_columns.items()
        }
        return {"columns": self.columns, "categories": categories} if categories else {}

    def restore(self, state: State) -> None:
        for name, about in state.get("categories", {}).items():
            known = {"values": about["values"], "others": about["other"], "gaps": about["missing"]}
            self.category_columns[name] = CategoryColumn.from_state(name, known)
        self._name()


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
        self.names = []

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
        self.names, whole = names, np.array(names, dtype=np.int64)
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
    texts = [name for name in columns if is_text(value_type(sample.table.column(name).type)) and name not in categories]
    for name, (kind, *_) in guess_kinds(sample, texts).items():
        if kind in REFUSED:
            what = f"column {name!r} holds {REFUSED[kind]}: turn it into numbers or categories"
            raise ColumnError(f"{source.path}, {what}", name)
    return ColumnDesign(columns, {*categories, *texts})


def value_type(kind: Any) -> Any:
    """The type of a column's values, also if the column is stored as a dictionary."""
    return kind.value_type if arrow.types.is_dictionary(kind) else kind
