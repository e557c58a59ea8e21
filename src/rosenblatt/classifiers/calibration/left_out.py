"""Calibrated probabilities of rows that the calibration was not fitted to, to measure it by."""

import numpy as np

from ...foundation.splitting import all_but, folds
from ...foundation.types import Codes, Floats
from .calibration import Calibration

FOLDS = 5


def left_out_probabilities(
    calibration: Calibration, scores: Floats, codes: Codes, classes: int, seed: int, weights: Floats | None = None
) -> Floats:
    """The probabilities of all rows: each fold by a calibration of the same kind, fitted to the others."""
    probabilities = np.empty((len(codes), classes))
    for places in filter(len, folds(codes, FOLDS, seed)):
        rest = all_but(places, len(codes))
        fitted = calibration.fit(scores[rest], codes[rest], classes, None if weights is None else weights[rest])
        probabilities[places] = fitted.probabilities(scores[places])
    return probabilities
