"""The scores of a stream's recent rows, each predicted before it was learned: what its probabilities are fitted to."""

from collections import deque

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..score_sample import ScoreSample
from .class_registry import ClassRegistry

MAX_RECENT_ROWS = 10_000  # about


class RecentScores:
    """Keeps the scores of recent rows and the numbers of their classes, as blocks of rows.

    >>> recent = RecentScores()
    >>> for block in range(4):
    ...     recent.add(np.zeros((6000, 1)), np.zeros(6000, np.intp))
    >>> recent.rows
    12000
    """

    def __init__(self) -> None:
        self._blocks: deque[tuple[Floats, npt.NDArray[np.intp]]] = deque()
        self.rows = 0

    def add(self, scores: Floats, met: npt.NDArray[np.intp]) -> None:
        """Add rows; `met` are their classes, numbered by appearance. The oldest rows go."""
        self._blocks.append((scores, met))
        self.rows += len(met)
        while self.rows - len(self._blocks[0][1]) >= MAX_RECENT_ROWS:
            self.rows -= len(self._blocks.popleft()[1])

    def clear(self) -> None:
        """Forget all rows: with another class, scores are others."""
        self._blocks.clear()
        self.rows = 0

    def sample(self, classes: ClassRegistry) -> ScoreSample:
        """The rows, to calibrate by."""
        sample = ScoreSample()
        for scores, met in self._blocks:
            sample.add(scores, classes.codes(met))
        return sample
