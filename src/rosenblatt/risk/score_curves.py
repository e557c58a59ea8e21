"""Curves of scores against the truth: what every threshold finds and takes by mistake, and how probabilities came true.

`plots` and the lab draw these values; neither computes its own.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats

Truths = npt.NDArray[np.bool_]
CALIBRATION_BINS = 10


class ThresholdCurve(NamedTuple):
    """The rows of a class (`hits`) and of the others (`alarms`) that score at least each threshold, highest first."""

    thresholds: Floats
    hits: npt.NDArray[Any]
    alarms: npt.NDArray[Any]

    @property
    def recall(self) -> Floats:
        """The share of the class that is found."""
        return np.asarray(self.hits / self.hits[-1])

    @property
    def precision(self) -> Floats:
        """The share of the rows taken for the class that belong to it."""
        return np.asarray(self.hits / (self.hits + self.alarms))

    @property
    def false_alarms(self) -> Floats:
        """The share of the other rows that are taken for the class."""
        return np.asarray(self.alarms / self.alarms[-1])

    @property
    def area(self) -> float:
        """The area under the ROC curve, by trapezoids."""
        right, wrong = np.r_[0, self.recall], np.r_[0, self.false_alarms]
        return float(np.sum(np.diff(wrong) * (right[1:] + right[:-1]) / 2))


def threshold_curve(scores: Floats, positive: Truths) -> ThresholdCurve | None:
    """The curve of one class; None if the class has no rows, or all.

    >>> curve = threshold_curve(np.array([-2.0, 0.5, 0.1, 3.0]), np.array([False, False, True, True]))
    >>> curve.thresholds.tolist(), curve.hits.tolist(), curve.alarms.tolist(), curve.area
    ([3.0, 0.5, 0.1, -2.0], [1, 1, 2, 2], [0, 1, 1, 2], 0.75)
    """
    if positive.all() or not positive.any():
        return None
    values, places = np.unique(-scores, return_inverse=True)
    hits, alarms = (np.bincount(places.reshape(-1)[rows], minlength=len(values)) for rows in (positive, ~positive))
    return ThresholdCurve(-values, np.cumsum(hits), np.cumsum(alarms))


class CalibrationCurve(NamedTuple):
    """In bins of equally many rows: the mean probability given, and the share of rows where it came true."""

    given: Floats
    met: Floats
    rows: npt.NDArray[Any]


def calibration_curve(probability: Floats, happened: Truths, bins: int = CALIBRATION_BINS) -> CalibrationCurve:
    """How often something happens whose probability is given.

    >>> curve = calibration_curve(np.array([0.1, 0.2, 0.7, 0.9]), np.array([False, True, False, True]), bins=2)
    >>> curve.given.round(2).tolist(), curve.met.tolist(), curve.rows.tolist()
    ([0.15, 0.8], [0.5, 0.5], [2, 2])
    """
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    given, met = ([float(values[part].mean()) for part in parts] for values in (probability, happened))
    return CalibrationCurve(np.array(given), np.array(met), np.array([len(part) for part in parts]))
