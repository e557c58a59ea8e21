"""The error about columns whose weights have no one estimate, because others determine them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import InputError
from .types import Floats

MAX_NAMED = 6  # columns of a combination
ADVICE = "leave one of them out"
MIN_LARGEST = 1e-150  # of the numbers of a column; sums of squares of smaller ones lose digits or are 0


class CollinearColumns(InputError):
    """Some columns have a combination that is 0 in every row. The intercept counts as the column after the last.

    >>> print(CollinearColumns([0, 1, 3], columns=5))
    column 3 is a combination of column 0 and column 1: leave one of them out.
    >>> print(CollinearColumns([0, 1, 3], columns=5).named(["a", "b", "c", "d", "e"]))
    column 'd' is a combination of column 'a' and column 'b': leave one of them out.
    >>> print(CollinearColumns([2, 3], columns=3))
    column 2 is constant, as the intercept is: leave it out, or set fit_intercept=False.
    """

    def __init__(
        self, combination: Sequence[int], columns: int, names: Sequence[Any] | None = None, advice: str = ADVICE
    ) -> None:
        self.combination, self.columns, self.names, self.advice = list(combination), columns, names, advice
        super().__init__(self._sentence())

    def named(self, names: Sequence[Any] | None, advice: str = ADVICE) -> "CollinearColumns":
        """The same error with the names of the columns; the numbers stay where there are none."""
        return type(self)(self.combination, self.columns, names, advice)

    def _sentence(self) -> str:
        alone, intercept = self.is_of_one, self.columns in self.combination
        what = f"leave it out{', or set fit_intercept=False' * intercept}" if alone else self.advice
        return f"{self.finding()}: {what}."

    @property
    def is_of_one(self) -> bool:
        """Whether one column is at fault alone: it is constant or 0."""
        return sum(column < self.columns for column in self.combination) == 1

    def finding(self) -> str:
        """The error without what to do."""
        *others, last = [self._name(column) for column in self.combination if column < self.columns]
        intercept = self.columns in self.combination
        if not others:
            why = "constant, as the intercept is" if intercept else "0 in every row"
            return f"{last} is {why}"
        shown = others[:MAX_NAMED] + [f"{len(others) - MAX_NAMED} more"] * (len(others) > MAX_NAMED)
        shown += ["the intercept"] * intercept
        before = ", ".join(shown[:-1])
        listed = f"{before} and {shown[-1]}" if before else shown[-1]
        return f"{last} is a combination of {listed}"

    def _name(self, column: int) -> str:
        return f"column {column if self.names is None else repr(str(self.names[column]))}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.combination, self.columns, self.names, self.advice)


class TinyColumn(CollinearColumns):
    """A column that is as good as 0 without a penalty, because squares of its numbers underflow.

    >>> print(TinyColumn([1], columns=3))
    column 1 holds only numbers so small that their squares underflow: multiply it by a power of 10.
    """

    def _sentence(self) -> str:
        return f"{self.finding()}: multiply it by a power of 10."

    def finding(self) -> str:
        return f"{self._name(self.combination[0])} holds only numbers so small that their squares underflow"


def refuse_tiny_columns(largest: Floats) -> None:
    """Refuse columns whose largest absolute values are tiny, but not 0."""
    tiny = np.flatnonzero((largest > 0) & (largest < MIN_LARGEST))
    if len(tiny):
        raise TinyColumn([int(tiny[0])], len(largest))
