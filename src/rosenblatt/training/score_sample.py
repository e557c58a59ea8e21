"""The scores of rows that a model was not trained on: what its probabilities are calibrated to and measured by."""

import numpy as np

from ..classifiers.calibration.calibration import Calibration
from ..classifiers.calibration.left_out import left_out_probabilities
from ..classifiers.calibration.methods import ISOTONIC_ROWS, best_method, fit_calibration
from ..classifiers.calibration.probability_quality import ProbabilityQuality, probability_quality
from ..foundation.types import Codes, Floats

MAX_ROWS = 2 * ISOTONIC_ROWS  # a calibration has few parameters
MIN_ROWS = 10  # that a calibration needs
FOLDS = 5


class ScoreSample:
    """The scores and classes of rows, in the order given; of many rows every second, fourth and so on.

    >>> sample = ScoreSample(max_rows=4)
    >>> for row in range(10):
    ...     sample.add(np.array([[float(row)]]), np.array([0]))
    >>> sample.scores[:, 0].tolist()
    [0.0, 4.0, 8.0]
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows, self._stride, self._seen = max_rows, 1, 0
        self._scores: list[Floats] = []
        self._codes: list[Codes] = []
        self.rows = 0

    def add(self, scores: Floats, codes: Codes) -> None:
        """Add rows. Which ones are kept does not depend on how they are divided into batches."""
        first = -self._seen % self._stride
        self._seen += len(codes)
        self._scores.append(scores[first :: self._stride])
        self._codes.append(codes[first :: self._stride])
        self.rows += len(self._codes[-1])
        while self.rows > self._max_rows:
            self._scores, self._codes = [self.scores[::2]], [self.codes[::2]]
            self.rows, self._stride = len(self._codes[0]), 2 * self._stride

    @property
    def scores(self) -> Floats:
        return np.concatenate(self._scores)

    @property
    def codes(self) -> Codes:
        return np.concatenate(self._codes)

    def calibrate(self, classes: int) -> Calibration | None:
        """The calibration fitted to all rows; None if they are too few."""
        if self.rows < MIN_ROWS:
            return None
        return fit_calibration(best_method(self.rows), self.scores, self.codes, classes)

    def left_out_probabilities(self, calibration: Calibration, classes: int, seed: int) -> Floats:
        """Calibrated probabilities of all rows: each fold by a calibration fitted to the others."""
        return left_out_probabilities(calibration, self.scores, self.codes, classes, seed)

    def quality(self, calibration: Calibration, classes: int, seed: int) -> ProbabilityQuality:
        """How good calibrated probabilities are on rows that the calibration was not fitted to."""
        return probability_quality(self.left_out_probabilities(calibration, classes, seed), self.codes)
