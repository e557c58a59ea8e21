"""How good probabilities are on rows whose class is known: log-loss and calibration errors."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats

Numbers = npt.NDArray[np.integer[Any]]  # of classes
Truths = npt.NDArray[np.bool_]
MAX_BINS, MIN_BIN_ROWS = 15, 20


class ProbabilityQuality(NamedTuple):
    """The mean of -log(probability of the true class), and the calibration error of the most probable class and of all.

    Class weights make one class too probable in every row. The most probable class is then too sure in some rows and
    too unsure in others, which hides in its error, but not in that of all classes.
    """

    log_loss: float
    calibration_error: float
    classwise_calibration_error: float


def probability_quality(probabilities: Floats, truth: Numbers) -> ProbabilityQuality:
    """Measure the probabilities of all classes, one column a class, by the numbers of the true classes.

    >>> found = probability_quality(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1]))
    >>> round(found.log_loss, 3), round(found.calibration_error, 3), round(found.classwise_calibration_error, 3)
    (0.458, 0.35, 0.15)
    """
    likely = np.maximum(probabilities[np.arange(len(truth)), truth], np.finfo(np.float64).tiny)
    top = calibration_error(probabilities.max(axis=1), probabilities.argmax(axis=1) == truth)
    errors = [calibration_error(column, truth == number) for number, column in enumerate(probabilities.T)]
    return ProbabilityQuality(-float(np.log(likely).mean()), top, float(np.mean(errors)))


def calibration_error(probability: Floats, happened: Truths) -> float:
    """The expected calibration error: how far the probability of something is from the share of rows where it happens.

    The mean over 15 bins of equally many rows, 20 at least, sorted by that probability (Guo et al., "On calibration of
    modern neural networks", 2017, for the most probable class; Kull et al., "Beyond temperature scaling", 2019, for
    the mean of all classes; here with bins of equal counts).
    """
    count = max(1, min(MAX_BINS, len(happened) // MIN_BIN_ROWS))
    bins = np.array_split(np.argsort(probability, kind="stable"), count)
    return float(sum(abs((probability[rows] - happened[rows]).sum()) for rows in bins) / len(happened))


def describe_errors(top: float | None, classwise: float | None) -> str:
    """Both calibration errors in words.

    >>> describe_errors(0.0134, 0.0281)
    'calibration error 1.3 %, by class 2.8 %'
    """
    return f"calibration error {100 * (top or 0.0):.1f} %, by class {100 * (classwise or 0.0):.1f} %"
