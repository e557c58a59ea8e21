"""Clashes that share no row: every hyperplane makes a mistake in each of them.

Rows clash if positive multiples of them sum to 0: then no w is positive on all of them. So the fewest mistakes possible
are at least the number of clashes that share no row. The rows of a clash are removed, and the next one is found among
the other rows, until the remaining rows can be separated. Then a few clashes are given up now and then, because their
rows and the remaining ones may contain more clashes. Floats propose a clash (`clash_program.py`), and exact
arithmetic finds its multipliers.
"""

from collections.abc import Callable

import numpy as np

from ...foundation.types import Floats
from ..exact.merged_rows import MergedRows
from ..exact.problem import ExactProblem
from ..time_limit import Clock
from .clash import DirectionClash, prove_clash
from .clash_program import ClashProgram

MAX_FAILURES = 5  # in a row: clashes that floats propose and exact arithmetic refutes
CLASHES_REPLACED = 4  # at a time


class ClashPacking:
    """A set of clashes of merged rows that share no row.

    `floats` are the merged rows, each times a positive number. `complete` means that no further clash was found.
    """

    def __init__(self, problem: ExactProblem, rows: MergedRows, floats: Floats, w: Floats, clock: Clock) -> None:
        self.problem = problem
        self.members = [list(members) for members in rows.members]
        self.found: list[DirectionClash] = []
        self.complete = False
        self._random = np.random.default_rng(0)
        self._program = ClashProgram(floats, w, self._random, clock)

    def pack(self, enough: int, clock: Clock, watch: Callable[[int], None] | None = None) -> None:
        """Add clashes until there are enough, none is left, or the time of this clock is up."""
        failures = 0
        while len(self.found) < enough and clock.seconds_left():
            rows = self._program.find()
            if rows is None or failures == MAX_FAILURES:
                self.complete = True
                return
            failures = 0 if self._take(rows) else failures + 1
            if failures:
                self._program.shuffle()
            if watch is not None:
                watch(len(self.found))

    def _take(self, rows: list[int]) -> bool:
        proved = prove_clash(self.problem, rows, [self.members[row][-1] for row in rows])
        if proved is None:
            return False
        self._enter(proved)
        return True

    def replace(self, enough: int, clock: Clock, watch: Callable[[int], None] | None = None) -> None:
        """Give up a few clashes for others, unless that leaves fewer."""
        count = len(self.found)
        given_up = self._random.choice(count, min(CLASHES_REPLACED, count), replace=False)
        before = [self.found[place] for place in sorted(given_up.tolist())]
        self._give_up(before)
        kept = len(self.found)
        self._program.shuffle()
        self.pack(enough, clock, watch)
        if len(self.found) < count:
            self._give_up(self.found[kept:])
            for found in before:
                self._enter(found)

    def _enter(self, found: DirectionClash) -> None:
        self.found.append(found)
        for row, member in zip(found.directions, found.members, strict=True):
            self.members[row].remove(member)
            if not self.members[row]:
                self._program.allow(row, False)

    def _give_up(self, several: list[DirectionClash]) -> None:
        for given_up in several:
            self.found = [found for found in self.found if found is not given_up]
            for row, member in zip(given_up.directions, given_up.members, strict=True):
                self.members[row].append(member)
                self._program.allow(row, True)
