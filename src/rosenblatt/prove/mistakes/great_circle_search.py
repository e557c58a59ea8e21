"""The fewest mistakes of all w, by an exhaustive search over the directions where the mistakes change.

Rows a_i in a space of D dimensions have integer weights. The mistakes of w are the rows with a_i . w <= 0. All w with
the same mistakes form an open cone. If the rows span the space, every such cone touches a ray: a direction v that is
orthogonal to D - 1 independent rows. Near v the other rows have the sign that they have at v. The rows T that are
orthogonal to v form a problem of D - 1 dimensions. So the fewest mistakes near v are the rows that are negative at v
plus the fewest mistakes of T. The minimum over all rays is the answer (Johnson and Preparata, 1978).

If the mistakes are few, branching is faster: every w makes a mistake in each clash, so one row of a clash is given up
in each branch (`core/prove/branches.hpp`). If there are too many branches, all rays are searched.

The core enumerates the rays in floats with known errors. It skips a ray if the rows that are surely negative there are
as many as the best known mistakes. Exact arithmetic decides the rays that it reports.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
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
from ..separability.gordan import solve_gordan
from ..separability.margin_program import scale_rows, whitening_matrix
from ..time_limit import Clock
from .local_search import search_circles_at_random

Weights = npt.NDArray[np.int32]
ProgressCallback = Callable[[float], None]
FLOAT_EPSILON = float(np.finfo(np.float64).eps)
MAX_ROW_ERROR = 1e-11  # of whitened rows; otherwise they are not whitened
GUIDE_STEPS = 10  # of the local search
ROWS_PER_SLICE = 4_000_000  # between two checks of the clock
BRANCHES_PER_SLICE = 256  # between two checks of the clock
MIN_BRANCHES = 1000  # before circles are searched
CIRCLES_PER_BRANCH = 200  # which take about as long as one branch


class Candidate(NamedTuple):
    """A w and the total weight of its mistakes."""

    mistakes: int
    w: IntVector


def count_circles(rows: int, dimension: int) -> int:
    """The number of great circles of an exhaustive search.

    >>> count_circles(306, 4), count_circles(100, 6), count_circles(7, 1)
    (46665, 3921225, 1)
    """
    return comb(rows, max(0, dimension - 2))


def search_great_circles(
    rows: Sequence[IntVector], weights: Weights, below: int, clock: Clock, watch: ProgressCallback | None = None
) -> Candidate | None:
    """The w with the fewest mistakes, if their weight is less than `below`; None if there is none.

    No row is 0, and no two rows have the same or the opposite direction.

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
        """The best w below the limit; None if there is none."""
        if self.best > 0:
            self.explore(None)
        return self.found

    def explore(self, basis: list[IntVector] | None) -> None:
        """Decide every ray in the span of a basis; None means the whole space."""
        size = self.dimension if basis is None else len(basis)
        if size == 1:
            self.decide([1] if basis is None else basis[0])
            return
        rows, places = self.rows_in_basis(basis)
        floats, error = _condition_rows(rows)
        weights = np.ascontiguousarray(self.weights[places])
        guide = _guiding_direction(floats, weights)
        if basis is None and self.branch(floats, guide, error):
            return
        circles = _core.Circles(floats, weights, guide, error)
        while not circles.done:
            self.clock.check()
            for ray in circles.advance(self.best, ROWS_PER_SLICE):
                self.clock.check()
                if self.decide_ray(
                    [rows[row] for row in ray.chosen], basis, len(ray.near) + len(self.rows) - len(rows)
                ):
                    circles.settle(ray.near)
            if basis is None:
                self.share = circles.share
            if self.watch is not None:
                self.watch(self.share)

    def rows_in_basis(self, basis: list[IntVector] | None) -> tuple[list[IntVector], list[int]]:
        """The rows that are not 0 in the coordinates of a basis, and their places."""
        if basis is None:
            return self.rows, list(range(len(self.rows)))
        rows = matrix_product(self.rows, [list(column) for column in zip(*basis, strict=True)])
        places = [place for place, row in enumerate(rows) if any(row)]
        return [rows[place] for place in places], places

    def decide_ray(self, chosen: list[IntVector], basis: list[IntVector] | None, expected: int) -> bool:
        """Decide the directions orthogonal to the chosen rows.

        Return whether there is one such direction, and as many rows as expected are orthogonal to it.
        """
        size = len(chosen[0])
        directions = null_space(chosen, size)
        if len(directions) > size - len(chosen):  # the chosen rows are dependent
            return False
        lifted = directions if basis is None else matrix_product(directions, basis)
        if len(lifted) == 1:
            return self.decide(lifted[0]) == expected
        self.explore(lifted)
        return False

    def branch(self, floats: Floats, guide: Floats, error: float) -> bool:
        """Search by branching; return whether that ended before it took as long as the circles."""
        branches = _core.Branches(floats, self.weights, guide, error)
        for _ in range(0, max(MIN_BRANCHES, count_circles(*floats.shape) // CIRCLES_PER_BRANCH), BRANCHES_PER_SLICE):
            self.clock.check()
            if branches.advance(self.best, BRANCHES_PER_SLICE) and not self.separate(branches.given_up):
                return False
            if branches.done:
                return True
        return False

    def separate(self, given_up: list[int]) -> bool:
        """Take a w that is right on all other rows; return whether there is one."""
        others = np.delete(np.arange(len(self.rows)), given_up)
        w = solve_gordan([self.rows[row] for row in others], self.clock) if len(others) else [1] * self.dimension
        if isinstance(w, PositiveDependence):
            return False
        mistakes = int(self.weights[self.exact.signs(w) <= 0].sum())
        self.best, self.found = mistakes, Candidate(mistakes, w)
        return True

    def decide(self, v: IntVector) -> int:
        """Take the best w near v or -v if it is better; return how many rows are orthogonal to v."""
        signs = self.exact.signs(v)
        vanishing = np.flatnonzero(signs == 0)
        for side in (1, -1):
            wrong = int(self.weights[signs == -side].sum())
            near = self.search_near_ray(vanishing, self.best - wrong) if wrong < self.best else None
            if near is not None and wrong + near.mistakes < self.best:
                self.best = wrong + near.mistakes
                self.found = Candidate(
                    self.best, self.exact.move_towards([side * value for value in v], near.w, signs != 0)
                )
        return len(vanishing)

    def search_near_ray(self, vanishing: Places, below: int) -> Candidate | None:
        """The w with the fewest mistakes among the rows orthogonal to a ray, if they weigh less than `below`."""
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
    """A w with row.w > 0 for every row, for independent rows.

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
    """Exact margins of integer rows, in machine integers if they are short enough."""

    def __init__(self, rows: list[IntVector]) -> None:
        self._long: Any = np.array(rows, dtype=object).reshape(len(rows), -1)
        self._room = 62 - max(max(map(abs, row)).bit_length() for row in rows) - len(rows[0]).bit_length()

    @cached_property
    def _short(self) -> npt.NDArray[np.int64]:
        return np.asarray(self._long, dtype=np.int64)

    def margins(self, w: IntVector) -> Any:
        if max(map(abs, w)).bit_length() <= self._room:
            return self._short @ np.array(w, dtype=np.int64)
        return self._long @ np.array(w, dtype=object)

    def signs(self, w: IntVector) -> npt.NDArray[np.int8]:
        margins = self.margins(w)
        return np.asarray((margins > 0).astype(np.int8) - (margins < 0).astype(np.int8))

    def move_towards(self, v: IntVector, step: IntVector, keep: npt.NDArray[np.bool_]) -> IntVector:
        """Move v towards a step, so little that the rows to keep stay on their side."""
        if not any(step):
            return v
        if not keep.any():
            return primitive_vector(step)
        heights = [abs(int(value)) for value in self.margins(v)[keep]]
        falls = [abs(int(value)) for value in self.margins(step)[keep]]
        times = max(fall // height for fall, height in zip(falls, heights, strict=True)) + 1
        return primitive_vector([times * value + move for value, move in zip(v, step, strict=True)])


def _guiding_direction(floats: Floats, weights: Weights) -> Floats:
    """A direction with few negative rows. The fewer, the sooner the core finds clashes."""
    least: Any = np.linalg.lstsq(floats, np.ones(len(floats)), rcond=None)[0]
    starts: list[Floats] = [start for start in (least, floats.T @ weights) if np.any(start)]
    return np.ascontiguousarray(search_circles_at_random(floats, weights, starts, GUIDE_STEPS, 0, Clock(None)))


def _condition_rows(rows: list[IntVector]) -> tuple[Floats, float]:
    """The rows as floats of length 1 in well-conditioned coordinates, and a bound on their errors."""
    floats = scale_rows(rows).floats
    whitened = whitening_matrix(floats)
    for matrix in (whitened, np.eye(floats.shape[1])):
        seen = floats @ matrix
        lengths = np.linalg.norm(seen, axis=1)
        doubt = (floats.shape[1] + 8) * FLOAT_EPSILON * np.linalg.norm(np.abs(floats) @ np.abs(matrix), axis=1)
        with np.errstate(divide="ignore"):
            error = float((doubt / lengths).max())
        if error < MAX_ROW_ERROR:
            break
    return np.ascontiguousarray(seen / lengths[:, None]), error
