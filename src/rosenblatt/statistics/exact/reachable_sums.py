"""The least and the largest sum of a column over some of the last rows, for each number of them."""

import numpy as np

from ...foundation.types import Mask, Places
from .integer_columns import Integers


class ReachableSums:
    """Bounds on the sums of the rows that follow. With a constant column, the number of them that count is known."""

    def __init__(self, rows: Integers, constant: int | None) -> None:
        self._rows, self._constant = rows, constant
        self._orders = np.argsort(rows, axis=0, kind="stable")

    def counts(self, ones: Places | None, row: int, length: int) -> Mask:
        """Whether so many of the rows from this one on can be ones."""
        if ones is None:
            return np.ones(length, np.bool_)
        return (ones >= 0) & (ones <= len(self._rows) - row)

    def bounds(self, place: int, row: int, ones: Places | None, possible: Mask) -> tuple[Integers, Integers]:
        """The least and largest sum of the rows from this one on, for each state."""
        which = np.zeros(len(possible), np.intp) if ones is None else np.where(possible, ones, 0)
        least, most = self._tables(place, row)
        return least[which], most[which]

    def span(self, place: int, ones: int) -> tuple[int, int]:
        """The least and largest sum of all rows, of which so many are ones; -1 for any number."""
        least, most = self._tables(place, 0)
        return int(least[max(ones, 0)]), int(most[max(ones, 0)])

    def _tables(self, place: int, row: int) -> tuple[Integers, Integers]:
        """The bounds by the number of ones; without a constant column there is only one bound each."""
        order = self._orders[:, place]
        ordered = self._rows[order[order >= row], place]
        none = np.zeros(1, dtype=ordered.dtype)
        if self._constant is None:
            return none + np.minimum(ordered, 0).sum(), none + np.maximum(ordered, 0).sum()
        return np.append(none, np.cumsum(ordered)), np.append(none, np.cumsum(ordered[::-1]))
