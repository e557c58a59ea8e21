"""The likelihood of a fitted logistic regression: its maximum or supremum, and its profile for each coefficient.

Coordinates of z are the columns, then the intercept; several classes have such a block each. `objective` is minus the
log likelihood, with Jeffreys' penalty where the model has it. Without a penalty the likelihood of separated classes has
a supremum and no maximum: rows that are certain in the limit add nothing to it, and the others have one. Exact
arithmetic tells which rows these are.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.class_problems import whole_problem
from ..foundation.collinear_columns import CollinearColumns
from ..foundation.matrices import as_rows
from ..foundation.types import Codes, Floats, Mask, Places
from ..prove.separability.infinite_coefficients import (
    FINITE,
    CoefficientLimits,
    certain_rows,
    infinite_coefficients,
    with_constant,
)
from ..solvers.newton.information import Information
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.jeffreys_objective import NONE_HELD
from ..solvers.newton.jeffreys_penalty import refuse_collinear
from .held_coefficients import HeldCoefficients, HeldJeffreys

NO_VALUES: Floats = np.empty(0)
INTERCEPT = "intercept"


class Cases(NamedTuple):
    """What exact arithmetic decides about: rows through the origin, and their signs."""

    rows: Any
    signs: npt.NDArray[Any]


@dataclass
class Likelihood:
    """Rows X with classes numbered 0 and 1, counts of rows as weights, and the model that is asked about."""

    X: Any
    codes: Codes
    weights: Floats | None
    fit_intercept: bool
    jeffreys: bool
    threads: int = 1
    start: Floats | None = None  # where the maximum is known to be, or nearly
    _certain: dict[tuple[int, ...], Mask] = field(default_factory=dict, repr=False)

    @property
    def columns(self) -> int:
        return int(self.X.shape[1])

    @property
    def total(self) -> float:
        """The number of rows, each counted as often as its weight says."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())

    # The coordinates

    @property
    def size(self) -> int:
        """The number of coordinates of z."""
        return self.columns + 1

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The coordinates that belong together: those of the columns, then that of the intercept."""
        return [list(range(self.columns + 1))]

    @property
    def places(self) -> list[int]:
        """The coordinates of all coefficients: in each block the intercept first, as statisticians print it."""
        return [place for *columns, last in self.blocks for place in [last] * self.fit_intercept + columns]

    def places_of(self, column: int) -> Places:
        """The coordinates of a column, or of the intercept, which counts as the column after the last."""
        return np.array([block[column] for block in self.blocks])

    def column_of(self, place: int) -> int:
        """The column of a coordinate."""
        return next(block.index(place) for block in self.blocks if place in block)

    # Separation

    def cases(self) -> Cases:
        """The rows with their constant."""
        return Cases(with_constant(self.X) if self.fit_intercept else self.X, np.where(self.codes, 1, -1))

    @cached_property
    def _case_places(self) -> Places:
        """The coordinates of the columns of the cases."""
        return np.array([place for block in self.blocks for place in block[: self.columns + self.fit_intercept]])

    @cached_property
    def limits(self) -> CoefficientLimits:
        """Which estimates are infinite, and which cases are certain. With Jeffreys' penalty none is."""
        kinds = [FINITE] * self.size
        if self.jeffreys:
            return CoefficientLimits(kinds, np.zeros(len(self.codes), np.bool_))
        found = infinite_coefficients(*self.cases(), fit_intercept=False)
        for place, kind in zip(self._case_places, found.kinds, strict=True):
            kinds[place] = kind
        return CoefficientLimits(kinds, found.certain)

    @cached_property
    def objective(self) -> HeldCoefficients:
        """The objective of the cases that are not certain."""
        return self._objective_of(~self.limits.certain)

    def _objective_of(self, cases: Mask) -> HeldCoefficients:
        every = bool(cases.all())
        X, codes = (self.X, self.codes) if every else (self.X[cases], self.codes[cases])
        weights = self.weights if every or self.weights is None else self.weights[cases]
        kind = HeldJeffreys if self.jeffreys else HeldCoefficients
        return kind(as_rows(X), whole_problem(codes, 2), "logistic", math.inf, weights, **self._settings)

    @property
    def _settings(self) -> dict[str, Any]:
        return {"offset_value": float(self.fit_intercept), "threads": self.threads}

    def refuse_collinear(self) -> None:
        """Refuse columns whose coefficients have no one estimate."""
        if self.jeffreys:
            objective = self.objective  # to make it refuses columns that depend on each other
            assert isinstance(objective, HeldJeffreys)
            return self._refuse_unused(objective.used)
        self._refuse_dependent(self._objective_of(np.ones(len(self.codes), np.bool_)))

    def _refuse_dependent(self, every: HeldCoefficients) -> None:
        """Refuse columns that others determine, by the objective of all rows."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights
        information = Information(every.gram(weights / 4))
        self._refuse_unused(information.used)
        refuse_collinear(information, len(self.codes), self.columns)

    def _refuse_unused(self, used: Mask) -> None:
        """Refuse columns of zeros."""
        unused = np.flatnonzero(~used[: self.columns])
        if len(unused):
            raise CollinearColumns([int(unused[0])], self.columns)

    # The maximum

    @cached_property
    def best(self) -> Iterate:
        """Where the likelihood is largest; coefficients that are not finite may have any value there."""
        if self.limits.certain.all():
            return Iterate(np.zeros(self.size), 0.0, *[NO_VALUES] * 3)
        return self.objective.minimum(NONE_HELD, NO_VALUES, self.start).iterate

    @cached_property
    def covariance(self) -> Floats:
        """The inverse of the Fisher information of the cases that are not certain."""
        if self.limits.certain.all():
            return np.zeros((self.size, self.size))
        return self.objective.covariance(self.best)

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the estimates, without a penalty; a supremum where some are infinite."""
        if not self.jeffreys:
            return -self.best.value
        scores = self.objective.scores(self.best.z)
        return -self.objective.slopes(scores, np.empty_like(scores), np.empty_like(scores))

    @property
    def null_log_likelihood(self) -> float:
        """The log likelihood of intercepts alone; without them, of equal probabilities."""
        classes = len(self.blocks) + 1
        if not self.fit_intercept:
            return -self.total * math.log(classes)
        counts: list[float] = np.bincount(self.codes, self.weights, minlength=classes).tolist()
        return sum(count * math.log(count / self.total) for count in reversed(counts) if count)

    # Some coefficients held

    def without(self, places: Places) -> float:
        """The least objective where some coefficients are 0; the others may tend to infinity."""
        start = None
        if not self.limits.separated:
            block = self.covariance[np.ix_(places, places)]
            start = self.best.z - self.covariance[:, places] @ np.linalg.solve(block, self.best.z[places])
        return self.objective_without(places).minimum(places, np.zeros(len(places)), start).iterate.value

    def starts_near(self, z: Floats, place: int) -> list[Floats]:
        """Where to begin a search for a minimum near z with one coefficient held: z alone."""
        return [z]

    def objective_without(self, places: Places) -> HeldCoefficients:
        """The objective of the cases that are not certain whatever values these coefficients are held at."""
        if not self.limits.separated:
            return self.objective
        key = tuple(places.tolist())
        if key not in self._certain:
            rows, signs = self.cases()
            self._certain[key] = certain_rows(rows[:, ~np.isin(self._case_places, places)], signs)
        return self._objective_of(~self._certain[key])
