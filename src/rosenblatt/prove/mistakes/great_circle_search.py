"""The fewest mistakes of all w, by looking at every place where they can change.

Rows a_i in a space of D dimensions weigh whole numbers; the mistakes of w are the rows with a_i . w <= 0. All w with
the same mistakes form an open cone. If the rows span the space, every such cone touches a ray, a direction v in which
D - 1 independent rows vanish. Near v the other rows are as they are at v, and the rows T that vanish there are a
problem of D - 1 dimensions: the fewest mistakes near v are the rows negative at v and the fewest of T. The least over
all rays is the answer (Johnson and Preparata, 1978).

Few mistakes are found sooner by giving up rows of clashes, branch by branch: one of each clash is a mistake of every w
(`core/prove/branches.hpp`). Where the branches become too many, the rays are looked at.

The core walks over all rays in floats that know their error, and passes over those where the rows that are surely
negative are already as many as the best known. What it reports is decided in exact arithmetic.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats, Places
from ..exact.linear_algebra import (
    IntVector,
    PositiveDependence,
    independent_columns,
    matrix_product,
    null_space,
    primitive_vector,
    solve_independent,
)
from ..separability.margin_program import scale_rows, whitening_matrix
from ..separability.tucker_split import solve_gordan
from ..time_limit import Clock
from .local_search import search_circles_at_random

Weights = npt.NDArray[np.int32]
ProgressCallback = Callable[[float], None]
FLOAT_EPSILON = float(np.finfo(np.float64).eps)
MAX_ROW_ERROR = 1e-11  # an error of the rows that leaves floats enough to tell
GUIDE_STEPS = 10  # of a direction that guides the walk
ROWS_PER_SLICE = 1 << 22  # rows of circles that are looked at between two looks at the clock
BRANCHES_PER_SLICE = 256  # between two looks at the clock
MIN_BRANCHES = 1000  # that are tried before circles
CIRCLES_PER_BRANCH = 200  # that take about as long as one branch


class Candidate(NamedTuple):
    """A w whose mistakes weigh so much."""

    mistakes: int
    w: IntVector


def count_circles(rows: int, dimension: int) -> int:
    """How many circles there are to look at.

    >>> count_circles(306, 4), count_circles(100, 6)
    (46665, 3921225)
    """
    return comb(rows, max(0, dimension - 2))


def search_great_circles(
    rows: Sequence[IntVector], weights: Weights, below: int, clock: Clock, watch: ProgressCallback | None = None
) -> Candidate | None:
    """The w with the fewest mistakes, if they weigh less than `below`; None if none do.

    The rows are not 0, and no two of them have the same or the opposite direction.

    >>> square = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]  # exclusive or
    >>> search_great_circles(square, np.ones(4, dtype=np.int32), 5, Clock(None)).mistakes
    1
    """
    if not rows:
        return Candidate(0, []) if below > 0 else None
    columns = independent_columns(rows)
    search = _CircleSearch([[row[column] for column in columns] for row in rows], weights, below, clock, watch)
    found = search.run()
    if found is None:
        return None
    w = [0] * len(rows[0])
    for column, value in zip(columns, found.w, strict=True):
        w[column] = value
    return Candidate(found.mistakes, w)


class _CircleSearch:
    """Rows that span their space, and the best w so far."""

    def __init__(
        self, rows: list[IntVector], weights: Weights, below: int, clock: Clock, watch: ProgressCallback | None
    ) -> None:
        self.rows, self.weights, self.best, self.clock, self.watch = rows, weights, below, clock, watch
        self.found: Candidate | None = None
        self.dimension, self.share = len(rows[0]), 0.0
        self.exact = _IntegerMargins(rows)
        self.known: dict[bytes, tuple[int, Candidate | None]] = {}

    def run(self) -> Candidate | None:
        if self.best > 0:
            self.explore(None)
        return self.found

    def explore(self, basis: list[IntVector] | None) -> None:
        """Decide every ray in the space that a basis spans; None for all of it."""
        size = self.dimension if basis is None else len(basis)
        if size == 1:
            self.decide([1] if basis is None else basis[0])
            return
        seen = (
            self.rows
            if basis is None
            else matrix_product(self.rows, [list(column) for column in zip(*basis, strict=True)])
        )
        places = [row for row, values in enumerate(seen) if any(values)]
        seen = [seen[row] for row in places]
        floats, error = _condition_rows(seen)
        weights = np.ascontiguousarray(self.weights[places])
        guide = _guiding_direction(floats, weights)
        if basis is None and self.branch(floats, guide, error):
            return
        circles = _core.Circles(floats, weights, guide, error)
        while not circles.done:
            self.clock.check()
            for ray in circles.advance(self.best, ROWS_PER_SLICE):
                self.clock.check()
                chosen = [seen[row] for row in ray.chosen]
                directions = null_space(chosen, size)
                if len(directions) > size - len(chosen):
                    continue
                lifted = directions if basis is None else matrix_product(directions, basis)
                if len(lifted) > 1:
                    self.explore(lifted)
                elif self.decide(lifted[0]) == len(ray.near) + len(self.rows) - len(places):
                    circles.settle(ray.near)
            if basis is None:
                self.share = circles.share
            if self.watch is not None:
                self.watch(self.share)

    def branch(self, floats: Floats, guide: Floats, error: float) -> bool:
        """Give up rows of clashes, branch by branch; whether that settles it before it takes as long as the circles."""
        branches = _core.Branches(floats, self.weights, guide, error)
        for _ in range(0, max(MIN_BRANCHES, count_circles(*floats.shape) // CIRCLES_PER_BRANCH), BRANCHES_PER_SLICE):
            self.clock.check()
            if branches.advance(self.best, BRANCHES_PER_SLICE) and not self.separate(branches.given_up):
                return False
            if branches.done:
                return True
        return False

    def separate(self, given_up: list[int]) -> bool:
        """Take a w that is right on all rows but these; whether there is one."""
        others = np.delete(np.arange(len(self.rows)), given_up)
        w = solve_gordan([self.rows[row] for row in others], self.clock) if len(others) else [1] * self.dimension
        if isinstance(w, PositiveDependence):
            return False
        mistakes = int(self.weights[self.exact.signs(w) <= 0].sum())
        self.best, self.found = mistakes, Candidate(mistakes, w)
        return True

    def decide(self, v: IntVector) -> int:
        """Take the best w next to v or -v if it is better; return how many rows vanish there."""
        signs = self.exact.signs(v)
        vanishing = np.flatnonzero(signs == 0)
        for side in (1, -1):
            wrong = int(self.weights[signs == -side].sum())
            near = self.nearby(vanishing, self.best - wrong) if wrong < self.best else None
            if near is not None and wrong + near.mistakes < self.best:
                self.best = wrong + near.mistakes
                self.found = Candidate(self.best, self.exact.moved([side * value for value in v], near.w, signs != 0))
        return len(vanishing)

    def nearby(self, vanishing: Places, below: int) -> Candidate | None:
        """The fewest mistakes among rows that vanish on a ray, if less than `below`."""
        rows = [self.rows[row] for row in vanishing]
        if len(rows) == self.dimension - 1:
            return Candidate(0, _separating_weights(rows) if rows else [0] * self.dimension) if below > 0 else None
        key = vanishing.tobytes()
        tried, found = self.known.get(key, (0, None))
        if found is None and tried < below:
            found = search_great_circles(rows, self.weights[vanishing], below, self.clock)
            self.known[key] = (below, found)
        return found


def _separating_weights(rows: Sequence[IntVector]) -> IntVector:
    """A w with row.w > 0 for every one of some independent rows.

    >>> _separating_weights([[1, 2, 0], [1, 3, 0]])
    [1, 0, 0]
    """
    columns = independent_columns(rows)
    parts = solve_independent([[row[column] for row in rows] for column in columns], [1] * len(rows))
    assert parts is not None, "independent rows can have any margins"
    w = [Fraction(0)] * len(rows[0])
    for column, part in zip(columns, parts, strict=True):
        w[column] = part
    return primitive_vector(w)


class _IntegerMargins:
    """Margins of whole rows without rounding, in machine numbers where they are short enough."""

    def __init__(self, rows: list[IntVector]) -> None:
        self._long: Any = np.array(rows, dtype=object).reshape(len(rows), -1)
        self._room = 62 - max(max(map(abs, row)).bit_length() for row in rows) - len(rows[0]).bit_length()
        self._short = self._long.astype(np.int64) if self._room > 0 else None

    def margins(self, w: IntVector) -> Any:
        if self._short is not None and max(map(abs, w)).bit_length() <= self._room:
            return self._short @ np.array(w, dtype=np.int64)
        return self._long @ np.array(w, dtype=object)

    def signs(self, w: IntVector) -> npt.NDArray[np.int8]:
        margins = self.margins(w)
        return np.asarray((margins > 0).astype(np.int8) - (margins < 0).astype(np.int8))

    def moved(self, v: IntVector, step: IntVector, keep: npt.NDArray[np.bool_]) -> IntVector:
        """v moved towards a step so little that rows to keep stay on their side."""
        if not any(step):
            return v
        if not keep.any():
            return primitive_vector(step)
        heights = [abs(int(value)) for value in self.margins(v)[keep]]
        falls = [abs(int(value)) for value in self.margins(step)[keep]]
        times = max(fall // height for fall, height in zip(falls, heights, strict=True)) + 1
        return primitive_vector([times * value + move for value, move in zip(v, step, strict=True)])


def _guiding_direction(floats: Floats, weights: Weights) -> Floats:
    """A direction in which few rows are negative: the fewer, the sooner clashes are found around these."""
    least: Any = np.linalg.lstsq(floats, np.ones(len(floats)), rcond=None)[0]
    starts: list[Floats] = [start for start in (least, floats.T @ weights) if np.any(start)]
    return np.ascontiguousarray(search_circles_at_random(floats, weights, starts, GUIDE_STEPS, 0, Clock(None)))


def _condition_rows(rows: list[IntVector]) -> tuple[Floats, float]:
    """The rows as floats of length 1 in coordinates that suit them, and how far off they may be."""
    floats = scale_rows(rows).floats
    glass = whitening_matrix(floats)
    for matrix in (glass, np.eye(floats.shape[1])):
        seen = floats @ matrix
        lengths = np.linalg.norm(seen, axis=1)
        doubt = (floats.shape[1] + 8) * FLOAT_EPSILON * np.linalg.norm(np.abs(floats) @ np.abs(matrix), axis=1)
        with np.errstate(divide="ignore"):
            error = float((doubt / lengths).max())
        if error < MAX_ROW_ERROR:
            break
    return np.ascontiguousarray(seen / lengths[:, None]), error
