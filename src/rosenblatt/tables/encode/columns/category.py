"""Encode a column of categories: one column of 0 and 1 for each frequent value."""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...read.arrow_arrays import category_codes
from ...read.batches import CATEGORY
from ..column_kinds import YES_NO
from .entries import SingleEntries, State

MIN_CATEGORY_ROWS = 2  # that a value needs for a column of its own
MAX_CATEGORIES = 10_000  # values of a column that get columns of their own
MAX_COUNTED_VALUES = 100_000  # counted at a time; beyond that the rarest are forgotten


class CategoryPlaces(NamedTuple):
    """The encoded column of each value, of other values, and of missing values; -1 where there is none."""

    values: range
    other: int
    gap: int


class CategorySummary(NamedTuple):
    """What some rows tell of a column of categories: how often each value is there, and how many are missing."""

    texts: list[str]
    counts: list[int]
    gaps: int


class CategoryColumn:
    """A column of 0 and 1 for each value that several rows have; one for all others, one for missing values.

    Of two values the second has a column, the first none.

    >>> import pyarrow as arrow
    >>> part = CategoryColumn("job")
    >>> part.learn(arrow.array(["cook", "clerk"] * 10 + ["smith", "queen"]))
    >>> part.finish()
    >>> part.names, part.encode(arrow.array(["cook", "king"])).places.tolist()
    (['job=clerk', 'job=cook', 'job=other'], [1, 2])
    """

    read_as: ClassVar[str] = CATEGORY
    _numbered: tuple[list[str], dict[str, int]] | None = None

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[str] = []
        self.others = self.gaps = False
        self._counts: dict[str, int] = {}
        self._rows, self._forgotten = 0, False

    def learn(self, values: Any) -> None:
        self.add(self.summary(values))

    def summary(self, values: Any) -> CategorySummary:
        """What `add` takes of some rows."""
        codes, texts = category_codes(values)
        gaps, *counts = np.bincount(codes + 1, minlength=len(texts) + 1).tolist()
        met = [(text, count) for text, count in zip(texts, counts, strict=True) if count]
        return CategorySummary([text for text, _ in met], [count for _, count in met], gaps)

    def add(self, found: CategorySummary) -> None:
        """Learn from rows by their summary."""
        self.gaps |= found.gaps > 0
        self._rows += found.gaps + sum(found.counts)
        for text, count in zip(found.texts, found.counts, strict=True):
            self._counts[text] = self._counts.get(text, 0) + count
        rare = 1
        while len(self._counts) > MAX_COUNTED_VALUES:
            self._counts = {text: count for text, count in self._counts.items() if count > rare}
            rare, self._forgotten = 2 * rare, True

    def finish(self) -> None:
        enough = MIN_CATEGORY_ROWS if self._rows >= 10 * MIN_CATEGORY_ROWS else 1
        frequent = [text for text, count in self._counts.items() if count >= enough]
        seen = sum(count > 0 for count in self._counts.values())
        if len(frequent) > MAX_CATEGORIES:
            frequent = sorted(frequent, key=lambda text: (-self._counts[text], text))[:MAX_CATEGORIES]
        self.values, self.others = sorted(frequent), len(frequent) < seen or self._forgotten

    @property
    def kind(self) -> str:
        return YES_NO if self.binary else CATEGORY

    @property
    def binary(self) -> bool:
        """Whether the second of two values has the only column for values."""
        return len(self.values) == 2 and not self.others

    @property
    def groups(self) -> list[list[int]]:
        """Encoded columns, of which each row that was learned from has exactly one 1."""
        return [] if self.binary else [list(range(self.width))]

    @property
    def constant(self) -> bool:
        return len(self.values) + self.others + self.gaps == 1 and not self.empty

    @property
    def empty(self) -> bool:
        return not self.values and not self.others

    @property
    def names(self) -> list[str]:
        shown = [f"{self.name}={value}" for value in self.values[self.binary :]]
        shown += [f"{self.name}=other"] * self.others
        return [*shown, *[f"{self.name} is missing"] * self.gaps]

    @property
    def width(self) -> int:
        return len(self.values) - self.binary + self.others + self.gaps

    def encode(self, values: Any) -> SingleEntries:
        """Entries of rows. A new value counts as other; if the column has no such category, its entry is 0."""
        codes, texts = category_codes(values)
        places = self.places()
        number_of = self._value_numbers()
        known = [places.other if (number := number_of.get(text)) is None else places.values[number] for text in texts]
        each = np.array([*known, places.gap])  # a missing value has code -1, so it is the last
        return SingleEntries(np.maximum(each, 0)[codes], (each >= 0).astype(np.float64)[codes])

    def _value_numbers(self) -> dict[str, int]:
        """The number of each value, kept for as long as the values are the same list."""
        if self._numbered is None or self._numbered[0] is not self.values:
            self._numbered = self.values, {value: number for number, value in enumerate(self.values)}
        return self._numbered[1]

    def places(self) -> CategoryPlaces:
        """The encoded columns of this category."""
        first = -1 if self.binary else 0
        return CategoryPlaces(
            values=range(first, first + len(self.values)),
            other=self.width - self.gaps - 1 if self.others else -1,
            gap=self.width - 1 if self.gaps else -1,
        )

    def state(self) -> State:
        return {"kind": CATEGORY, "values": self.values, "others": self.others, "gaps": self.gaps}

    @classmethod
    def from_state(cls, name: str, state: State) -> "CategoryColumn":
        part = cls(name)
        part.values, part.others, part.gaps = state["values"], state["others"], state["gaps"]
        texts = type(part.values) is list and all(type(value) is str for value in part.values)
        if not texts or len(set(part.values)) < len(part.values) or {type(part.others), type(part.gaps)} != {bool}:
            raise ValueError(f"what it knows of column {name!r} is no list of categories")
        return part
