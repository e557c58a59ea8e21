"""What floating point believes about a few rows: the linear programme max t, row.z >= t, |z_j| <= 1, by HiGHS.

Nothing here is trusted. t > 0 suggests that z separates; t = 0 that the rows which hold z back clash. Where rounding
blurs the two, the programme is solved again around its solution under a glass: the margins so far, exact and magnified,
are the right-hand sides, and each round adds `BITS` to z (iterative refinement).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import highspy
import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat

from .clock import Clock
from .exact import Whole, dot, fraction, primitive

Floats = npt.NDArray[np.float64]
BITS = 20
OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
FAR = 1e6  # magnified margins beyond this are out of reach of a round


class Scaling(NamedTuple):
    """Rows as floats between -1 and 1, and the powers of two that made them so from whole numbers."""

    floats: Floats
    rows: list[int]
    columns: list[int]


class Proposal(NamedTuple):
    """The solution, the rows that hold it back, and the bounds that do (-1 or 1; 0 in columns of zeros; None: free)."""

    z: Floats
    t: float
    tight: list[int]
    bounds: list[int | None]


def scaling(rows: Sequence[Whole]) -> Scaling:
    """Scale rows, then columns, then rows again, by powers of two.

    >>> scaling([[4, 0], [0, 10**400]]).floats.round(2).tolist()
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
        [_shifted(value, up + by_column[j]) for j, value in enumerate(row)] for row, up in zip(rows, final, strict=True)
    ]
    return Scaling(np.array(floats), final, by_column)


def _shifted(value: int, exponent: int) -> float:
    return float(value << exponent) if exponent >= 0 else value / (1 << -exponent)


def propose(scaled: Scaling, clock: Clock, margins: Floats | None = None) -> Proposal | None:
    """Solve the linear programme, from the magnified margins of an earlier z if given; None if HiGHS does not."""
    rows = len(scaled.floats)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in OPTIONS.items():
        highs.setOptionValue(option, value)
    if np.isfinite(clock.left()):
        highs.setOptionValue("time_limit", clock.left())
    highs.passModel(_programme(scaled.floats, np.zeros(rows) if margins is None else margins))
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis = highs.getBasis()
    values = np.array(highs.getSolution().col_value)
    tight = [row for row, status in enumerate(basis.row_status) if status != highspy.HighsBasisStatus.kBasic]
    sides = {highspy.HighsBasisStatus.kLower: -1, highspy.HighsBasisStatus.kUpper: 1}
    used = (scaled.floats != 0).sum(axis=0)
    bounds = [sides.get(status) if any_used else 0 for status, any_used in zip(basis.col_status, used, strict=False)]
    return Proposal(values[:-1], float(values[-1]), tight, bounds)


def _programme(floats: Floats, margins: Floats) -> Any:
    rows, columns = floats.shape
    programme = highspy.HighsLp()
    programme.num_col_, programme.num_row_ = columns + 1, rows
    programme.col_cost_ = np.append(np.zeros(columns), 1.0)
    limit = floats.any(axis=0).astype(np.float64)
    programme.col_lower_ = np.append(-limit, -highspy.kHighsInf)
    programme.col_upper_ = np.append(limit, highspy.kHighsInf)
    programme.row_lower_, programme.row_upper_ = -margins, np.full(rows, highspy.kHighsInf)
    programme.sense_ = highspy.ObjSense.kMaximize
    full = np.hstack([floats, -np.ones((rows, 1))])
    where = full != 0
    programme.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    programme.a_matrix_.start_ = np.append(0, np.cumsum(where.sum(axis=1))).astype(np.int32)
    programme.a_matrix_.index_ = np.nonzero(where)[1].astype(np.int32)
    programme.a_matrix_.value_ = full[where]
    return programme


def rounded(proposal: Proposal, bits: int) -> Whole:
    """The proposed z times 2^bits, in whole numbers."""
    return [round(value * 2.0**bits) for value in proposal.z.tolist()]


def magnified(rows: Sequence[Whole], scaled: Scaling, z: Whole) -> Floats:
    """The exact margins of a whole z, rounded to floats: those of z / 2^bits under a glass of 2^bits."""
    least = min(scaled.columns)
    point = [value << (up - least) for value, up in zip(z, scaled.columns, strict=True)]
    margins = [_shifted(dot(row, point), up + least) for row, up in zip(rows, scaled.rows, strict=True)]
    return np.clip(margins, -FAR, FAR)


def unscaled(z: Sequence[Any], scaled: Scaling) -> Whole:
    """A z of the scaled rows as a whole vector for the rows themselves."""
    return primitive([fraction(fmpq(value) * _power(up)) for value, up in zip(z, scaled.columns, strict=True)])


def basic_point(rows: Sequence[Whole], scaled: Scaling, proposal: Proposal) -> Whole | None:
    """The z that the tight rows and bounds determine, without rounding; None if they determine none."""
    free = [column for column, side in enumerate(proposal.bounds) if side is None]
    if len(proposal.tight) != len(free) + 1:
        return None
    left, right = [], []
    for row in proposal.tight:
        terms = [value * _power(up) for value, up in zip(rows[row], scaled.columns, strict=True)]
        left.append([terms[column] for column in free] + [-_power(-scaled.rows[row])])
        right.append([-sum((term * side for term, side in zip(terms, proposal.bounds, strict=True) if side), fmpq(0))])
    try:
        answer = fmpq_mat(left).solve(fmpq_mat(right))
    except ZeroDivisionError:
        return None
    z = [fmpq(side or 0) for side in proposal.bounds]
    for place, column in enumerate(free):
        z[column] = answer[place, 0]
    return unscaled(z, scaled)


def _power(exponent: int) -> Any:
    return fmpq(1 << exponent) if exponent >= 0 else fmpq(1, 1 << -exponent)
