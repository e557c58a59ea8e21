"""Whether a few rows prove that no hyperplane is right on all of them: the question of a run that does not get on.

The answer is a proof in exact arithmetic or no answer. The work is bounded by counts, not by a clock, so that training
ends after the same epoch on every machine.
"""

from typing import Any

import numpy as np

from ...foundation.matrices import is_sparse
from ..exact.lifted_problem import make_problem
from ..exact.linear_algebra import PositiveDependence
from ..exact.problem import ExactProblem
from ..time_limit import Clock, OutOfTime
from .tucker_split import TuckerSplit, solve_gordan_outside

MAX_COLUMNS = 512  # exact sums of full floats take about 10 s then
MAX_STEPS = 64  # linear programs or pivots; 16 real tables and all sizes tried took 8 at most
MAX_EXPONENTS = 128  # binary digits between the smallest and the largest number; more make exact sums slow


class StepLimit(Clock):
    """A limit on steps in the place of a limit in seconds.

    >>> limit = StepLimit(1)
    >>> limit.check()
    >>> limit.check()
    Traceback (most recent call last):
        ...
    rosenblatt.prove.time_limit.OutOfTime
    """

    def __init__(self, steps: int) -> None:
        super().__init__(None)
        self._left = steps

    def check(self) -> None:
        if self._left == 0:
            raise OutOfTime
        self._left -= 1


def proves_overlap(X: Any, signs: Any, fit_intercept: bool) -> bool:
    """Whether it is proved that no hyperplane has every row strictly on its own side; False if that is not known.

    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> proves_overlap(np.array(X), np.array([-1, 1, 1, -1]), True), proves_overlap(np.array(X), [-1, 1, 1, 1], True)
    (True, False)
    """
    if X.shape[1] > MAX_COLUMNS or np.min(signs) == np.max(signs) or not _fits_exact_sums(X):
        return False
    return has_clash(make_problem(X, signs, fit_intercept, None, "identity"), StepLimit(MAX_STEPS))


def has_clash(problem: ExactProblem, clock: Clock) -> bool:
    """Whether some row is proved to be never strictly right. False if the limit is reached first."""
    state = TuckerSplit(inside=problem.zero_rows())
    if state.inside.any():
        return True
    try:
        return isinstance(solve_gordan_outside(problem, state, clock), PositiveDependence)
    except OutOfTime:
        return False


def _fits_exact_sums(X: Any) -> bool:
    numbers = np.abs(X.data if is_sparse(X) else X)
    numbers = numbers[numbers > 0]
    return not numbers.size or int(np.ptp(np.frexp([numbers.min(), numbers.max()])[1])) <= MAX_EXPONENTS
