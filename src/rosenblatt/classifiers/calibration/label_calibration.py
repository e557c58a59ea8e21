"""The calibrations of several labels: each label has its own, and its probability is no share of a sum."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...foundation.types import Codes, Floats
from .calibration import Calibration
from .methods import calibration_from_state, calibration_state
from .platt import PlattCalibration
from .probability_quality import ProbabilityQuality


@dataclass(frozen=True)
class LabelCalibration(Calibration):
    """One calibration a label, each of two sides. `log_probabilities` has one column a label: of having it.

    >>> each = [constant_calibration(2, score) for score in (0.0, 1.0)]
    >>> LabelCalibration.of(each).probabilities(np.zeros((1, 2))).round(3).tolist()
    [[0.5, 0.731]]
    """

    method = "labels"
    each: tuple[Calibration, ...]

    @classmethod
    def of(cls, each: Sequence[Calibration]) -> Self:
        """The calibrations of all labels; their quality is the mean of those that were measured."""
        measured = [one.quality for one in each if one.quality is not None]
        quality = ProbabilityQuality(*np.mean(measured, axis=0).tolist()) if measured else None
        return cls(max(one.rows for one in each), tuple(each), quality=quality)

    @classmethod
    def fit(cls, scores: Floats, codes: Codes, classes: int, weights: Floats | None = None) -> Self:
        raise NotImplementedError("labels are calibrated one by one")

    def log_probabilities(self, scores: Floats) -> Floats:
        return np.column_stack([one.log_probabilities(scores[:, [k]])[:, 1] for k, one in enumerate(self.each)])

    def state(self) -> dict[str, Any]:
        return {f"label{k}": calibration_state(one) for k, one in enumerate(self.each)}

    @classmethod
    def from_state(cls, state: dict[str, Any], rows: int, classes: int) -> Self:
        return cls(rows, tuple(calibration_from_state(state[f"label{k}"], 2) for k in range(classes)))


def constant_calibration(rows: int, log_odds: float) -> Calibration:
    """The same probability for every row."""
    return PlattCalibration(rows, 0.0, np.array([log_odds]))
