"""Isotonic regression: the increasing function of the score that fits best, found by pooling adjacent violators.

B. Zadrozny, C. Elkan, "Transforming classifier scores into accurate multiclass probability estimates" (2002).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ...foundation.types import Codes, Floats
from .calibration import Calibration, smoothed_targets


@dataclass(frozen=True)
class IsotonicCalibration(Calibration):
    """Probabilities at some scores, with straight lines between them; the first and the last continue beyond.

    Of several classes each has a function of its own, of how far its score is above the best of the others; their
    values are made to add up to 1.

    >>> scores, codes = np.array([[-2.0], [1.0], [-1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> IsotonicCalibration.fit(scores, codes, 2).probabilities(np.array([[-9.0], [0.0]])).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """

    method = "isotonic"
    places: list[Floats]  # of each plane: scores in increasing order,
    values: list[Floats]  # and the probabilities there

    @classmethod
    def fit(cls, scores: Floats, codes: Codes, classes: int, weights: Floats | None = None) -> Self:
        weights = np.ones(len(codes)) if weights is None else weights
        lines = []
        for label, one in zip(range(classes == 2, classes), _margins(scores).T, strict=True):
            against_rest = smoothed_targets((codes == label).astype(np.int32), 2, weights)
            lines.append(increasing_line(one, against_rest[:, 1], weights))
        return cls(len(codes), [places for places, _ in lines], [values for _, values in lines])

    def log_probabilities(self, scores: Floats) -> Floats:
        lines = zip(_margins(scores).T, self.places, self.values, strict=True)
        found = np.column_stack([np.interp(one, places, values) for one, places, values in lines])
        if found.shape[1] == 1:
            found = np.column_stack([1 - found, found])
        logs: Floats = np.log(found / found.sum(axis=1, keepdims=True))
        return logs

    def state(self) -> dict[str, Any]:
        ends = np.cumsum([len(places) for places in self.places])
        joined = {"places": np.concatenate(self.places), "values": np.concatenate(self.values)}
        return {**joined, "ends": ends.astype(np.int64)}

    @classmethod
    def from_state(cls, state: dict[str, Any], rows: int, classes: int) -> Self:
        places, values, ends = state["places"], state["values"], state["ends"]
        if (places.dtype, values.dtype, ends.dtype) != (np.float64, np.float64, np.int64):
            raise ValueError("its calibration is not of the types it should be")
        lengths = np.diff(ends, prepend=0)
        if len(ends) != (1 if classes == 2 else classes) or (lengths < 1).any():
            raise ValueError("its calibration does not fit its classes")
        if places.ndim != 1 or places.shape != values.shape or len(places) != ends[-1]:
            raise ValueError("its calibration does not fit its classes")
        made = cls(rows, np.split(places, ends[:-1]), np.split(values, ends[:-1]))
        if not (np.isfinite(places).all() and ((values > 0) & (values < 1)).all()):
            raise ValueError("its calibration holds numbers that are no scores or no probabilities")
        if any((np.diff(line) <= 0).any() for line in made.places) or any(
            (np.diff(line) < 0).any() for line in made.values
        ):
            raise ValueError("its calibration does not increase")
        return made


def _margins(scores: Floats) -> Floats:
    """How far each class is above the best of the others; of two classes the score says it."""
    if scores.shape[1] == 1:
        return scores
    best = np.partition(scores, -2, axis=1)
    return scores - np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])


def increasing_line(scores: Floats, targets: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The places and values of the increasing function nearest to the targets; constant parts keep only their ends."""
    places, inverse = np.unique(scores, return_inverse=True)
    total: Floats = np.bincount(inverse, weights).astype(np.float64)
    values = pool_adjacent_violators(np.bincount(inverse, weights * targets) / total, total)
    same = values[1:] == values[:-1]
    inside = np.concatenate([[False], same]) & np.concatenate([same, [False]])
    return places[~inside], values[~inside]


def pool_adjacent_violators(values: Floats, weights: Floats) -> Floats:
    """The increasing sequence with the least weighted squares: adjacent values that decrease share their mean.

    >>> pool_adjacent_violators(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))  # of runs of equal values
    runs = zip(starts.tolist(), values[starts].tolist(), np.add.reduceat(weights, starts).tolist(), strict=True)
    means: list[float] = []
    masses: list[float] = []
    firsts: list[int] = []
    for first, mean, mass in runs:
        while means and means[-1] >= mean:
            before, heavier = means.pop(), masses.pop() + mass
            mean += (before - mean) * ((heavier - mass) / heavier)
            mass, first = heavier, firsts.pop()
        means.append(mean)
        masses.append(mass)
        firsts.append(first)
    lengths = [after - first for first, after in pairwise([*firsts, len(values)])]
    return np.repeat(means, lengths)
