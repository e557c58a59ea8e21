"""The objective of several classes together with some coefficients held, relative to a class whose plane is 0.

Without a penalty, classes may be certain to be wrong for a row in the limit, while others are not. They are no rivals
of the row any more: its probabilities are those among the classes that are left.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from ..foundation.types import Floats, Mask
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.joint_information import JointInformation
from ..solvers.newton.joint_jeffreys_objective import JointJeffreysIterate, JointJeffreysObjective
from .held_coefficients import HeldCoefficients


@dataclass
class HeldJoint(HeldCoefficients, JointInformation):
    """Several classes without a penalty. `possible` are the classes that are left for each row; None if all are."""

    possible: Mask | None = None

    def gradient(self, iterate: Iterate) -> Floats:
        """The gradient by the planes that move."""
        gradient, moving = super().gradient(iterate), np.zeros(self.size)
        moving[self._places] = gradient[self._places]
        return moving

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        if self.possible is None:
            return super().slopes(scores, pull, curvature)
        codes, every = self.labels.codes, np.arange(self.count)
        left = np.where(self.possible, scores.reshape(-1, self.planes), -np.inf)
        total = logsumexp(left, axis=1)
        p, losses = np.exp(left - total[:, None]), total - left[every, codes]
        own = np.zeros_like(p)
        own[every, codes] = 1.0
        curvature[:], pull[:] = p.ravel(), self._weighted_rows(own - p).ravel()
        return float(losses.sum() if self.weights is None else losses @ self.weights)

    def curvature_ratio(self, now: Iterate, before: Iterate) -> float:
        """The least factor by which a probability that is not 0 has changed."""
        some = before.curvature > 0
        return float((now.curvature[some] / before.curvature[some]).min(initial=np.inf))

    def information_inverse(self, iterate: Iterate) -> Floats:
        return self.information(iterate.curvature.reshape(-1, self.planes)).inverse

    def covariance(self, iterate: Iterate) -> Floats:
        return self._placed(super().covariance(iterate))


@dataclass
class HeldJointJeffreys(HeldJoint, JointJeffreysObjective):
    """The same with Jeffreys' penalty, whose information is that of all coefficients."""

    def information_inverse(self, iterate: Iterate) -> Floats:
        assert isinstance(iterate, JointJeffreysIterate)
        return iterate.information.inverse

    @property
    def may_have_several_minima(self) -> bool:
        return self.uses_whole_hessian
