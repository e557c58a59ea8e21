"""The fewest mistakes that any hyperplane makes: an upper bound from a hyperplane, a lower bound from proofs."""

from typing import Any

from ...parts.parameter_checks import check_positive
from ..exact.lifted_problem import make_problem
from ..time_limit import Clock
from .fewest_mistakes_result import FewestMistakes
from .hyperplane_search import HyperplaneSearch, ProgressPrinter


def minimum_mistakes(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = 60.0,
    *,
    classes: Any = None,
    features: Any = "identity",
    verbose: int = 0,
) -> FewestMistakes:
    """The least number of rows that any hyperplane gets wrong, y (w.x + b) <= 0, or bounds on it.

    The problem is NP-hard if the columns are many. The upper bound comes from a local search over hyperplanes. The
    lower bound comes from clashes: sets of rows that no hyperplane classifies correctly all at once. Clashes that share
    no row add up, and clashes that overlap count by shares, at most 1 a row in all. For few rows and columns an
    exhaustive search makes the two bounds equal. Otherwise both bounds improve until the time is up.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix, rows by columns, finite numbers
    y : labels, one a row, of two classes
    fit_intercept : whether the hyperplane may miss the origin
    time_limit : seconds, at least 0, after which the bounds found so far are returned; None means no limit. 0 returns
        the trivial bounds: all rows of one class wrong, and 0
    classes : two labels, the negative and the positive one; rows of other labels are left out. (None, a) is a against
        all others
    features : "polynomial-2", for example, asks about hyperplanes in the space of all products of up to 2 columns, each
        product without rounding
    verbose : 1 prints the bounds to stderr every two seconds

    >>> result = minimum_mistakes([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> result.mistakes, result.proved, result.clashes[0].rows
    (1, True, (0, 1, 2, 3))
    """
    if time_limit is not None:
        check_positive("time_limit", time_limit, or_zero=True)
    clock, progress = Clock(time_limit), ProgressPrinter(verbose)
    search = HyperplaneSearch(make_problem(X, y, fit_intercept, classes, features), clock, progress)
    if time_limit != 0:
        search.run()
    return search.result()
