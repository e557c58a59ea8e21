"""Tables as proofs take them: numbers as they are, and a column of 0 and 1 for each value of a category.

Nothing is scaled, filled in or rounded. Which columns a category has is what `rosenblatt train` makes of it. LIBSVM
text has a column for every number up to the largest, and is kept sparse.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError, InputError
from ..encode.column_kinds import IDENTIFIER, look
from ..encode.columns import Category, Entries, Slot, Sparse
from ..encode.encoded_rows import Encoded, fill, sparse, together
from ..read.arrow_arrays import is_text, listed
from ..read.batches import CATEGORY, NUMBER, NUMBERED, TEXT, Batch, Reading, Source
from ..read.svmlight_table import FEATURES, is_numbered_text
from .exact_columns import column_of_numbers, numbers

State = dict[str, Any]
MOST_NUMBERED = 1 << 24  # columns of LIBSVM text
REFUSED = {TEXT: "texts, which are no numbers", IDENTIFIER: "names, nearly every row another"}


class Spread(ABC):
    """How a table becomes rows. If it `learns`, it must `see` all of them before they are encoded."""

    reading: Reading
    names: list[str]  # of the columns that rows have in the end
    learns: bool

    @abstractmethod
    def see(self, batch: Batch) -> None:
        """Learn which columns there are."""

    @abstractmethod
    def finish(self) -> None:
        """All rows have been seen."""

    @abstractmethod
    def encode(self, batches: Sequence[Batch]) -> Encoded:
        """Rows as numbers."""

    @abstractmethod
    def asked(self) -> Any:
        """What was asked for, as JSON keeps it."""

    @abstractmethod
    def state(self) -> State:
        """What was learned, as JSON keeps it."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Know what was learned before."""

    def learn(self, batches: Sequence[Batch]) -> None:
        for batch in batches if self.learns else ():
            self.see(batch)
        self.finish()


class Columns(Spread):
    """Columns of numbers and categories.

    >>> import pyarrow as arrow
    >>> batch = Batch(arrow.table({"size": [1.5, 2.0, 3.0], "kind": ["b", None, "c"]}), "", str)
    >>> columns = Columns(["size", "kind"], {"kind"})
    >>> columns.learn([batch])
    >>> columns.names, columns.encode([batch]).dense.tolist()
    (['size', 'kind=c', 'kind is missing'], [[1.5, 0.0, 0.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    """

    def __init__(self, columns: Sequence[str], categories: Collection[str] = ()) -> None:
        self.columns = list(columns)
        self.parts = {name: Category(name) for name in columns if name in categories}
        self.reading = {name: CATEGORY if name in self.parts else NUMBER for name in columns}
        self.learns, self.names = bool(self.parts), self.columns

    def see(self, batch: Batch) -> None:
        for name, part in self.parts.items():
            part.learn(batch.table.column(name))

    def finish(self) -> None:
        for part in self.parts.values():
            part.finish()
        self._name()

    def _name(self) -> None:
        self.names = [each for name in self.columns for each in self._names(name)]

    def _names(self, name: str) -> list[str]:
        return self.parts[name].names if name in self.parts else [name]

    def encode(self, batches: Sequence[Batch]) -> Encoded:
        if not self.parts:
            return Encoded(len(self.columns), numbers(batches, self.columns), None)
        widths = [len(self._names(name)) for name in self.columns]
        offsets = np.cumsum([0, *widths])[:-1].tolist()
        many, made = len(self.names) > 2 * len(self.columns), []
        for batch in batches:
            slots = [self._slot(batches, batch, name) for name in self.columns]
            made.append((_sparse if many else _dense)(slots, offsets, len(self.names)))
        return together(made)

    def _slot(self, batches: Sequence[Batch], batch: Batch, name: str) -> Slot:
        if name in self.parts:
            return self.parts[name].encode(batch.table.column(name))
        found = column_of_numbers(batches, batch, name)
        return Slot(np.zeros(len(found), np.int64), found)

    def asked(self) -> Any:
        return [self.columns, sorted(self.parts)]

    def state(self) -> State:
        categories = {
            name: {"values": part.values, "other": part.others, "missing": part.gaps}
            for name, part in self.parts.items()
        }
        return {"columns": self.columns, "categories": categories} if categories else {}

    def restore(self, state: State) -> None:
        for name, about in state.get("categories", {}).items():
            known = {"values": about["values"], "others": about["other"], "gaps": about["missing"]}
            self.parts[name] = Category.from_state(name, known)
        self._name()


class Numbered(Spread):
    """LIBSVM text: the columns from 1, or from 0 if there is one, to the last; but for some.

    >>> import io
    >>> from rosenblatt.tables.read.sources import open_stream
    >>> from rosenblatt.tables.read.compressed import Bytes
    >>> [batch] = open_stream("-", Bytes("-", io.BufferedReader(io.BytesIO(b"1 2:5\\n0 1:0 4:7\\n")))).batches(
    ...     {"features": "numbered"})
    >>> columns = Numbered(without={"1"})
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

    def see(self, batch: Batch) -> None:
        _, places, _ = listed(batch.table.column(FEATURES))
        if len(places):
            self._first = min(self._first, int(places.min()))
            self._last = max(self._last, int(places.max()))
        if self._last > MOST_NUMBERED:
            raise InputError(
                f"{batch.path} has {self._last:,} columns, more than the {MOST_NUMBERED:,} that a proof can be about: "
                "number them anew."
            )

    def finish(self) -> None:
        every = map(str, range(self._first, self._last + 1))
        self._take([name for name in every if name not in self._without])

    def _take(self, names: list[str]) -> None:
        self.names, whole = names, np.array(names, dtype=np.int64)
        self._place = np.full(whole.max(initial=-1) + 2, -1, dtype=np.int32)  # the last is for all that are larger
        self._place[whole] = np.arange(len(names), dtype=np.int32)

    def encode(self, batches: Sequence[Batch]) -> Encoded:
        return together([self._encoded(batch) for batch in batches])

    def _encoded(self, batch: Batch) -> Encoded:
        starts, places, values = listed(batch.table.column(FEATURES))
        at = self._place[np.minimum(places, len(self._place) - 1)]
        return _kept(Encoded(len(self.names), None, Sparse(starts, at, values)), at >= 0)

    def asked(self) -> Any:
        return sorted(self._without)

    def state(self) -> State:
        return {"numbered": self.names}

    def restore(self, state: State) -> None:
        self._take(state["numbered"])


def are_numbers_of_columns(names: Sequence[str]) -> bool:
    """
    >>> are_numbers_of_columns(["1", "3"]), are_numbers_of_columns(["1", "99999999"]), are_numbers_of_columns(["-1"])
    (True, False, False)
    """
    return all(name.isascii() and name.isdecimal() and len(name) <= 8 and int(name) <= MOST_NUMBERED for name in names)


def _dense(slots: Sequence[Slot], offsets: Sequence[int], columns: int) -> Encoded:
    matrix = np.zeros((len(slots[0].values), columns))
    fill(matrix, slots, offsets)
    return Encoded(columns, matrix, None)


def _sparse(entries: Sequence[Entries], offsets: Sequence[int], columns: int) -> Encoded:
    return _kept(sparse(entries, offsets, columns, np.float64))


def _kept(encoded: Encoded, wanted: Any = True) -> Encoded:
    """Without zeros, and entries that are not wanted."""
    assert encoded.sparse is not None
    starts, places, values = encoded.sparse
    wanted = wanted & (values != 0)
    if wanted.all():
        return encoded
    before = np.concatenate([[0], np.cumsum(wanted)])
    return Encoded(encoded.columns, None, Sparse(before[starts], places[wanted], values[wanted]))


def spread(source: Source, columns: Sequence[str], called: Collection[str] = (), drop: Collection[str] = ()) -> Spread:
    """How to take these columns of a source, some of which are `called` categories; `drop` is for LIBSVM text."""
    if is_numbered_text(source):
        return Numbered(drop)
    sample = source.sample()
    texts = [name for name in columns if is_text(value_type(sample.table.column(name).type)) and name not in called]
    for name, (kind, _) in look(sample, texts).items():
        if kind in REFUSED:
            what = f"column {name!r} holds {REFUSED[kind]}: turn it into numbers or categories"
            raise ColumnError(f"{source.path}, {what}", name)
    return Columns(columns, {*called, *texts})


def value_type(kind: Any) -> Any:
    """What a column holds, however it is stored."""
    return kind.value_type if arrow.types.is_dictionary(kind) else kind
