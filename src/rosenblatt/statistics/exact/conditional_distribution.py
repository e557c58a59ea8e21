"""The conditional distribution of one sufficient statistic, given those of all other coefficients, in exact integers.

The outcomes y in {0, 1}^n with the same sums over the other columns are equally likely where the tested coefficient is
0. They are counted row by row: a state is the sums so far, with the number of ways that lead to it. Two ways with equal
sums are one state, and a state that cannot end at the observed sums is left out (Hirji, Mehta and Patel, 1987).
"""

import time
from dataclasses import dataclass
from math import comb, inf

import numpy as np

from ...foundation.types import Mask
from .big_counts import BigCounts
from .integer_columns import Integers, integer_matrix
from .reachable_sums import ReachableSums

MAX_STATES = 1 << 21  # about 200 MB
LAST_STATES = 1 << 12  # kept after the time limit, so that the rest takes about a millisecond a row


@dataclass(frozen=True)
class ConditionalDistribution:
    """How many outcomes have each value of the statistic. `missed` more, at most, have values between low and high."""

    values: list[int]
    counts: list[int]
    observed: int
    missed: int = 0
    low: int = 0
    high: int = 0


@dataclass
class States:
    """Sums of rows as sorted keys, and the number of ways to each of them."""

    keys: Integers
    ways: BigCounts

    def with_row(self, move: int) -> "States":
        """The states after one more row, whose outcome is 0 or 1; outcome 1 adds `move` to a key."""
        moved = self.keys + move
        both = np.sort(np.concatenate([self.keys, moved]), kind="stable")  # merges the two in linear time
        keys = both[np.append(True, both[1:] != both[:-1])] if len(both) else both
        ways = self.ways.placed(np.searchsorted(keys, self.keys), len(keys))
        ways.add_at(np.searchsorted(keys, moved), self.ways)
        return States(keys, ways)

    def only(self, chosen: Mask) -> "States":
        return States(self.keys[chosen], self.ways.only(chosen))


class Enumeration:
    """Counts the outcomes of rows with integer columns, of which one is tested.

    `constant` is the place of the intercept's column among the others, or None.
    """

    def __init__(self, columns: list[list[int]], y: list[int], tested: int, constant: int | None) -> None:
        order = sorted(range(len(y)), key=lambda row: [column[row] for column in columns])
        places = [tested, *(place for place in range(len(columns)) if place != tested)]
        matrix = integer_matrix([[columns[place][row] for row in order] for place in places])
        self.count = len(y)
        self.rows = matrix
        self.totals = [sum(columns[place][row] for row, one in enumerate(y) if one) for place in places]
        self.lowest = [int(sum(min(0, number) for number in column)) for column in matrix.T.tolist()]
        self.ranges = [int(sum(map(abs, column))) + 1 for column in matrix.T.tolist()]
        self.strides = [1]
        for length in self.ranges[:-1]:
            self.strides.append(self.strides[-1] * length)
        self.constant = None if constant is None or constant == tested else places.index(constant)
        self.reachable = ReachableSums(matrix, self.constant)
        self.missed = 0

    def distribution(self, max_seconds: float = inf, max_states: int = MAX_STATES) -> ConditionalDistribution:
        """Count them all, or until the time is over; what was not counted then is bounded."""
        ends = time.monotonic() + max_seconds
        start = -sum(low * stride for low, stride in zip(self.lowest, self.strides, strict=True))
        states = States(np.array([start], dtype=self.rows.dtype), BigCounts.ones(1, self.count))
        for row in range(self.count):
            states = states.with_row(int(self.rows[row] @ np.array(self.strides, dtype=self.rows.dtype)))
            states = states.only(self._can_end(states.keys, row + 1))
            most = max_states if time.monotonic() < ends else min(max_states, LAST_STATES)
            if len(states.keys) > most:
                states = self._likeliest(states, row + 1, most)
        ones = -1 if self.constant is None else self.totals[self.constant]
        return ConditionalDistribution(*self._ended(states), self.totals[0], self.missed, *self.reachable.span(0, ones))

    def _ended(self, states: States) -> tuple[list[int], list[int]]:
        """The values of the statistic and their counts. The observed value is among them even if it was missed."""
        values = (states.keys % self.ranges[0] + self.lowest[0]).tolist()
        known = dict(zip(values, states.ways.as_integers(), strict=True))
        known.setdefault(self.totals[0], 1)
        return sorted(known), [known[value] for value in sorted(known)]

    def _left(self, keys: Integers, place: int) -> Integers:
        """What the rows that follow must add to a column."""
        sums = keys // self.strides[place] % self.ranges[place] + self.lowest[place]
        return np.asarray(self.totals[place] - sums)

    def _can_end(self, keys: Integers, row: int) -> Mask:
        """Whether the rows from this one on can lead to the observed sums, each column by itself."""
        ones = None if self.constant is None else self._left(keys, self.constant).astype(np.intp)
        possible = self.reachable.counts(ones, row, len(keys))
        for place in range(1, len(self.totals)):
            if place != self.constant:
                left = self._left(keys, place)
                least, most = self.reachable.bounds(place, row, ones, possible)
                possible &= ((left >= least) & (left <= most)).astype(np.bool_)
        return possible

    def _likeliest(self, states: States, row: int, most: int) -> States:
        """The states that the most outcomes may pass. What passes the others is added to `missed`."""
        rest = self.count - row
        ones = None if self.constant is None else self._left(states.keys, self.constant).astype(np.intp)
        bounds = [comb(rest, k) for k in range(rest + 1)] if ones is not None else [1 << rest]
        which = np.zeros(len(states.keys), np.intp) if ones is None else ones
        sizes = states.ways.log2() + np.array([bound.bit_length() for bound in bounds])[which]
        kept = np.zeros(len(sizes), np.bool_)
        kept[np.argsort(-sizes, kind="stable")[:most]] = True
        for k in np.unique(which[~kept]).tolist():
            self.missed += states.ways.only(~kept & (which == k)).total() * bounds[k]
        return states.only(kept)
