"""Progressive accuracy: each row of a stream is predicted before it is learned."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..outcome import Accuracy

MAX_RECENT_ROWS = 10_000  # that the recent accuracy covers


class ProgressiveAccuracy:
    """Counts correct predictions of all rows, and of the most recent ones.

    >>> accuracy = ProgressiveAccuracy()
    >>> accuracy.add(np.array([False, True, True]))
    >>> accuracy.add(np.ones(MAX_RECENT_ROWS - 1, bool))
    >>> accuracy.right, accuracy.rows, accuracy.recent
    (10001, 10002, Accuracy(right=10000, rows=10000))
    """

    def __init__(self) -> None:
        self.rows = self.right = 0
        self._last = np.zeros(0, bool)

    def to_tree(self) -> dict[str, Any]:
        """All of it, for `state_file`."""
        return {"rows": self.rows, "right": self.right, "last": self._last}

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> "ProgressiveAccuracy":
        one = cls()
        one.rows, one.right, one._last = tree["rows"], tree["right"], tree["last"]
        return one

    def add(self, right: npt.NDArray[np.bool_]) -> None:
        """Add rows: whether each was predicted correctly."""
        self.rows, self.right = self.rows + len(right), self.right + int(right.sum())
        self._last = np.concatenate([self._last, right])[-MAX_RECENT_ROWS:]

    @property
    def recent(self) -> Accuracy:
        """The accuracy on the most recent rows."""
        return Accuracy(int(self._last.sum()), len(self._last))
