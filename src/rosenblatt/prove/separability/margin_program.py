"""Proposals for a few rows in floating point: the linear program max t, row.z >= t, |z_j| <= 1, by HiGHS.

Nothing here is a proof. t > 0 suggests that z separates the rows; t = 0 suggests that the rows with a price clash. If
rounding hides the difference, iterative refinement helps: the program is solved again with the exact margins so far,
magnified, as right-hand sides. Each round adds `BITS_PER_REFINEMENT` bits to z.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import highspy
import numpy as np
from flint import fmpq, fmpq_mat

from ...foundation.types import Floats
from ..exact.linear_algebra import IntVector, dot, primitive_vector, to_fraction
from ..time_limit import Clock
from .linear_program import NO_INDICES, new_highs, nonzero_arrays, run_highs

BITS_PER_REFINEMENT = 20
BIT_LENGTHS = (8, 16, 30, 50)  # of a rounded z; the shortest that works is taken
MIN_RELATIVE_SINGULAR_VALUE = 1e-10  # of a whitening; smaller ones are rounding errors
MAX_MAGNIFIED_MARGIN = 1e6  # larger ones are clipped


class ScaledRows(NamedTuple):
    """Rows as floats between -1 and 1, and the exponents of two that scale the integer rows and columns to them.

    Those of rows are below 0, and those of columns at least 0.
    """

    floats: Floats
    rows: list[int]
    columns: list[int]


class MarginSolution(NamedTuple):
    """The solution z and t, the tight rows, and the bound of each column (-1 or 1; 0 in columns of zeros; None: free).

    `priced` are the rows whose price is not 0. If t = 0, they have a positive dependence.
    """

    z: Floats
    t: float
    tight: list[int]
    bounds: list[int | None]
    priced: list[int]


def scale_rows(rows: Sequence[IntVector]) -> ScaledRows:
    """Scale rows, then columns, then rows again, by powers of two.

    >>> scale_rows([[4, 0], [0, 10**400]]).floats.round(2).tolist()
    [[0.5, 0.0], [0.0, 0.85]]
    """
    by_row = [-max(abs(value) for value in row).bit_length() for row in rows]
    height = [
        [abs(value).bit_length() + up if value else None for value in row] for row, up in zip(rows, by_row, strict=True)
    ]
    tops = [[value for value in column if value is not None] for column in zip(*height, strict=True)]
    by_column = [-max(column, default=0) for column in tops]
    again = [-max(value + up for value, up in zip(row, by_column, strict=True) if value is not None) for row in height]
    final = [first + second for first, second in zip(by_row, again, strict=True)]
    floats = [
        [_shift_to_float(value, up + by_column[j]) for j, value in enumerate(row)]
        for row, up in zip(rows, final, strict=True)
    ]
    return ScaledRows(np.array(floats), final, by_column)


def _shift_to_float(value: int, exponent: int) -> float:
    return (value << max(exponent, 0)) / (1 << max(-exponent, 0))


class MarginProgram:
    """The linear program of some rows. More rows can join, and HiGHS continues from its last basis."""

    def __init__(self, columns: int, clock: Clock) -> None:
        self._clock = clock
        self._used = np.zeros(columns, dtype=np.bool_)
        self._highs = new_highs()
        zeros = np.zeros(columns)
        self._highs.addCols(columns, zeros, zeros, zeros, 0, NO_INDICES, NO_INDICES, np.array([]))
        self._highs.addCol(1.0, -highspy.kHighsInf, highspy.kHighsInf, 0, NO_INDICES, np.array([]))
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def add(self, floats: Floats, margins: Floats | None = None) -> None:
        """Add rows. Columns that are 0 in all rows so far keep z = 0."""
        for column in np.flatnonzero(floats.any(axis=0) & ~self._used).tolist():
            self._highs.changeColBounds(column, -1.0, 1.0)
            self._used[column] = True
        rows = len(floats)
        least = np.zeros(rows) if margins is None else -margins
        full = np.hstack([floats, -np.ones((rows, 1))])
        self._highs.addRows(rows, least, np.full(rows, highspy.kHighsInf), *nonzero_arrays(full))

    def solve(self) -> MarginSolution | None:
        """The optimum; None if HiGHS finds none."""
        if not run_highs(self._highs, self._clock):
            return None
        basis, solution = self._highs.getBasis(), self._highs.getSolution()
        values, prices = np.array(solution.col_value), np.abs(solution.row_dual)
        tight = [row for row, status in enumerate(basis.row_status) if status != highspy.HighsBasisStatus.kBasic]
        sides = {highspy.HighsBasisStatus.kLower: -1, highspy.HighsBasisStatus.kUpper: 1}
        bounds = [sides.get(status) if used else 0 for status, used in zip(basis.col_status, self._used, strict=False)]
        pulling = np.flatnonzero(prices > 1e-9 * prices.max(initial=0.0)).tolist()
        return MarginSolution(values[:-1], float(values[-1]), tight, bounds, pulling)


def solve_margin_program(scaled: ScaledRows, clock: Clock, margins: Floats | None = None) -> MarginSolution | None:
    """Solve the linear program, with the magnified margins of an earlier z if given; None if HiGHS fails."""
    program = MarginProgram(scaled.floats.shape[1], clock)
    program.add(scaled.floats, margins)
    return program.solve()


def round_solution(proposal: MarginSolution, bits: int) -> IntVector:
    """The proposed z times 2^bits, rounded to integers."""
    return [round(value * 2.0**bits) for value in proposal.z.tolist()]


def shorten_solution(z: Floats, floats: Floats) -> IntVector:
    """A multiple of z in integers, with the fewest bits that keep half of the least margin of these rows."""
    z = z / np.abs(z).max()
    enough = (floats @ z).min() / 2
    for bits in BIT_LENGTHS:
        whole = np.rint(np.ldexp(z, bits))
        if (floats @ np.ldexp(whole, -bits) > enough).all():
            break
    return [int(value) for value in whole.tolist()]


def integer_whitening(scaled: ScaledRows) -> list[IntVector] | None:
    """A whitening matrix of the integer rows, in integers; None if the rows do not nearly share a plane."""
    sizes = np.linalg.svd(scaled.floats, compute_uv=False)
    if len(sizes) < scaled.floats.shape[1] or sizes[-1] > 1e-3 * sizes[0]:
        return None
    glass = whitening_matrix(scaled.floats, least=1e-16)
    glass = np.rint(np.ldexp(glass / np.abs(glass).max(axis=0), 52))
    least = min(scaled.columns)
    return [[int(value) << (up - least) for value in row] for row, up in zip(glass, scaled.columns, strict=True)]


def whitening_matrix(floats: Floats, least: float = MIN_RELATIVE_SINGULAR_VALUE) -> Floats:
    """A matrix that scales all directions to the same size, so that rows that nearly share a plane become distinct.

    Rows that are all 0, because their numbers underflow, stay 0.

    >>> flat = np.array([[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]])
    >>> np.abs(np.linalg.svd(flat @ whitening_matrix(flat))[1]).round(6).tolist()
    [1.0, 1.0]
    """
    _, sizes, directions = np.linalg.svd(floats, full_matrices=False)
    return np.asarray(directions.T / (np.maximum(sizes, least * sizes[0]) if sizes[0] > 0 else 1.0))


def divide_by_largest(rows: Floats) -> Floats:
    """Divide each row by its largest absolute value."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    return np.asarray(rows / np.where(largest > 0, largest, 1.0)[:, None])


def magnified_margins(rows: Sequence[IntVector], scaled: ScaledRows, z: IntVector) -> Floats:
    """The exact margins of an integer z, rounded to floats: those of z / 2^bits, magnified by 2^bits."""
    least = min(scaled.columns)
    point = [value << (up - least) for value, up in zip(z, scaled.columns, strict=True)]
    margins = [_shift_to_float(dot(row, point), up + least) for row, up in zip(rows, scaled.rows, strict=True)]
    return np.clip(margins, -MAX_MAGNIFIED_MARGIN, MAX_MAGNIFIED_MARGIN)


def unscale_solution(z: Sequence[Any], scaled: ScaledRows) -> IntVector:
    """Convert a z of the scaled rows to an integer vector for the rows themselves."""
    return primitive_vector([to_fraction(fmpq(value) * (1 << up)) for value, up in zip(z, scaled.columns, strict=True)])


def exact_vertex(rows: Sequence[IntVector], scaled: ScaledRows, proposal: MarginSolution) -> IntVector | None:
    """The exact z that the tight rows and bounds determine; None if they determine none."""
    free = [column for column, side in enumerate(proposal.bounds) if side is None]
    if len(proposal.tight) != len(free) + 1:
        return None
    left, right = [], []
    for row in proposal.tight:
        terms = [value << up for value, up in zip(rows[row], scaled.columns, strict=True)]
        left.append([terms[column] for column in free] + [-1 << -scaled.rows[row]])
        right.append([-sum(term * side for term, side in zip(terms, proposal.bounds, strict=True) if side)])
    try:
        answer = fmpq_mat(left).solve(fmpq_mat(right))
    except ZeroDivisionError:
        return None
    z = [fmpq(side or 0) for side in proposal.bounds]
    for place, column in enumerate(free):
        z[column] = answer[place, 0]
    return unscale_solution(z, scaled)
