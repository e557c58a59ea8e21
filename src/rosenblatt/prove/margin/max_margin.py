"""The widest margin: the hyperplane, a margin that it attains, and one that no hyperplane exceeds.

Floating point looks for the nearest points of the hulls (`nearest.py`) among the hard rows only; all rows are looked at
in streamed passes. Both bounds count every rounding. Where that leaves more than the gap allowed, the rows in question
are gone through again in exact arithmetic (`wolfe.py`).
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
from .margin_bounds import Proposal
from .nearest_points import MAX_DIRECT_SIZE, one_thread, solve_nearest_points
from .widest_margin import MaxMargin, Support, no_margin

MAX_GAP = 1e-6
MIN_SAFE_SIZE, MAX_SAFE_SIZE = 1e-100, 1e100  # sizes between which no square leaves the range of floats
MAX_PASSES = 60
FIRST_TOLERANCE, TOLERANCE_SHRINKAGE = (
    0.1,
    30.0,
)  # the gap that is enough for the first rows; later, that of all rows over 30
UNDECIDED = "Undecided: the time limit came first."


def max_margin(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
    features: Any = "identity",
) -> MaxMargin:
    """The hyperplane that keeps all rows as far away as can be, with a proof of how good it is.

    The margin of a hyperplane is the least of y_i (w.x_i + b) / ||w||. The largest is half the distance of the hulls
    of the two classes; through the origin, the distance of the origin from the hull of the y_i x_i. So the
    hyperplane shows that the margin is at least `margin`, and the points of the hulls that the weights of the support
    rows name show that it is at most `upper`. They differ by less than one in a million.

    Parameters
    ----------
    X : array or SciPy sparse matrix, rows by columns, finite numbers
    y : labels, one a row; the second of the sorted classes is the positive one
    fit_intercept : whether the hyperplane may miss the origin
    time_limit : seconds, above 0, after which the bounds may be further apart; None never gives up
    classes : two labels, the negative and the positive one; rows of other labels are left out
    features : "polynomial-2" or so: the margin in the lifted space, of the rows as training sees them, rounded to
        floats; they are written out for it

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
        if found and found.gap < MAX_GAP:
            return found
        if not found:
            clock.check()
            verdict = separability(X, y, fit_intercept, clock.seconds_left() if time_limit else None, classes=classes)
            if verdict.kind != "complete":
                return no_margin(verdict.explain(), np.inf if verdict.kind == "undecided" else 0.0)
        return exact_margin(hulls, pair_weights(hulls, proposal.alpha) if proposal else {}, clock)
    except OutOfTime:
        return found or no_margin(UNDECIDED, np.inf)


# Floating point proposes


def _solve_in_floats(hulls: ClassHulls, clock: Clock) -> Proposal | None:
    """Weights of all rows and a direction; None where floats cannot tell."""
    if not MIN_SAFE_SIZE < hulls.largest < MAX_SAFE_SIZE:
        return None
    with np.errstate(all="ignore"), one_thread():
        count, columns = hulls.X.shape
        if columns > MAX_DIRECT_SIZE:
            return solve_nearest_points(hulls.signed(np.arange(count), None), hulls.sides, MAX_GAP / 2, clock)
        return _solve_growing_set(hulls, clock)


def _solve_growing_set(hulls: ClassHulls, clock: Clock) -> Proposal:
    """Solve for a few hard rows, look at all, let the rows join that are nearer than those, until none is."""
    count, columns = hulls.X.shape
    few = 100 + 4 * columns
    most = count if count < 3 * few else few
    centre = None if is_sparse(hulls.X) or hulls.sides is None else hulls.X.mean(axis=0, dtype=np.float64)
    w = _mean_direction(hulls)
    chosen = hulls.hard_rows(hulls.labels * hulls.scores(w), most)
    alpha, known, aim = np.zeros(count), None, FIRST_TOLERANCE if most < count else MAX_GAP / 4
    for _ in range(MAX_PASSES):
        rows = hulls.signed(chosen, centre)
        sides = None if hulls.sides is None else hulls.sides[chosen]
        start = known and Proposal(alpha[chosen], w, known.gap, known.sigma)
        known = solve_nearest_points(rows, sides, aim, clock, start)
        w, alpha = known.w, np.zeros(count)
        alpha[chosen] = known.alpha
        if not known.gap < 1 or len(chosen) == count:
            break
        margins = hulls.labels * hulls.scores(w)
        held = _least_margins(margins[chosen], sides)
        lacking = np.where(hulls.labels > 0, held[1], held[0]) - margins
        nearer = np.flatnonzero(lacking > MAX_GAP / 4 * abs(held[0] + held[1]) / 2)
        if not len(nearer) and aim <= MAX_GAP / 4:
            break
        gap = float(lacking.max()) / (abs(held[0] + held[1]) / 2 + 1e-300) + known.gap
        aim = min(aim, max(MAX_GAP / 4, gap / TOLERANCE_SHRINKAGE))
        chosen = np.union1d(chosen[known.alpha > 0], sample_hard_rows(-lacking, nearer, len(chosen)))
    return Proposal(alpha, w, known.gap if known else np.inf)


def _least_margins(margins: Floats, sides: Floats | None) -> tuple[float, float]:
    """The least margin of each class, before the offset."""
    if sides is None:
        return float(margins.min()), float(margins.min())
    return float(margins[sides < 0].min()), float(margins[sides > 0].min())


def _mean_direction(hulls: ClassHulls) -> Floats:
    """From the mean of one class to that of the other; through the origin, the mean of the y_i x_i."""
    weights = hulls.labels / len(hulls.labels)
    if hulls.sides is not None:
        weights = np.where(hulls.labels > 0, 1 / (hulls.labels > 0).sum(), -1 / (hulls.labels < 0).sum())
    return np.asarray(hulls.X.T @ weights, dtype=np.float64)


# Bounds that count every rounding


def _prove_bounds(hulls: ClassHulls, proposal: Proposal) -> MaxMargin:
    """The bounds that a proposal proves; false if its hyperplane separates nothing for sure."""
    with np.errstate(all="ignore"):
        radius = hulls.radius()
        size = float(np.linalg.norm(proposal.w))
        if not 0 < size < np.inf:
            return no_margin("", np.inf)
        w = np.asarray(proposal.w / size)
        offset, lower = _lower_bound(hulls, w, radius)
        support = np.flatnonzero(proposal.alpha)
        upper = _upper_bound(hulls, support, proposal.alpha[support], radius)
    if not (lower > 0 and upper < np.inf):
        return no_margin("", np.inf)
    plane = Hyperplane(tuple(map(Fraction, w.tolist())), Fraction(offset))
    factor = 1 if hulls.sides is None else 2
    named = Support(hulls.numbers[support], factor * proposal.alpha[support])
    return MaxMargin(plane, lower, max(lower, upper), named)


def _lower_bound(hulls: ClassHulls, w: Floats, radius: float) -> tuple[float, float]:
    """The best offset for w, and a margin that both surely attain.

    A sum of k products of numbers in any order is off by at most k half units of the sum of their sizes, which is at
    most ||w|| ||x||; numbers below 1e-308 are lost.
    """
    size = float(np.linalg.norm(w)) * (1 + (len(w) + 4) * HALF_ULP)
    error = (hulls.terms + 4) * 1.01 * HALF_ULP * size * radius + hulls.terms * 1e-300
    scores = hulls.scores(w)
    offset = 0.0
    if hulls.sides is not None:
        offset = -(float(scores[hulls.sides > 0].min()) + float(scores[hulls.sides < 0].max())) / 2
    least = float((hulls.labels * (scores + offset)).min())
    error += 2 * HALF_ULP * (abs(offset) + abs(least))
    return offset, (least - error) / size * (1 - 8 * HALF_ULP)


def _upper_bound(hulls: ClassHulls, rows: Places, alpha: Floats, radius: float) -> float:
    """At least the norm of the point that the weights stand for, divided by the sums of their classes.

    The point is off by at most so many units of the rows' norms; weights whose sums are not quite right stand for a
    point that is as much further off.
    """
    if not (alpha > 0).all():
        return np.inf
    signed = hulls.signed(rows, None)
    scale = float(np.ldexp(1.0, int(np.frexp(hulls.largest)[1])))
    point = np.asarray(signed.T @ alpha).reshape(-1)
    error = (2.1 * (len(rows) + 8) * HALF_ULP + _weight_sum_error(hulls, rows, alpha)) * radius + len(
        rows
    ) * scale * 1e-300
    return (float(np.linalg.norm(point)) * scale * (1 + (len(point) + 8) * HALF_ULP) + error) * (1 + 8 * HALF_ULP)


def _weight_sum_error(hulls: ClassHulls, rows: Places, alpha: Floats) -> float:
    """How far the sums of the weights are from those that they must have: 1, or 1/2 for each class."""
    if hulls.sides is None:
        return abs(fsum(alpha) - 1.0)
    return sum(abs(fsum(alpha[hulls.sides[rows] == side]) - 0.5) for side in (1, -1))
