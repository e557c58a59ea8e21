"""The widest margin: the hyperplane, a lower bound on its margin, and an upper bound on every margin.

Floating point finds the nearest points of the hulls of the two classes (`nearest_points.py`) from the hard rows only,
and passes over all rows choose the hard ones. Both bounds count every rounding. If they are too far apart, exact
arithmetic solves the problem again for the support rows (`exact_margin.py`).
"""

from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats, Places
from ...parts.features import as_features
from ...parts.parameter_checks import check_positive
from ..exact.hyperplane import Hyperplane
from ..separability.separability import separability
from ..time_limit import Clock, OutOfTime
from .class_hulls import HALF_ULP, ClassHulls, sample_hard_rows
from .exact_margin import exact_margin, pair_weights
from .margin_bounds import Proposal, balance_weights
from .nearest_points import MAX_DIRECT_SIZE, one_thread, solve_nearest_points
from .widest_margin import MaxMargin, Support, no_margin

MAX_GAP = 1e-6
GAP_IN_FLOATS = 2.5e-7  # of a few rows, and of all rows beyond these: both together are below MAX_GAP
MIN_SAFE_SIZE, MAX_SAFE_SIZE = 1e-100, 1e100  # sizes between which no square leaves the range of floats
MAX_PASSES = 60
FIRST_TOLERANCE, TOLERANCE_SHRINKAGE = (
    0.1,
    30.0,
)  # gaps that are small enough for the first rows and, as a share, later
UNDECIDED = "Undecided: the time limit ran out."


def max_margin(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
    features: Any = "identity",
) -> MaxMargin:
    """The separating hyperplane with the largest margin, and bounds that prove how good it is.

    The margin of a hyperplane is the smallest y_i (w.x_i + b) / ||w||. The largest margin is half the distance between
    the convex hulls of the two classes; without an intercept, the distance of the origin from the hull of the y_i x_i.
    The hyperplane proves that the largest margin is at least `margin`. The weights of the support rows give two points
    of the hulls, whose distance proves that it is at most `upper`. The bounds differ by less than one in a million.

    Parameters
    ----------
    X : array or SciPy sparse matrix, rows by columns, finite numbers
    y : labels, one a row; the second of the sorted classes is the positive one
    fit_intercept : whether the hyperplane may miss the origin
    time_limit : seconds, above 0, after which the bounds may be further apart; None means no limit
    classes : two labels, the negative and the positive one; rows of other labels are left out
    features : "polynomial-2", for example, asks about the margin in the lifted space. The lifted rows are rounded to
        floats, as in training, and are kept in memory

    >>> best = max_margin([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> round(best.margin, 6), best.support.rows.tolist(), best.support.weights.round(6).tolist()
    (1.414214, [0, 2], [1.0, 1.0])
    >>> bool(max_margin([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))  # exclusive or
    False
    """
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    clock, X = Clock(time_limit), as_features(features).transform(X)
    hulls = ClassHulls(X, y, fit_intercept, classes)
    found = None
    try:
        proposal = _solve_in_floats(hulls, clock)
        if proposal is not None:
            found = _prove_bounds(hulls, proposal)
        if found is not None and found.gap < MAX_GAP:
            return found
        if found is None:
            clock.check()
            verdict = separability(X, y, fit_intercept, clock.seconds_left() if time_limit else None, classes=classes)
            if verdict.kind != "complete":
                return no_margin(verdict.explain(), np.inf if verdict.kind == "undecided" else 0.0)
        return exact_margin(hulls, pair_weights(hulls, proposal.alpha) if proposal else {}, clock)
    except OutOfTime:
        return found or no_margin(UNDECIDED, np.inf)


# Proposals in floating point


def _solve_in_floats(hulls: ClassHulls, clock: Clock) -> Proposal | None:
    """Weights of all rows and a direction; None if floats cannot hold the squares."""
    if not MIN_SAFE_SIZE < hulls.largest < MAX_SAFE_SIZE:
        return None
    with np.errstate(all="ignore"), one_thread():
        count, columns = hulls.X.shape
        if columns > MAX_DIRECT_SIZE:
            return solve_nearest_points(hulls.signed_rows(np.arange(count), None), hulls.sides, MAX_GAP / 2, clock)
        return _solve_growing_set(hulls, clock)


def _solve_growing_set(hulls: ClassHulls, clock: Clock) -> Proposal:
    """Solve for a few hard rows, pass over all rows, and add the rows that are nearer, until there are none."""
    count, columns = hulls.X.shape
    few = 100 + 4 * columns
    most = count if count < 3 * few else few
    centre = None if is_sparse(hulls.X) or hulls.sides is None else hulls.X.mean(axis=0, dtype=np.float64)
    w = _mean_direction(hulls)
    chosen = hulls.hard_rows(hulls.labels * hulls.scores(w), most)
    alpha, known, aim = np.zeros(count), None, FIRST_TOLERANCE if most < count else GAP_IN_FLOATS
    for _ in range(MAX_PASSES):
        rows = hulls.signed_rows(chosen, centre)
        sides = None if hulls.sides is None else hulls.sides[chosen]
        start = known and Proposal(alpha[chosen], w, known.gap, known.sigma)
        known = solve_nearest_points(rows, sides, aim, clock, start)
        w, alpha = known.w, np.zeros(count)
        alpha[chosen] = known.alpha
        if not known.gap < 1 or len(chosen) == count:
            break
        margins = hulls.labels * hulls.scores(w)
        held = _least_margins(margins[chosen], sides)
        lacking = np.where(hulls.labels == 1, held[1], held[0]) - margins
        margin = abs(sum(held)) / 2
        nearer = np.flatnonzero(lacking > GAP_IN_FLOATS * margin)
        if not len(nearer) and aim <= GAP_IN_FLOATS:
            break
        gap = lacking.max() / margin + known.gap
        aim = min(aim, max(GAP_IN_FLOATS, gap / TOLERANCE_SHRINKAGE))
        chosen = np.union1d(chosen[known.alpha > 0], sample_hard_rows(-lacking, nearer, len(chosen)))
    return Proposal(alpha, w, known.gap if known else np.inf)


def _least_margins(margins: Floats, sides: Floats | None) -> tuple[float, float]:
    """The smallest margin of each class, without the offset."""
    if sides is None:
        return float(margins.min()), float(margins.min())
    return float(margins[sides == -1].min()), float(margins[sides == 1].min())


def _mean_direction(hulls: ClassHulls) -> Floats:
    """Half the difference of the class means; without an intercept, the mean of the y_i x_i."""
    weights = balance_weights(np.ones(len(hulls.labels)), hulls.sides)
    return np.asarray(hulls.X.T @ (hulls.labels * weights), dtype=np.float64)


# Bounds with every rounding counted


def _prove_bounds(hulls: ClassHulls, proposal: Proposal) -> MaxMargin | None:
    """The bounds that a proposal proves; None if its hyperplane does not surely separate the rows."""
    with np.errstate(all="ignore"):
        radius = hulls.radius()
        size = float(np.linalg.norm(proposal.w))
        if not 0 < size < np.inf:
            return None
        w = np.asarray(proposal.w / size)
        offset, lower = _lower_bound(hulls, w, radius)
        support = np.flatnonzero(proposal.alpha)
        upper = _upper_bound(hulls, support, proposal.alpha[support], radius)
    if not (lower > 0 and upper < np.inf):
        return None
    plane = Hyperplane(tuple(map(Fraction, w.tolist())), Fraction(offset))
    factor = 1 if hulls.sides is None else 2
    named = Support(hulls.numbers[support], factor * proposal.alpha[support])
    return MaxMargin(plane, lower, max(lower, upper), named)


def _lower_bound(hulls: ClassHulls, w: Floats, radius: float) -> tuple[float, float]:
    """The best offset for w, and a lower bound on the margin of w with that offset.

    A sum of k products, in any order, has an error of at most k half units of the sum of their sizes, which is at most
    ||w|| ||x||. Underflow adds far less than the other 4 units: the largest number is above 1e-100.
    """
    size = float(np.linalg.norm(w)) * (1 + (len(w) + 4) * HALF_ULP)
    error = (hulls.terms + 4) * 1.01 * HALF_ULP * size * radius
    scores = hulls.scores(w)
    offset = 0.0
    if hulls.sides is not None:
        offset = -(float(scores[hulls.sides == 1].min()) + float(scores[hulls.sides == -1].max())) / 2
    least = float((hulls.labels * (scores + offset)).min())
    error += 2 * HALF_ULP * (abs(offset) + abs(least))
    return offset, (least - error) / size * (1 - 8 * HALF_ULP)


def _upper_bound(hulls: ClassHulls, rows: Places, alpha: Floats, radius: float) -> float:
    """An upper bound on every margin: the norm of the weighted sum of the signed rows, rounded up.

    The error of the sum is a few units in the last place of the largest norm of a row for each row, and a few more are
    far above what underflow adds to rows whose largest number is near 1. If the sums of the
    weights are not exact, the point moves by at most the difference times the largest norm.
    """
    if not (alpha > 0).all():
        return np.inf
    signed = hulls.signed_rows(rows, None)
    scale = float(np.ldexp(1.0, int(np.frexp(hulls.largest)[1])))
    point = np.asarray(signed.T @ alpha).ravel()
    error = (2.1 * (len(rows) + 8) * HALF_ULP + _weight_sum_error(hulls, rows, alpha)) * radius
    return (float(np.linalg.norm(point)) * scale * (1 + (len(point) + 8) * HALF_ULP) + error) * (1 + 8 * HALF_ULP)


def _weight_sum_error(hulls: ClassHulls, rows: Places, alpha: Floats) -> float:
    """How far the sums of the weights are from their targets: 1, or 1/2 for each class."""
    if hulls.sides is None:
        return abs(fsum(alpha) - 1.0)
    return sum(abs(fsum(alpha[hulls.sides[rows] == side]) - 0.5) for side in (1, -1))
