"""The scores of a stream's recent rows, each predicted before it was learned: what its probabilities are fitted to."""

from collections import deque

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..score_sample import ScoreSample
from .class_registry import ClassRegistry

MAX_RECENT_ROWS = 10_000


class RecentScores:
    """Keeps the scores of recent rows and the numbers of their classes.

    Rows come in blocks, whose sizes depend on how fast the stream is; which rows are sampled does not.
    """

    def __init__(self) -> None:
        self._blocks: deque[tuple[Floats, npt.NDArray[np.intp]]] = deque()
        self.rows = 0

    def add(self, scores: Floats, met: npt.NDArray[np.intp]) -> None:
        """Add rows; `met` are their classes, numbered by appearance. The oldest rows go. So do scores that overflow."""
        finite = np.isfinite(scores).all(axis=1)
        if not finite.all():
            scores, met = scores[finite], met[finite]
        self._blocks.append((scores, met))
        self.rows += len(met)
        while self.rows - len(self._blocks[0][1]) >= MAX_RECENT_ROWS:
            self.rows -= len(self._blocks.popleft()[1])

    def clear(self) -> None:
        """Forget all rows: with another class, scores are others."""
        self._blocks.clear()
        self.rows = 0

    def copy(self) -> "RecentScores":
        """A copy that rows to come do not change."""
        new = RecentScores()
        new._blocks, new.rows = self._blocks.copy(), self.rows
        return new

    def arrays(self) -> tuple[Floats, npt.NDArray[np.intp]]:
        """The scores and classes of the last 10,000 rows."""
        if not self._blocks:
            return np.empty((0, 1)), np.empty(0, np.intp)
        scores, met = zip(*self._blocks, strict=True)
        return np.concatenate(scores)[-MAX_RECENT_ROWS:], np.concatenate(met)[-MAX_RECENT_ROWS:]

    def restore(self, scores: Floats, met: npt.NDArray[np.intp]) -> None:
        """Take rows that `arrays` returned."""
        self.clear()
        if len(met):
            self.add(scores, met)

    def sample(self, classes: ClassRegistry) -> ScoreSample:
        """The last 10,000 rows, to calibrate by."""
        sample, surplus = ScoreSample(), max(0, self.rows - MAX_RECENT_ROWS)
        for scores, met in self._blocks:
            sample.add(scores[surplus:], classes.codes(met[surplus:]))
            surplus = 0
        return sample
