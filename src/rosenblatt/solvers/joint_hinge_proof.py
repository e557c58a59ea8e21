"""The proof of the joint hinge: primal and dual value from the rows."""

import numpy as np

from .. import _core
from ..foundation.types import Codes, Floats
from .hinge_newton import HingeProof
from .newton.joint_hinge_objective import JointHinge


class JointHingeProof(HingeProof):
    """See `joint_hinge.py`."""

    objective: JointHinge

    @property
    def best_offsets(self) -> Floats:
        """The same. A constant added to all of them changes nothing where they are free."""
        offsets = super().best_offsets
        return offsets if self.objective.penalize_offset else offsets - offsets.mean()

    def compare(self, z: Floats, shares: Floats) -> None:
        objective, planes = self.objective, self.objective.planes
        offsets = z[-planes:] * objective.offset_value
        loss = float(_core.inspect(objective.problem, z[:-planes].reshape(planes, -1), offsets)[2])
        objective.passes += 1
        primal = objective.factor * loss + objective.penalty(z)
        if primal < self.primal:
            self.primal, self.best = primal, z.copy()
        self.dual = max(self.dual, self._dual_value(shares.reshape(-1, planes)))

    def _dual_value(self, shares: Floats) -> float:
        """The dual value of shares, made feasible and scaled as is best."""
        objective, factor = self.objective, self.objective.factor
        codes, weights = objective.labels.codes, objective.weights
        assert codes is not None
        weights = np.ones(len(codes)) if weights is None else weights
        if objective.offset_value and not objective.penalize_offset:
            shares = balance_shares(shares, codes, weights)
        pull, rows = -shares * weights[:, None], np.arange(len(codes))
        pull[rows, codes] += weights
        out = np.empty(objective.size)
        _core.transpose_product(objective.problem, pull.ravel(), out)
        objective.passes += 1
        sum_, square = factor * float(pull[rows, codes].sum()), factor**2 * _core.dot(objective.ridge * out, out)
        share = min(1.0, sum_ / square) if square > 0 else 1.0
        return share * sum_ - 0.5 * share * share * square


def balance_shares(shares: Floats, codes: Codes, weights: Floats) -> Floats:
    """The shares changed a little, so that every class has as much of the rows as it has rows.

    Classes with too much give up the same part of each share, and those with too little divide that among them.

    >>> shares = np.array([[0.6, 0.4, 0.0], [0.0, 0.5, 0.5], [0.2, 0.0, 0.8]])
    >>> balance_shares(shares, np.arange(3), np.ones(3)).sum(axis=0).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    held = weights @ shares
    excess = held - np.bincount(codes, weights, minlength=shares.shape[1])
    parts = np.divide(np.maximum(excess, 0.0), held, out=np.zeros_like(held), where=held > 0)
    missing = np.maximum(-excess, 0.0)
    if not missing.any():
        return shares
    given: Floats = shares * parts
    taken: Floats = given.sum(axis=1, keepdims=True) * (missing / missing.sum())
    return shares - given + taken
