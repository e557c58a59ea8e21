"""Profile-likelihood intervals: all values of a coefficient that a likelihood-ratio test does not reject.

An end is where the objective, minimised over all other coefficients, is half a quantile of chi-squared above its
minimum. Venzon and Moolgavkar (1988) find it by Newton steps on all coefficients at once. Where these fail, and where
the estimate is infinite, the end is found by steps along the profile itself, kept within a bracket. With Jeffreys'
penalty a small sample may have several minima for the same value of a coefficient. The lowest that is known decides.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..foundation.types import Floats
from ..prove.separability.infinite_coefficients import FINITE
from ..solvers.newton.hessian import CholeskyFactor
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.jeffreys_objective import NONE_HELD
from ..solvers.newton.smooth_objective import Inverse
from .held_coefficients import END_SCORE_TOL, MAX_END_STEPS, HeldCoefficients, HeldJeffreys, converged
from .likelihood import Likelihood

LEVEL_TOL = 1e-11  # of the level, relative to 1 plus the objective
MAX_DOUBLINGS = 200
MAX_MINIMA = 5  # that are lower than the one that a search followed
LOWER = 1e-9  # by how much another minimum must be, relative to 1 plus the objective
MIN_STEP = 1e-13  # along a profile, relative to the value; shorter ones are not tried
MAX_LOST = 1000  # minima along a profile that are not found: rounding hides them; near a fold hundreds are lost
ROOT_TOL = 1e-12  # of an end, relative to the distance that it is searched in

Profile = Callable[[float], tuple[float, float]]  # the objective's least value for a value, and its derivative


class LostProfile(ArithmeticError):
    """Rounding hides the minima along a profile."""


class KnownProfile(NamedTuple):
    """What the core has found of a coefficient's profile; NaN where it has not."""

    lower: float = math.nan
    upper: float = math.nan
    without: float = math.nan  # the least objective where the coefficient is 0


def known_profiles(likelihood: Likelihood, rise: float) -> dict[int, KnownProfile]:
    """The profiles that the core finds by itself: those with Jeffreys' penalty whose steps use the information."""
    objective = likelihood.objective
    if not is_profiled_by_core(objective):
        return {}
    assert isinstance(objective, HeldJeffreys)
    places, target = likelihood.places, likelihood.best.value + rise
    found = objective.profiles(likelihood.best, np.array(places), target, LEVEL_TOL * (1 + abs(target)))
    return {place: KnownProfile(*line) for place, line in zip(places, found.tolist(), strict=True)}


def is_profiled_by_core(objective: HeldCoefficients) -> bool:
    """Whether the core follows profiles; the whole Hessian, and no penalty, need more than it knows."""
    return isinstance(objective, HeldJeffreys) and not objective.uses_whole_hessian


def interval_end(likelihood: Likelihood, place: int, side: int, rise: float) -> float:
    """The end below (side -1) or above (+1) a finite estimate, where the objective is `rise` above its minimum."""
    best, objective = likelihood.best, likelihood.objective_without(np.array([place]))
    target, step = best.value + rise, side * math.sqrt(2 * rise * likelihood.covariance[place, place])
    tried = is_profiled_by_core(objective)
    end = None if tried else venzon_moolgavkar(objective, best.z, place, side, target)
    if end is None:
        end = search_end(profile_of(likelihood, place), float(best.z[place]), step, target)
    if objective.may_have_several_minima:
        end = _beyond_lower_minima(likelihood, place, end, step, target)
    return end


def _beyond_lower_minima(likelihood: Likelihood, place: int, end: float, step: float, target: float) -> float:
    """An end where no other minimum that is found lies below the target; from such a one the search goes on."""
    for _ in range(MAX_MINIMA):
        if not math.isfinite(end):
            return end
        lowest = _lowest_minimum(likelihood, place, end)
        if lowest is None or lowest.value >= target - LOWER * (1 + abs(target)):
            return end
        end = search_end(profile_of(likelihood, place, lowest), end, step, target)
    return end


def _lowest_minimum(likelihood: Likelihood, place: int, value: float) -> Iterate | None:
    """The lowest minimum with this value of a coefficient: from weights 0, the estimates, and where these lead to."""
    places, best = np.array([place]), likelihood.best
    objective = likelihood.objective_without(places)
    ahead = best.z + (value - float(best.z[place])) * objective.response(best, place)
    found = [
        objective.minimum(places, np.array([value]), start)
        for start in (None, best.z, *likelihood.starts_near(ahead, place))
    ]
    return min((one.iterate for one in found if converged(one)), key=lambda one: one.value, default=None)


def finite_end(likelihood: Likelihood, place: int, side: int, rise: float) -> float:
    """The only end of an interval whose estimate is infinite: on the side -1 of +inf, on the side +1 of -inf."""
    target, profile = likelihood.best.value + rise, profile_of(likelihood, place)
    step = 1 / max(likelihood_scale(likelihood, place), 1e-300)
    outside = profile(0.0)[0] > target  # then the end is on the way to the infinite estimate
    direction = -side if outside else side
    return search_end(profile, 0.0, direction * step, target)


def likelihood_scale(likelihood: Likelihood, place: int) -> float:
    """The largest absolute value of a column; 1 for the intercept."""
    column = likelihood.column_of(place)
    return 1.0 if column == likelihood.columns else float(abs(likelihood.X[:, [column]]).max())


def venzon_moolgavkar(objective: HeldCoefficients, z: Floats, place: int, side: int, target: float) -> float | None:
    """The coordinate where the objective is at its target and minimal in all others; None if steps do not converge.

    A step solves H d = -(g + multiplier e), with the gradient g, the unit vector e of the coordinate, and the
    multiplier that brings the quadratic model of the objective to its target.
    """
    objective.places, unit = NONE_HELD, np.zeros(objective.size)
    unit[place] = 1.0
    iterate = objective.at(z)
    for _ in range(MAX_END_STEPS):
        gradient = objective.gradient(iterate)
        inverse = _full_inverse(objective, iterate)
        if inverse is None:
            return None
        along, towards = inverse(gradient), inverse(unit)
        variance = float(towards[place])
        if not variance > 0:
            return None
        others = gradient - unit * (float(along[place]) / variance)  # the score with this coordinate profiled out
        missing = target - iterate.value
        if abs(missing) <= LEVEL_TOL * (1 + abs(target)) and float(others @ inverse(others)) <= 2 * END_SCORE_TOL:
            return float(iterate.z[place])
        square = (2 * missing + float(gradient @ along)) / variance
        if not square >= 0:
            return None
        iterate = objective.at(iterate.z - along + side * math.sqrt(square) * towards)
        if not math.isfinite(iterate.value):
            return None
    return None


def _full_inverse(objective: HeldCoefficients, iterate: Iterate) -> Inverse | None:
    """The inverse of the Hessian; None where it is singular, so that any score seems to be 0 in some direction."""
    known = objective.known_inverse(iterate)
    if known is not None:
        return known
    factor = CholeskyFactor(objective.hessian_matrix(iterate))
    return None if factor.rank_deficient else factor.solve


def profile_of(likelihood: Likelihood, place: int, begin: Iterate | None = None) -> Profile:
    """The profile of one coefficient. Each call follows it from where the last one ended, the first from `begin`."""
    places = np.array([place])
    objective = likelihood.objective_without(places)
    last: Iterate = _profile_start(likelihood, place) if begin is None else begin
    lost = 0

    def profile(value: float) -> tuple[float, float]:
        nonlocal last, lost
        step = value - float(last.z[place])
        while last.z[place] != value and abs(step) > MIN_STEP * abs(value):
            now = value if abs(value - last.z[place]) <= abs(step) else float(last.z[place]) + step
            start = last.z + (now - float(last.z[place])) * objective.response(last, place)
            found = objective.minimum(places, np.array([now]), start)
            if converged(found):
                last, step = found.iterate, 2 * step
            else:
                step, lost = 0.25 * step, lost + 1
                if lost > MAX_LOST:
                    raise LostProfile
        objective.places = NONE_HELD
        return last.value, float(objective.gradient(last)[place])

    return profile


def _profile_start(likelihood: Likelihood, place: int) -> Iterate:
    """The estimates; where the coefficient is not finite, the minimum with 0 for it."""
    if likelihood.limits.kinds[place] == FINITE:
        return likelihood.best
    places = np.array([place])
    return likelihood.objective_without(places).minimum(places, np.zeros(1)).iterate


def search_end(profile: Profile, begin: float, step: float, target: float) -> float:
    """Where a profile crosses its target, from `begin` in the direction of `step`; NaN where rounding hides it."""
    try:
        return _crossing(profile, begin, step, target)
    except LostProfile:
        return math.nan


def _crossing(profile: Profile, begin: float, step: float, target: float) -> float:
    """The value where a profile crosses its target, from `begin` in the direction of `step`, in steps that double.

    Newton's method on the square root of the rise, which is nearly linear, within a bracket that shrinks.
    """
    inside = profile(begin)[0] <= target
    near, far = begin, begin + step
    for _ in range(MAX_DOUBLINGS):
        if (profile(far)[0] <= target) != inside:
            break
        near, far, step = far, far + 2 * step, 2 * step
    else:
        return math.copysign(math.inf, step)
    value, last = 0.5 * (near + far), math.nan
    for _ in range(MAX_DOUBLINGS):
        level, slope = profile(value)
        if level == last:  # at another value: rounding hides what is left
            return value
        last = level
        if (level <= target) == inside:
            near = value
        else:
            far = value
        new = value + (target - level) / slope if slope else math.nan
        if not min(near, far) < new < max(near, far):
            new = 0.5 * (near + far)
        if abs(new - value) <= ROOT_TOL * (abs(step) + abs(value)):
            return new
        value = new
    return value
