"""The likelihood of several classes together, relative to one of them: the base, whose coefficients are 0.

Each other class has a block of coefficients. A case is a row with a rival of its class: the row's chance grows with the
score of its class minus that of the rival (Kesler's construction). A case that is certain in the limit leaves its row
without that rival.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..engine.class_problems import whole_problem
from ..foundation.matrices import as_rows
from ..foundation.types import Floats, Mask
from ..solvers.separation_check import kesler_pairs, kesler_rows
from .held_coefficients import HeldCoefficients
from .held_joint import HeldJoint, HeldJointJeffreys
from .likelihood import Cases, Likelihood

FEW_ROWS = 10  # a coefficient: iris, with 15, takes 1.6 s instead of 8.1
START_ERRORS = 3.0  # of 22 ends of small designs that lay inside a lower minimum, these starts found 17


@dataclass
class JointLikelihood(Likelihood):
    """Rows X with classes numbered from 0. The coordinates are those of all planes, then all intercepts."""

    classes: int = 3
    base: int = 0

    @property
    def size(self) -> int:
        return self.classes * (self.columns + 1)

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The coordinates of each class but the base."""
        width, last = self.columns, self.classes * self.columns
        others = [k for k in range(self.classes) if k != self.base]
        return [[*range(k * width, (k + 1) * width), last + k] for k in others]

    def cases(self) -> Cases:
        """Kesler's rows, every other one turned, because a problem has two classes."""
        rows = kesler_rows(self.X, self.codes, self.fit_intercept, self.base, self.classes)
        signs = np.where(np.arange(rows.shape[0]) % 2, 1, -1)
        return Cases(rows.multiply(signs[:, None]).tocsr(), signs)

    def _objective_of(self, cases: Mask) -> HeldCoefficients:
        if self.jeffreys or cases.all():
            every = np.ones(len(self.codes), np.bool_)
            return self._objective_of_rows(every, None)
        possible = np.zeros((len(self.codes), self.classes), np.bool_)
        rows, rivals = kesler_pairs(self.codes, self.classes)
        possible[rows[cases], rivals[cases]] = True
        some: Mask = np.asarray(possible.any(axis=1))
        some[0] |= not some.any()  # a row whose class is certain adds nothing, but an objective needs rows
        possible[np.arange(len(self.codes)), self.codes] = True
        return self._objective_of_rows(some, possible[some])

    def _objective_of_rows(self, some: Mask, possible: Mask | None) -> HeldCoefficients:
        X, codes = (self.X, self.codes) if some.all() else (self.X[some], self.codes[some])
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[some])
        given = as_rows(X), whole_problem(codes, self.classes), "logistic", math.inf, weights
        if self.jeffreys:
            return HeldJointJeffreys(*given, **self._settings, reference=self.base)
        return HeldJoint(*given, **self._settings, reference=self.base, possible=possible)

    def starts_near(self, z: Floats, place: int) -> list[Floats]:
        """z; with few rows, whose minima are more, also z with each other coefficient moved by some standard errors."""
        if len(self.codes) > FEW_ROWS * len(self.places):
            return [z]
        reach = START_ERRORS * np.sqrt(np.diag(self.covariance))
        moves = [np.eye(self.size)[other] * reach[other] for other in self.places if other != place]
        return [z, *(z + side * move for move in moves for side in (-1, 1))]

    def refuse_collinear(self) -> None:
        self._refuse_dependent(self._objective_of_rows(np.ones(len(self.codes), np.bool_), None))
