"""A path: the optimum for many values of C, and the values that it has by default."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..engine.result import TrainingResult
from ..foundation.types import Codes, Floats, Labels
from ..parts.parameter_checks import check_positive, check_whole_number
from ..parts.stops import Status
from .elastic_net.first_weight import first_weight_C
from .objective import Objective

COUNT = 100  # of values where none are given
L1_RANGE = 1e3  # of C where the penalty has an l1 norm, from the largest C at which all weights are 0
L2_RANGE = 1e-4, 1e4  # of C otherwise: the weights are never 0, so that the data name no first value


@dataclass(frozen=True)
class RegularizationPath:
    """One entry a penalty, from the strongest, the smallest C, to the weakest."""

    C: Floats
    coef: Floats  # penalties x planes x columns
    intercept: Floats  # penalties x planes
    objective: Floats
    mistakes: Floats
    visits: Floats  # dot products of rows, a measure of the work
    status: list[Status]
    classes: Labels
    duality_gap: Floats  # as a share of the objective; NaN where the proof is another
    gradient_norm: Floats  # as a share of that at weights 0; NaN where the proof is another
    names: list[str] | None = None  # of the columns, where they have some

    @classmethod
    def of(
        cls, values: Sequence[float], found: Sequence[TrainingResult], classes: Labels, names: list[str] | None
    ) -> "RegularizationPath":
        """The path of what was learned for each value of C."""
        return cls(
            C=np.array(values),
            coef=np.array([learned.coef for learned in found]),
            intercept=np.array([learned.intercept for learned in found]),
            objective=np.array([learned.objective for learned in found]),
            mistakes=np.array([learned.status.mistakes for learned in found]),
            visits=np.array([learned.n_visits for learned in found]),
            status=[learned.status for learned in found],
            classes=classes,
            duality_gap=np.array([learned.duality_gap for learned in found]),
            gradient_norm=np.array([learned.gradient_norm for learned in found]),
            names=names,
        )


def path_values(Cs: Iterable[float] | int | None, limits: Callable[[], tuple[float, float]]) -> list[float]:
    """The given values of C in rising order, or so many with equal ratios between limits.

    >>> path_values(3, lambda: (1.0, 100.0)), path_values([2.0, 1.0], lambda: (1.0, 100.0))
    ([1.0, 10.0, 100.0], [1.0, 2.0])
    """
    if Cs is None or isinstance(Cs, str) or not isinstance(Cs, Iterable):
        count = COUNT if Cs is None else Cs
        check_whole_number("Cs", count)
        spread: list[float] = np.geomspace(*limits(), count).tolist()
        return spread
    values = list(Cs)
    for C in values:
        check_positive("Cs", C)
    if not values:
        raise ValueError("Cs is empty: give at least one number above 0.")
    return sorted(map(float, values))


def C_range(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    objective: Objective,
    joint: bool,
    weights: Floats | None,
    threads: int,
) -> tuple[float, float]:
    """The first and the last C of a path on these rows."""
    if not objective.l1_ratio:
        return L2_RANGE
    first = first_weight_C(rows, codes, classes, objective, joint, weights, threads)
    return first, L1_RANGE * first
