"""Exact conditional logistic regression in plain Python: every outcome is tried, 2^n of them."""

from fractions import Fraction
from itertools import product

from .weights import Row

Counts = dict[Fraction, int]


def conditional_counts(X: list[Row], y: list[int], tested: int, fit_intercept: bool = True) -> Counts:
    """How many outcomes have each value of a column's sum, among those with the sums of all other columns.

    A constant is the column after the last. Numbers are read as the decimals that they print as.

    >>> counts = conditional_counts([[0], [0], [1], [1]], [0, 1, 1, 1], 0)
    >>> [(int(value), count) for value, count in sorted(counts.items())]
    [(1, 2), (2, 2)]
    """
    rows = [[Fraction(str(number)) for number in x] + [Fraction(1)] * fit_intercept for x in X]
    wanted, found = _sums(rows, y), Counts()
    for outcome in product((0, 1), repeat=len(y)):
        sums = _sums(rows, outcome)
        if all(sums[k] == wanted[k] for k in range(len(sums)) if k != tested):
            found[sums[tested]] = found.get(sums[tested], 0) + 1
    return found


def tails(counts: Counts, observed: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The probabilities of at most, at least and exactly the observed value, where the coefficient is 0.

    >>> tails({Fraction(1): 2, Fraction(2): 2}, Fraction(2))
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 2))
    """
    every = sum(counts.values())
    below = sum(count for value, count in counts.items() if value <= observed)
    above = sum(count for value, count in counts.items() if value >= observed)
    return Fraction(below, every), Fraction(above, every), Fraction(counts[observed], every)


def _sums(rows: list[list[Fraction]], outcome: tuple[int, ...] | list[int]) -> list[Fraction]:
    return [
        sum((row[k] for row, one in zip(rows, outcome, strict=True) if one), Fraction(0)) for k in range(len(rows[0]))
    ]
