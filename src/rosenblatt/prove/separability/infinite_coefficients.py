"""Which coefficients of a logistic regression without a penalty are infinite, in exact arithmetic.

Let a_i be the signed rows, S and T their split (Tucker). The likelihood rises along every direction d with a_i . d > 0
on S and = 0 on T. These directions are an open cone in the space N of all d that are 0 on T. For coefficient j there
are three cases. If d_j = 0 on all of N, the rows of T determine a finite estimate. If d_j has one sign on the whole
cone, the estimate is infinite with that sign. Otherwise the likelihood comes as near to its supremum with any value of
the coefficient, and the rows say nothing about it. The cone has a d with d_j < 0 exactly where one more row -e_j is in
S, so Tucker's split decides this, too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse
from ...foundation.types import Mask
from ..exact.linear_algebra import null_space
from ..exact.problem import ExactProblem
from ..time_limit import Clock, OutOfTime
from .tucker_split import TuckerSplit, split_rows

FINITE, PLUS, MINUS, ANY = "finite", "+inf", "-inf", "any"


@dataclass(frozen=True)
class CoefficientLimits:
    """What happens to each coefficient as the likelihood rises: "finite", "+inf", "-inf" or "any" value.

    The intercept, if there is one, is the last coefficient. `certain` is a mask of the rows whose probability tends
    to 1, which are those of S.
    """

    kinds: list[str]
    certain: Mask

    @property
    def separated(self) -> bool:
        return bool(self.certain.any())


def infinite_coefficients(
    X: Any, y: Any, fit_intercept: bool = True, time_limit: float | None = None
) -> CoefficientLimits:
    """Decide for each coefficient whether its estimate without a penalty is finite. `y` has two classes.

    `OutOfTime` is raised after a time limit in seconds.

    >>> infinite_coefficients([[100001.0], [100002.0], [100003.0], [100004.0]], [0, 0, 1, 1]).kinds
    ['+inf', '-inf']
    >>> infinite_coefficients([[1.0], [2.0 + 1e-9], [2.0], [4.0]], [0, 0, 1, 1]).kinds
    ['finite', 'finite']
    >>> infinite_coefficients([[0.0, 3.0], [0.0, 4.0], [0.0, 5.0], [1.0, 4.0]], [0, 1, 0, 1]).kinds
    ['+inf', 'finite', 'finite']
    """
    rows, signs = with_constant(X) if fit_intercept else X, np.asarray(y)
    signs = np.where(signs == np.max(signs), 1, -1)
    clock = Clock(time_limit)
    problem = ExactProblem(rows, signs, False)
    state = _whole_split(problem, clock)
    assert state.w is not None
    if state.inside.all():
        return CoefficientLimits([FINITE] * problem.size, ~state.inside)
    normals = null_space([problem.integer_row(row) for row in state.multipliers], problem.size)
    kinds = []
    for place, weight in enumerate(state.w):
        if not any(normal[place] for normal in normals):
            kinds.append(FINITE)
        elif weight == 0 or _can_turn(rows, signs, place, -1 if weight > 0 else 1, clock):
            kinds.append(ANY)
        else:
            kinds.append(PLUS if weight > 0 else MINUS)
    return CoefficientLimits(kinds, ~state.inside)


def certain_rows(X: Any, signs: Any, time_limit: float | None = None) -> Mask:
    """A mask of the rows whose probability tends to 1: those of S, through the origin."""
    if np.shape(X)[1] == 0:
        return np.zeros(len(signs), np.bool_)
    return ~_whole_split(ExactProblem(X, signs, False), Clock(time_limit)).inside


def _whole_split(problem: ExactProblem, clock: Clock) -> TuckerSplit:
    state = split_rows(problem, clock)
    if state.w is None:
        raise OutOfTime
    return state


def _can_turn(rows: Any, signs: npt.NDArray[Any], place: int, sign: int, clock: Clock) -> bool:
    """Whether the likelihood also rises along some direction whose coefficient has this sign."""
    unit = np.zeros((1, np.shape(rows)[1]))
    unit[0, place] = sign
    state = _whole_split(ExactProblem(append_rows(rows, unit), np.append(signs, 1), False), clock)
    return not state.inside[-1]


def with_constant(X: Any) -> Any:
    """X with a column of ones after the others."""
    if is_sparse(X):
        from scipy import sparse

        return sparse.hstack([X, np.ones((X.shape[0], 1))]).tocsr()
    return np.column_stack([np.asarray(X, dtype=np.float64), np.ones(np.shape(X)[0])])


def append_rows(X: Any, below: npt.NDArray[Any]) -> Any:
    """X with rows below it."""
    if is_sparse(X):
        from scipy import sparse

        return sparse.vstack([X, below]).tocsr()
    return np.vstack([X, below])
