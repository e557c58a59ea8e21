"""The objective of a logistic regression as a function of some coefficients, with the others held at given values.

Newton's method leaves a coordinate alone whose gradient and Hessian are 0, so a held coefficient needs no other solver.
"""

import numpy as np

from .. import _core
from ..foundation.types import Floats, Places
from ..solvers.newton.hessian import MIN_PIVOT, inverse_hessian
from ..solvers.newton.information import Information
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.jeffreys_objective import NONE_HELD, PASSES_PER_EVALUATION, JeffreysIterate, JeffreysObjective
from ..solvers.newton.newton import NewtonResult, minimise_smooth
from ..solvers.newton.rows_objective import RowsObjective
from ..solvers.newton.smooth_objective import Inverse

HELD_TOL = 1e-8  # of the gradient; the objective is then known to about the square of it
MAX_STEPS = 200
END_SCORE_TOL = 1e-10  # of half the squared score of the other coefficients, in units of their covariance
MAX_END_STEPS = 40
PROFILE_WORK = 1 << 25  # rows times pairs of coordinates: searches for one coefficient that take about 100 ms
MAX_NORM = 1e-6  # of the gradient where rounding allows no less


class HeldCoefficients(RowsObjective):
    """Some coordinates of z are held. What is left has an optimum, which the caller makes sure of."""

    places: Places
    values: Floats

    @property
    def bounds_weights(self) -> bool:
        return True

    @property
    def computes_hessian(self) -> bool:
        return True

    def at_zero(self) -> Iterate:
        z = np.zeros(self.size)
        z[self.places] = self.values
        return self.at(z)

    def gradient(self, iterate: Iterate) -> Floats:
        gradient = super().gradient(iterate)
        gradient[self.places] = 0.0
        return gradient

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        matrix = super().hessian_matrix(iterate)
        matrix[self.places] = 0.0
        matrix[:, self.places] = 0.0
        return matrix

    def known_inverse(self, iterate: Iterate) -> Inverse | None:
        """The inverse of the Hessian's block of the other coordinates, from the inverse of the whole Hessian."""
        inverse = super().known_inverse(iterate)
        return inverse if inverse is None else _without_places(inverse, self.places, self.size)

    def unheld_gradient(self, z: Floats) -> Floats:
        """The gradient by all coordinates."""
        self.places = NONE_HELD
        return self.gradient(self.at(z))

    def information_inverse(self, iterate: Iterate) -> Floats:
        """L^-1 for the information A = L L^T of the likelihood."""
        return Information(self.loss_matrix(iterate.curvature)).inverse

    def covariance(self, iterate: Iterate) -> Floats:
        """The inverse of the information."""
        inverse = self.information_inverse(iterate)
        return inverse.T @ inverse

    @property
    def may_have_several_minima(self) -> bool:
        """Whether one minimum for held values may not be the lowest."""
        return False

    def minimum(self, places: Places, values: Floats, start: Floats | None = None) -> NewtonResult:
        """The least objective with z[places] = values. `start` are weights to begin at if they are better than 0."""
        self.places, self.values = places, values
        if start is not None:
            start = start.copy()
            start[places] = values
        return minimise_smooth(self, start, HELD_TOL, MAX_STEPS, lambda *_: None, None)

    def response(self, iterate: Iterate, place: int) -> Floats:
        """How all coordinates change with one that moves, as the others follow to their minimum."""
        self.places = np.array([place])
        column = RowsObjective.hessian_product(self, iterate, np.eye(self.size)[place], self.take_buffer())
        column[place] = 0.0
        change = inverse_hessian(self, iterate)(-column)
        change[place] = 1.0
        return change


def converged(found: NewtonResult) -> bool:
    """Whether a minimum was found, to the tolerance or as near as rounding allows."""
    return found.reason == "gradient" or found.relative_norm <= MAX_NORM


def _without_places(inverse: Inverse, places: Places, size: int) -> Inverse:
    """The inverse of the block of H that leaves these coordinates out, eliminated one after the other from H^-1."""
    for place in places:
        inverse = _without(inverse, place, size)
    return inverse


def _without(inverse: Inverse, place: int, size: int) -> Inverse:
    unit = np.zeros(size)
    unit[place] = 1.0
    column = inverse(unit)
    column /= column[place]

    def of_others(b: Floats) -> Floats:
        x = inverse(b)
        x -= x[place] * column
        x[place] = 0.0
        return x

    return of_others


class HeldJeffreys(HeldCoefficients, JeffreysObjective):
    """The same with Jeffreys' penalty, whose information is that of all coefficients."""

    @property
    def held(self) -> Places:
        return self.places

    def information_inverse(self, iterate: Iterate) -> Floats:
        assert isinstance(iterate, JeffreysIterate)
        return iterate.inverse

    @property
    def may_have_several_minima(self) -> bool:
        return self.uses_whole_hessian

    def at_zero(self) -> Iterate:
        """The iterate of weights 0 is known, where the held coefficients are 0, too."""
        return JeffreysObjective.at_zero(self) if not self.values.any() else super().at_zero()

    def profiles(self, best: Iterate, places: Places, target: float, level_tol: float) -> Floats:
        """For each place the ends of its interval and the least objective without it, by the core; NaN where it fails.

        Threads divide the coefficients among them, or each pass where it takes long. Ctrl-C is heard between calls.
        """
        assert isinstance(best, JeffreysIterate)
        self.places = NONE_HELD
        gradient, found = self.gradient(best), np.empty((len(places), 3))
        at_once = PROFILE_WORK // (self.count * self.size**2)
        threads = self.threads if at_once else 1
        step = threads * max(1, at_once)
        for begin in range(0, len(places), step):
            found[begin : begin + step], evaluations = _core.jeffreys_profiles(
                self.problem,
                self._largest_log_determinant,
                MIN_PIVOT,
                best.value,
                best.z,
                gradient,
                best.inverse,
                places[begin : begin + step],
                target,
                self._zero.value,
                level_tol,
                END_SCORE_TOL,
                MAX_END_STEPS,
                threads,
            )
            self.passes += PASSES_PER_EVALUATION * evaluations
        return found
