"""How good probabilities are on rows whose class is known: log-loss and calibration error."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats

Numbers = npt.NDArray[np.integer[Any]]  # of classes
MAX_BINS, MIN_BIN_ROWS = 15, 20


class ProbabilityQuality(NamedTuple):
    """The mean of -log(probability of the true class), and the calibration error."""

    log_loss: float
    calibration_error: float


def probability_quality(probabilities: Floats, truth: Numbers) -> ProbabilityQuality:
    """Measure the probabilities of all classes, one column a class, by the numbers of the true classes.

    >>> found = probability_quality(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1]))
    >>> round(found.log_loss, 3), round(found.calibration_error, 3)
    (0.458, 0.35)
    """
    likely = np.maximum(probabilities[np.arange(len(truth)), truth], np.finfo(np.float64).tiny)
    return ProbabilityQuality(-float(np.log(likely).mean()), calibration_error(probabilities, truth))


def calibration_error(probabilities: Floats, truth: Numbers) -> float:
    """The expected calibration error: how far the probability of the most probable class is from the share it is right.

    The mean over 15 bins of equally many rows, 20 at least, sorted by that probability (Guo et al., "On calibration of
    modern neural networks", 2017, with bins of equal counts).
    """
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    count = max(1, min(MAX_BINS, len(truth) // MIN_BIN_ROWS))
    bins = np.array_split(np.argsort(confidence, kind="stable"), count)
    return float(sum(abs((confidence[rows] - right[rows]).sum()) for rows in bins) / len(truth))
