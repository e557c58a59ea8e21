"""The weights at which the quadratic model of an objective with an l1 penalty is least.

The Hessian is computed where it is small. For sparse rows with many columns in the working set it would be larger than
the rows: then coordinate descent reads their columns instead, a sweep over those of weights that are not 0 after the
other, with Anderson's extrapolation. It ends once a sweep gains a thousandth of all before, because the next step has
another model.
"""

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from ..newton.iterate import Iterate
from .elastic_net_objective import ElasticNetObjective

ROUNDS = 200  # of sweeps on a Hessian
SWEEPS, SHARE = 1000, 1e-3  # over columns


def least_of_model(part: ElasticNetObjective, iterate: Iterate, z: Floats, gradient: Floats, accuracy: float) -> Floats:
    """The weights of these columns where g.(u - z) + 1/2 (u - z).H (u - z) + l1 ||u||_1 is least.

    The iterate tells the curvature of the rows. On a Hessian no move of one weight promises more than `accuracy`.
    """
    if part.by_columns:
        return _by_columns(part, iterate, z, gradient)
    penalty, u = part.l1_weights, z.copy()
    for group, hessian in part.models(iterate):
        if not np.isfinite(np.diagonal(hessian)).all():
            raise TooLarge
        values, slopes = u[group], gradient[group]
        _core.minimise_l1(hessian, penalty[group], accuracy, ROUNDS, values, slopes)
        u[group] = values
    return u


def _by_columns(part: ElasticNetObjective, iterate: Iterate, z: Floats, gradient: Floats) -> Floats:
    u, bend = z.copy(), part.factor * iterate.curvature
    _core.minimise_l1_by_columns(part.problem, bend, gradient, part.ridge, part.l1_weights, SHARE, SWEEPS, u)
    return u
