"""A lower bound of the objective with an l1 penalty, from the dual.

Rows have shares a_i: for one plane how hard row i pushes, for joint classes the probabilities that the weights give it.
With q = C' sum_i s_i a_i y_i x_i every choice of shares is a lower bound of every objective,

    D(a) = C' sum_i s_i h(a_i) - 1/2 sum_j max(0, |q_j| - l1)^2,

where h is the entropy for the logistic loss, a - a^2 / 4 for the squared hinge and a <= 1 itself for the hinge. Where
there is no square in the penalty |q_j| must not exceed l1, and smaller shares see to that. Where the offset is free the
shares of both classes must balance. None of this depends on how the shares were found.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats
from ..joint_hinge_proof import balance_shares
from ..newton.iterate import Iterate
from .elastic_net_objective import ElasticNetObjective

# s_i a_i y_i of all rows, and sum_i s_i h(t a_i) as a function of t
Shares = tuple[Floats, Callable[[float], float]]


def lower_bound(objective: ElasticNetObjective, iterate: Iterate, gradient: Callable[[], Floats]) -> float:
    """The dual value of the shares that an iterate suggests, made feasible. The gradient is that of the iterate.

    Shares that need no balance pull at the weights as the losses do, so that their q is known by the gradient.
    """
    shares = _one_plane_shares if objective.planes == 1 else _joint_shares
    pull, conjugate = shares(objective, iterate)
    if objective.planes == 1 and not _is_free(objective):
        q = objective.ridge * iterate.z - gradient()
    else:
        q = np.empty(objective.size)
        _core.transpose_product(objective.problem, pull, q)
        objective.passes += 1
        q *= objective.factor
    penalised = np.abs(q if objective.penalize_offset else q[: -objective.planes])
    if objective.unpenalised:
        largest = float(penalised.max(initial=0.0))
        return objective.factor * conjugate(min(1.0, objective.l1 / largest) if largest else 1.0)
    beyond = np.maximum(penalised - objective.l1, 0.0)
    return objective.factor * conjugate(1.0) - 0.5 * _core.dot(beyond, beyond)


def _row_weights(objective: ElasticNetObjective) -> Floats:
    return objective.weights if objective.weights is not None else np.ones(objective.count)


def _is_free(objective: ElasticNetObjective) -> bool:
    return bool(objective.offset_value) and not objective.penalize_offset


# One plane


def _one_plane_shares(objective: ElasticNetObjective, iterate: Iterate) -> Shares:
    signs, weights = objective.labels.signs, _row_weights(objective)
    assert signs is not None
    shares = np.divide(np.abs(iterate.pull), weights, out=np.zeros(objective.count), where=weights > 0)
    if _is_free(objective):
        shares *= balancing_factors(weights * shares, signs > 0)
    value = CONJUGATES[objective.loss]

    def conjugate(part: float) -> float:
        return float((weights * value(part * shares)).sum())

    return weights * shares * signs, conjugate


def balancing_factors(pulls: Floats, positive: npt.NDArray[np.bool_]) -> Floats:
    """Factors of at most 1 that make the pulls of both classes add up to the same.

    >>> balancing_factors(np.array([1.0, 3.0, 2.0]), np.array([True, True, False])).tolist()
    [0.5, 0.5, 1.0]
    """
    of_positive, of_negative = float(pulls[positive].sum()), float(pulls[~positive].sum())
    least = min(of_positive, of_negative)
    factors: Floats = np.where(positive, least / of_positive if least else 0.0, least / of_negative if least else 0.0)
    return factors


def binary_entropy(a: Floats) -> Floats:
    """-a log a - (1 - a) log(1 - a), 0 at both ends.

    >>> binary_entropy(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.6931, 0.0]
    """
    return entropy_terms(a) + entropy_terms(1 - a)


def squared_hinge_conjugate(a: Floats) -> Floats:
    """The least value of max(0, 1 - m)^2 + a m over all margins m."""
    value: Floats = a - 0.25 * a * a
    return value


CONJUGATES: dict[str, Callable[[Floats], Floats]] = {
    "logistic": binary_entropy,
    "squared-hinge": squared_hinge_conjugate,
    "hinge": np.positive,  # the least value of max(0, 1 - m) + a m is a, for 0 <= a <= 1
}


def entropy_terms(p: Floats) -> Floats:
    """-p log p, 0 at 0."""
    logarithms = np.log(p, out=np.zeros_like(p), where=p > 0)
    terms: Floats = 0.0 - p * logarithms
    return terms


# Joint classes


def _joint_shares(objective: ElasticNetObjective, iterate: Iterate) -> Shares:
    codes, weights = objective.labels.codes, _row_weights(objective)
    assert codes is not None
    shares, rows = iterate.curvature.reshape(-1, objective.planes), np.arange(objective.count)
    if _is_free(objective):
        shares = balance_shares(shares, codes, weights)
    pull = -shares * weights[:, None]
    pull[rows, codes] += weights

    def conjugate(part: float) -> float:
        mixed = part * shares
        mixed[rows, codes] += 1 - part
        return float((weights * entropy_terms(mixed).sum(axis=1)).sum())

    return pull.ravel(), conjugate
