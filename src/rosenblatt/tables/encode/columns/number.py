"""Encode a column of numbers: centred and scaled, with an indicator for missing values."""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ....foundation.types import Floats
from ...read.arrow_arrays import floats
from ...read.batches import CATEGORY, NUMBER
from ...read.notations import AS_TYPED, NUMBER_NOTATIONS, is_written_so, read_texts
from .entries import SingleEntries, State
from .moments import Moments


class NumberSummary(NamedTuple):
    """What some rows tell of a column of numbers: whether any is missing, their range and their moments."""

    gaps: bool
    low: float
    high: float
    moments: Moments


def summarise(numbers: Floats) -> NumberSummary:
    """The summary of numbers; those that are missing are NaN."""
    gaps = np.isnan(numbers)
    present = numbers[~gaps] if gaps.any() else numbers
    if not len(present):
        return NumberSummary(bool(len(numbers)), np.inf, -np.inf, Moments())
    low, high = float(present.min()), float(present.max())
    return NumberSummary(len(present) < len(numbers), low, high, Moments.of(present, max(abs(low), abs(high))))


class NumberColumn:
    """(x - centre) / scale: the mean of the rows learned from, and their standard deviation.

    >>> import pyarrow as arrow
    >>> part = NumberColumn("age")
    >>> part.learn(arrow.array([1.0, None, 3.0]))
    >>> part.finish()
    >>> part.names, part.encode(arrow.array([3.0, None]))
    (['age', 'age is missing'], SingleEntries(places=array([0, 1]), values=array([1., 1.])))
    """

    kind: ClassVar[str] = NUMBER
    notations: ClassVar[tuple[str, ...]] = NUMBER_NOTATIONS

    def __init__(self, name: str, scaled: bool = True, notation: str = AS_TYPED) -> None:
        self.name, self.scaled, self.notation = name, scaled, notation
        self.centre, self.scale, self.gaps = 0.0, 1.0, False
        self._moments = Moments()
        self.low, self.high = np.inf, -np.inf

    @property
    def read_as(self) -> str:
        return self.kind if self.notation == AS_TYPED else CATEGORY

    def numbers(self, values: Any) -> Floats:
        if isinstance(values, np.ndarray):
            return values
        return read_texts(values, self.notation) if is_written_so(values, self.notation) else self.typed_numbers(values)

    def typed_numbers(self, values: Any) -> Floats:
        """The numbers of a column that has their type."""
        return floats(values)

    def learn(self, values: Any) -> None:
        self.add(self.summary(values))

    def learn_numbers(self, numbers: Floats) -> None:
        self.add(summarise(numbers))

    def summary(self, values: Any) -> "NumberSummary":
        """What `add` takes of some rows."""
        return summarise(self.numbers(values))

    def add(self, found: "NumberSummary") -> None:
        """Learn from rows by their summary."""
        self.gaps |= found.gaps
        if found.moments.total:
            self.low, self.high = min(self.low, found.low), max(self.high, found.high)
            self._moments = self._moments.merged(found.moments)

    def forget_sums(self) -> None:
        """Forget the mean and deviation of the numbers learned, but not their range."""
        self._moments = Moments()

    def halve_weight(self) -> None:
        """Let the mean and deviation count half as much against those of numbers learned later."""
        self._moments = self._moments.halved()

    def finish(self) -> None:
        if self.scaled and self._moments.total:
            with np.errstate(over="ignore", invalid="ignore"):
                self.centre = float(np.clip(self._moments.centre, self.low, self.high))
                deviation = self._moments.deviation
            self.scale = deviation if self.low < self.high and deviation > 0 else 1.0

    @property
    def constant(self) -> bool:
        return not self.gaps and self.low == self.high

    @property
    def too_large(self) -> bool:
        """Whether the range of the numbers overflows float64."""
        with np.errstate(over="ignore"):
            fine = np.isfinite([self.centre, self.scale, np.float64(self.high) - self.low]).all()
        return bool(self._moments.total) and not bool(fine)

    @property
    def empty(self) -> bool:
        return not self._moments.total

    @property
    def names(self) -> list[str]:
        return [self.name, f"{self.name} is missing"] if self.gaps else [self.name]

    @property
    def groups(self) -> list[list[int]]:
        """Encoded columns, of which each row that was learned from has exactly one 1."""
        return []

    @property
    def width(self) -> int:
        return 1 + self.gaps

    def encode(self, values: Any) -> SingleEntries:
        return self.encoded(self.numbers(values))

    def encoded(self, numbers: Floats) -> SingleEntries:
        gaps = np.isnan(numbers)
        with np.errstate(over="ignore"):
            scaled = (numbers - self.centre) / self.scale
        if gaps.any():
            scaled[gaps] = 1.0 if self.gaps else 0.0
        return SingleEntries(gaps.astype(np.int64) if self.gaps else np.zeros(len(numbers), np.int64), scaled)

    def state(self) -> State:
        written = {} if self.notation == AS_TYPED else {"notation": self.notation}
        return {"kind": self.kind, "centre": self.centre, "scale": self.scale, "gaps": self.gaps, **written}

    @classmethod
    def from_state(cls, name: str, state: State) -> "NumberColumn":
        part = cls(name, notation=state.get("notation", AS_TYPED))
        part.centre, part.scale, part.gaps = float(state["centre"]), float(state["scale"]), state["gaps"]
        if not (np.isfinite(part.centre) and 0 < part.scale < np.inf and type(part.gaps) is bool):
            raise ValueError(f"what it knows of column {name!r} is no centre and scale")
        if part.notation not in (AS_TYPED, *cls.notations):
            raise ValueError(f"column {name!r} is written in no known notation")
        return part
