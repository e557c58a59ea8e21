"""The scores of a stream's recent rows, each predicted before it was learned: what its probabilities are fitted to."""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..score_sample import ScoreSample
from .class_registry import ClassRegistry

MAX_RECENT_ROWS = 10_000
SPARE_ROWS = MAX_RECENT_ROWS // 4  # written before the recent rows move to new arrays


class RecentScores:
    """Keeps the scores of recent rows and the numbers of their classes.

    Rows come in blocks, whose sizes depend on how fast the stream is; which rows are sampled does not. Rows are only
    ever appended to the arrays, so a copy shares them: a service that learns single rows copies after each of them.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all rows: with another class, scores are others."""
        self._scores: Floats = np.empty((0, 1))
        self._met = np.empty(0, np.intp)
        self._end = 0

    def add(self, scores: Floats, met: npt.NDArray[np.intp]) -> None:
        """Add rows; `met` are their classes, numbered by appearance. The oldest rows go. So do scores that overflow."""
        finite = np.isfinite(scores).all(axis=1)
        if not finite.all():
            scores, met = scores[finite], met[finite]
        scores, met = scores[-MAX_RECENT_ROWS:], met[-MAX_RECENT_ROWS:]
        if self._end + len(met) > len(self._met):
            self._move(len(met), scores.shape[1])
        end = self._end + len(met)
        self._scores[self._end : end], self._met[self._end : end] = scores, met
        self._end = end

    def _move(self, more: int, planes: int) -> None:
        """Move the recent rows to the beginning of new arrays, which have room for more."""
        scores, met = self.arrays()
        room = max(len(met) + more, MAX_RECENT_ROWS) + SPARE_ROWS
        self._scores, self._met, self._end = np.empty((room, planes)), np.empty(room, np.intp), len(met)
        self._scores[: len(met)], self._met[: len(met)] = scores, met

    def copy(self) -> "RecentScores":
        """A copy that rows to come do not change."""
        new = RecentScores()
        new._scores, new._met, new._end = self._scores[: self._end], self._met[: self._end], self._end
        return new

    def arrays(self) -> tuple[Floats, npt.NDArray[np.intp]]:
        """The scores and classes of the last 10,000 rows."""
        first = max(0, self._end - MAX_RECENT_ROWS)
        return self._scores[first : self._end], self._met[first : self._end]

    def restore(self, scores: Floats, met: npt.NDArray[np.intp]) -> None:
        """Take rows that `arrays` returned."""
        self.clear()
        if len(met):
            self.add(scores, met)

    def sample(self, classes: ClassRegistry) -> ScoreSample:
        """The last 10,000 rows, to calibrate by."""
        sample = ScoreSample()
        if self._end:
            scores, met = self.arrays()
            sample.add(scores, classes.codes(met))
        return sample
