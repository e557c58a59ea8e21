"""Which end of a penalised profile interval is right, decided by the profile itself.

An end is right if twice the rise of the objective, minimised over all other coefficients, is the quantile of
chi-squared there. The objective and its minimum are computed here by NumPy and SciPy, by small steps from the estimate
and from several starts: the penalised profile of a small sample may have more than one minimum.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.stats import chi2

QUANTILE = float(chi2.ppf(0.95, 1))
RIGHT = 1e-5  # the largest difference of a deviance from the quantile
MOVED = 1e-6  # the least difference of ends, relative to 1, that is looked at
STEPS = 25  # of a walk along the profile
OTHER_STARTS = 30


@dataclass(frozen=True)
class PenalisedProfile:
    """The objective of Firth's logistic regression with one coefficient held; columns of X include the constant."""

    X: Any
    signs: Any

    def objective(self, z: Any) -> tuple[float, Any]:
        """sum_i log(1 + exp(-m_i)) - 1/2 log det A, and its gradient."""
        scores = self.X @ z
        p = 0.5 * (1 + np.tanh(0.5 * scores))
        w = p * (1 - p)
        root = self.X * np.sqrt(w)[:, None]
        A = root.T @ root
        sign, log_determinant = np.linalg.slogdet(A)
        if sign <= 0 or not np.isfinite(log_determinant):
            return np.inf, np.zeros(len(z))
        leverage = np.einsum("ij,ij->i", root @ np.linalg.inv(A), root)
        value = np.logaddexp(0, -self.signs * scores).sum() - 0.5 * log_determinant
        return float(value), self.X.T @ (p - (self.signs > 0) + leverage * (p - 0.5))

    def minimum(self, start: Any, place: int, value: float) -> tuple[float, Any]:
        """A local minimum with one coefficient held, and where it is."""
        free, z = np.delete(np.arange(len(start)), place), start.copy()
        z[place] = value

        def of_free(part: Any) -> tuple[float, Any]:
            z[free] = part
            found, gradient = self.objective(z)
            return found, gradient[free]

        found = minimize(of_free, start[free], jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
        z[free] = found.x
        return float(found.fun), z

    def walk(self, best: Any, place: int, value: float) -> float:
        """The minimum that small steps from the estimate to this value lead to."""
        z, least = best, np.inf
        for now in np.linspace(best[place], value, STEPS + 1)[1:]:
            least, z = self.minimum(z, place, float(now))
        return least

    def deviances(self, best: Any, place: int, value: float) -> Any:
        """Twice the rise at this value of all minima found: by a walk from the estimate, and from other starts."""
        dice = np.random.default_rng(0)
        starts = [best, np.zeros(len(best)), *(best * dice.normal(size=(OTHER_STARTS, len(best))))]
        found = [self.walk(best, place, value), *(self.minimum(start, place, value)[0] for start in starts)]
        return 2 * (np.array(found) - self.objective(best)[0])


@dataclass
class Judgement:
    """Ends that differ between two programs, by the lowest minimum that is known at each.

    It is the quantile at an end that is right. If it is lower, the interval is too short for certain; if it is higher,
    the program may know a lower minimum than this search.
    """

    ends: int = 0
    several_minima: int = 0
    ours_right: int = 0
    ours_too_short: int = 0
    theirs_right: int = 0
    theirs_too_short: int = 0

    def add(self, other: "Judgement") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def judge_ends(X: Any, y: Any, best: Any, ours: Any, theirs: Any) -> Judgement:
    """Judge the ends that differ. Coefficients are in the order of X, the constant last."""
    profile = PenalisedProfile(np.column_stack([X, np.ones(len(X))]), 2 * np.asarray(y) - 1)
    found = Judgement()
    for place, side in np.ndindex(np.asarray(ours).shape):
        end, other = float(ours[place][side]), float(theirs[place][side])
        if abs(end - other) <= MOVED * max(1, abs(end)):
            continue
        at_ours, at_theirs = (profile.deviances(best, place, value) for value in (end, other))
        found.ends += 1
        found.several_minima += bool(max(np.ptp(at_ours), np.ptp(at_theirs)) > RIGHT)
        found.ours_right += bool(abs(at_ours.min() - QUANTILE) <= RIGHT)
        found.ours_too_short += bool(at_ours.min() < QUANTILE - RIGHT)
        found.theirs_right += bool(abs(at_theirs.min() - QUANTILE) <= RIGHT)
        found.theirs_too_short += bool(at_theirs.min() < QUANTILE - RIGHT)
    return found
