"""What a column becomes: one class a kind. Each learns from some rows and then turns any rows into entries.

A row's entries in a column of numbers or categories are one: its place among the encoded columns, and a value. So a
missing number is not a number and an indicator but the indicator alone, and a number not missing the number alone.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..read.arrow_arrays import coded, days, floats, listed
from ..read.batches import CATEGORY, DATE, NUMBER, NUMBERED, TEXT
from .column_kinds import YES_NO

State = dict[str, Any]

RARE = 2  # rows that a category needs for a column of its own
MOST = 10_000  # categories of a column
COUNTED = 100_000  # values that are counted at a time; beyond, the rarest are forgotten
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class Slot(NamedTuple):
    """One entry a row: which of the part's columns, and its value."""

    places: npt.NDArray[Any]
    values: Floats


class Places(NamedTuple):
    """The columns of a category."""

    values: list[int]
    other: int
    gap: int


class Sparse(NamedTuple):
    """Any number of entries a row, as CSR has them."""

    starts: npt.NDArray[Any]
    places: npt.NDArray[Any]
    values: npt.NDArray[Any]


Entries = Slot | Sparse


class Number:
    """(x - centre) / scale: the mean of the rows learned from, and their standard deviation.

    >>> import pyarrow as arrow
    >>> part = Number("age")
    >>> part.learn(arrow.array([1.0, None, 3.0]))
    >>> part.finish()
    >>> part.names, part.encode(arrow.array([3.0, None]))
    (['age', 'age is missing'], Slot(places=array([0, 1]), values=array([1., 1.])))
    """

    kind: ClassVar[str] = NUMBER

    def __init__(self, name: str, scaled: bool = True) -> None:
        self.name, self.scaled = name, scaled
        self.centre, self.scale, self.gaps = 0.0, 1.0, False
        self._count, self._mean, self._squares, self._unit = 0, 0.0, 0.0, 0.0
        self.low, self.high = np.inf, -np.inf

    def numbers(self, values: Any) -> Floats:
        return values if isinstance(values, np.ndarray) else floats(values)

    def learn(self, values: Any) -> None:
        self.learn_numbers(self.numbers(values))

    def learn_numbers(self, numbers: Floats) -> None:
        gaps = np.isnan(numbers)
        present = numbers[~gaps] if gaps.any() else numbers
        self.gaps |= len(present) < len(numbers)
        if not len(present):
            return
        self.low, self.high = min(self.low, float(present.min())), max(self.high, float(present.max()))
        if not self._unit:
            reach = max(abs(self.low), abs(self.high))
            self._unit = reach if reach and np.isfinite(reach) else 1.0  # so that squares neither over- nor underflow
        self._merge(present / self._unit)

    def _merge(self, present: Floats) -> None:
        """Means and sums of squares of two sets of numbers together (Chan, Golub and LeVeque)."""
        with np.errstate(over="ignore", invalid="ignore"):
            count, mean = len(present), float(present.mean())
            squares = float(((present - mean) ** 2).sum())
            total = self._count + count
            apart = mean - self._mean
            self._squares += squares + apart * apart * self._count * count / total
            self._mean += apart * count / total
            self._count = total

    def finish(self) -> None:
        if self.scaled and self._count:
            with np.errstate(over="ignore", invalid="ignore"):
                self.centre = float(np.clip(self._mean * self._unit, self.low, self.high))
                deviation = float(np.sqrt(self._squares / self._count)) * self._unit
            self.scale = deviation if self.low < self.high and deviation > 0 else 1.0

    @property
    def constant(self) -> bool:
        return not self.gaps and self.low == self.high

    @property
    def too_large(self) -> bool:
        """Whether its numbers reach too far for float64."""
        with np.errstate(over="ignore"):
            fine = np.isfinite([self.centre, self.scale, np.float64(self.high) - self.low]).all()
        return bool(self._count) and not bool(fine)

    @property
    def empty(self) -> bool:
        return not self._count

    @property
    def names(self) -> list[str]:
        return [self.name, f"{self.name} is missing"] if self.gaps else [self.name]

    @property
    def width(self) -> int:
        return len(self.names)

    def encode(self, values: Any) -> Slot:
        return self.encoded(self.numbers(values))

    def encoded(self, numbers: Floats) -> Slot:
        gaps = np.isnan(numbers)
        with np.errstate(over="ignore"):
            scaled = (numbers - self.centre) / self.scale
        if gaps.any():
            scaled[gaps] = 1.0 if self.gaps else 0.0
        return Slot(gaps.astype(np.int64) if self.gaps else np.zeros(len(numbers), np.int64), scaled)

    def state(self) -> State:
        return {"kind": self.kind, "centre": self.centre, "scale": self.scale, "gaps": self.gaps}

    @classmethod
    def from_state(cls, name: str, state: State) -> "Number":
        part = cls(name)
        part.centre, part.scale, part.gaps = float(state["centre"]), float(state["scale"]), state["gaps"]
        if not (np.isfinite(part.centre) and 0 < part.scale < np.inf and type(part.gaps) is bool):
            raise ValueError(f"what it knows of column {name!r} is no centre and scale")
        return part


class Category:
    """A column of 0 and 1 for each value that several rows have; one for all others, one for missing values.

    Of two values the second has a column, the first none.

    >>> import pyarrow as arrow
    >>> part = Category("job")
    >>> part.learn(arrow.array(["cook", "clerk"] * 10 + ["smith", "queen"]))
    >>> part.finish()
    >>> part.names, part.encode(arrow.array(["cook", "king"])).places.tolist()
    (['job=clerk', 'job=cook', 'job=other'], [1, 2])
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[str] = []
        self.others = self.gaps = False
        self._counts: dict[str, int] = {}
        self._rows, self._forgotten = 0, False

    def learn(self, values: Any) -> None:
        codes, texts = coded(values)
        counts = np.bincount(codes + 1, minlength=len(texts) + 1).tolist()
        self.gaps |= counts[0] > 0
        self._rows += len(codes)
        for text, count in zip(texts, counts[1:], strict=True):
            self._counts[text] = self._counts.get(text, 0) + count
        rare = 1
        while len(self._counts) > COUNTED:
            self._counts = {text: count for text, count in self._counts.items() if count > rare}
            rare, self._forgotten = 2 * rare, True

    def finish(self) -> None:
        enough = RARE if self._rows >= 10 * RARE else 1
        frequent = [text for text, count in self._counts.items() if count >= enough]
        seen = sum(count > 0 for count in self._counts.values())
        if len(frequent) > MOST:
            frequent = sorted(frequent, key=lambda text: (-self._counts[text], text))[:MOST]
        self.values, self.others = sorted(frequent), len(frequent) < seen or self._forgotten

    @property
    def kind(self) -> str:
        return YES_NO if self._binary else CATEGORY

    @property
    def _binary(self) -> bool:
        return len(self.values) == 2 and not self.others

    @property
    def constant(self) -> bool:
        return len(self.values) + self.others + self.gaps == 1 and not self.empty

    @property
    def empty(self) -> bool:
        return not self.values and not self.others

    @property
    def names(self) -> list[str]:
        shown = [f"{self.name}={value}" for value in self.values[self._binary :]]
        shown += [f"{self.name}=other"] * self.others
        return [*shown, *[f"{self.name} is missing"] * self.gaps]

    @property
    def width(self) -> int:
        return len(self.values) - self._binary + self.others + self.gaps

    def encode(self, values: Any) -> Slot:
        """A value never met is among the others; where there were none, all its columns are 0, as for a gap."""
        codes, texts = coded(values)
        places = self.places()
        of_value = dict(zip(self.values, places.values, strict=True))
        known = [of_value.get(text, places.other) for text in texts]
        each = np.array([*known, places.gap])  # a missing one is -1, so the last
        return Slot(np.maximum(each, 0)[codes], (each >= 0).astype(np.float64)[codes])

    def places(self) -> "Places":
        """Where each value, any other, and a missing one has its column; -1 where it has none."""
        first = -1 if self._binary else 0
        return Places(
            values=list(range(first, first + len(self.values))),
            other=self.width - self.gaps - 1 if self.others else -1,
            gap=self.width - 1 if self.gaps else -1,
        )

    def state(self) -> State:
        return {"kind": CATEGORY, "values": self.values, "others": self.others, "gaps": self.gaps}

    @classmethod
    def from_state(cls, name: str, state: State) -> "Category":
        part = cls(name)
        part.values, part.others, part.gaps = state["values"], state["others"], state["gaps"]
        texts = type(part.values) is list and all(type(value) is str for value in part.values)
        if not texts or len(set(part.values)) < len(part.values) or {type(part.others), type(part.gaps)} != {bool}:
            raise ValueError(f"what it knows of column {name!r} is no list of categories")
        return part


class Date(Number):
    """Days since 1970 as a number; the day of the week and the month as categories."""

    kind: ClassVar[str] = DATE

    def numbers(self, values: Any) -> Floats:
        return values if isinstance(values, np.ndarray) else days(values)

    @property
    def names(self) -> list[str]:
        calendar = [f"{self.name} on a {day}" for day in WEEKDAYS] + [f"{self.name} in {month}" for month in MONTHS]
        return [*super().names, *calendar]

    def entries(self, values: Any) -> list[Slot]:
        numbers = self.numbers(values)
        gaps = np.isnan(numbers)
        whole = np.floor(np.where(gaps, 0, numbers)).astype("datetime64[D]")
        first = len(super().names)
        weekday = (whole.astype(np.int64) + 3) % 7
        month = whole.astype("datetime64[M]").astype(np.int64) % 12
        present = (~gaps).astype(np.float64)
        return [
            self.encoded(numbers),
            Slot(first + weekday, present),
            Slot(first + len(WEEKDAYS) + month, present.copy()),
        ]


class Text:
    """Words or n-grams, by the native tokenizer."""

    kind: ClassVar[str] = TEXT
    constant = False

    def __init__(self, name: str, words: Any) -> None:
        self.name, self.words = name, words

    def learn(self, values: Any, keep: bool = True) -> None:
        self.words.learn(values, keep)

    @property
    def kept(self) -> bool:
        """Whether the rows learned are at hand."""
        return bool(self.words.kept)

    def finish(self) -> None:
        self.words.finish()

    @property
    def empty(self) -> bool:
        return not self.width

    @property
    def width(self) -> int:
        return int(self.words.n_columns)

    @property
    def names(self) -> list[str]:
        return [f"{self.name}: {word}" for word in self.words.names]

    def learned(self) -> Sparse:
        return Sparse(*self.words.learned_rows())

    def encode(self, values: Any) -> Sparse:
        return Sparse(*self.words.encode(values))

    def state(self) -> State:
        return {"kind": TEXT, **self.words.state()}

    @classmethod
    def from_state(cls, name: str, state: State) -> "Text":
        from .words import Words

        return cls(name, Words.from_state({key: value for key, value in state.items() if key != "kind"}))


class Numbered:
    """Columns that have numbers for names, as LIBSVM text has them: as they are. Numbers never met are passed over."""

    kind: ClassVar[str] = NUMBERED
    constant = False

    def __init__(self, name: str) -> None:
        self.name, self.width, self._first = name, 0, 1

    @property
    def met(self) -> int:
        """How many columns there are; they are numbered from 1, if none is 0."""
        return self.width - self._first

    def learn(self, values: Any) -> None:
        _, places, _ = listed(values)
        self._first = min(self._first, int(places.min()) if len(places) else 1)
        self.width = max(self.width, int(places.max()) + 1 if len(places) else 0)

    def finish(self) -> None:
        pass

    @property
    def empty(self) -> bool:
        return not self.width

    @property
    def names(self) -> list[str]:
        return list(map(str, range(self.width)))

    def encode(self, values: Any) -> Sparse:
        starts, places, numbers = listed(values)
        known = places < self.width
        if known.all():
            return Sparse(starts, places, numbers)
        kept = np.concatenate([[0], np.cumsum(known)])
        return Sparse(kept[starts], places[known], numbers[known])

    def state(self) -> State:
        return {"kind": self.kind, "width": self.width}

    @classmethod
    def from_state(cls, name: str, state: State) -> "Numbered":
        part = cls(name)
        part.width = state["width"]
        if type(part.width) is not int or not 0 < part.width < 2**31:
            raise ValueError(f"what it knows of column {name!r} is no number of columns")
        return part


Part = Number | Category | Date | Text | Numbered
PARTS: dict[str, Any] = {NUMBER: Number, CATEGORY: Category, DATE: Date, TEXT: Text, NUMBERED: Numbered}
