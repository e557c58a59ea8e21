"""The C at which the first weight leaves 0: where the path of an l1 penalty begins.

With all weights 0 and the offsets best for that, let g_j be the derivative of sum_i s_i loss_i by the weight of
column j.
All weights stay 0 as long as C |g_j| <= r for every column, where r is the share of ||w||_1 in the penalty. The hinge
has many derivatives there, because all rows of the larger class lie on its corner; `first_hinge_weight.py` finds the
one that counts.
"""

import numpy as np

from ... import _core
from ...engine.class_problems import class_problems
from ...foundation.types import Codes, Floats
from ..objective import Objective
from .elastic_net_objective import ElasticNetObjective
from .first_hinge_weight import hinge_slopes

NO_SLOPE = 1e-13  # of the largest slope that so large values and pulls could give
LP_SLOPE = 1e-9  # the same of a linear program's solution
ROUNDING = 1e-9  # of sums over the rows; the C returned lies below the exact one by so much


def first_weight_C(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    objective: Objective,
    joint: bool,
    weights: Floats | None,
    threads: int,
) -> float:
    """The largest C at which all weights are 0; 1 where no column has a slope, because then no C moves a weight.

    >>> from rosenblatt.foundation.matrices import as_rows
    >>> rows, codes = as_rows([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1], np.int32)
    >>> round(first_weight_C(rows, codes, 2, Objective("logistic", l1_ratio=1.0), False, None, 1), 6)
    0.5
    """
    steepest = 0.0
    for problem in class_problems(codes, classes, joint):
        net = ElasticNetObjective(
            rows,
            problem,
            objective.loss,
            np.inf,
            weights,
            bool(objective.penalize_intercept),
            objective.offset_value,
            threads,
        )
        slopes = _hinge_slopes(net) if net.loss == "hinge" else _slopes(net)
        steepest = max(steepest, float((slopes if net.penalize_offset else slopes[: -net.planes]).max(initial=0.0)))
    return objective.l1_ratio * (1 - ROUNDING) / steepest if steepest > 0 else 1.0


def _slopes(net: ElasticNetObjective) -> Floats:
    """The sizes of the derivatives of the losses by the weights, at weights 0."""
    iterate = net.at(net.constant_weights())
    return _without_rounding(net, net.gradient(iterate), net.total_pull(iterate))


def _hinge_slopes(net: ElasticNetObjective) -> Floats:
    slopes, pull = hinge_slopes(net)
    return _without_rounding(net, slopes, pull, LP_SLOPE)


def _without_rounding(net: ElasticNetObjective, slopes: Floats, pull: float, least: float = NO_SLOPE) -> Floats:
    """The sizes of slopes, 0 where rounding explains them: those of constant columns beside a free offset."""
    largest = np.concatenate([np.tile(net.largest_values(), net.planes), np.full(net.planes, abs(net.offset_value))])
    return np.where(np.abs(slopes) > least * pull * largest, np.abs(slopes), 0.0)
