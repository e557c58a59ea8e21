"""Rows as people count them: from 1, with the line of the file."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from ..tables.read.batches import Batch
from ..tables.read.compressed import STDIN


class RowPlaces:
    """Where each row of a table stands in its files. Programs count rows from 0, people from 1.

    >>> places = RowPlaces([Batch([0] * 3, "rows.csv", lambda row: f"line {row + 2}")])
    >>> places.name(0), RowPlaces().name(0)
    ('1 (line 2)', '1')
    """

    def __init__(self, batches: Iterable[Batch] = ()) -> None:
        held = list(batches)
        self._starts = [0, *accumulate(len(batch.table) for batch in held)]
        self._places = [(batch.path, batch.place) for batch in held]
        self._several = len({batch.path for batch in held}) > 1

    def name(self, row: int) -> str:
        """Return a row's number from 1, with its place in the file if that says more."""
        which = bisect_right(self._starts, row) - 1
        if which >= len(self._places) or self._places[which][0] == STDIN:  # lines of standard input are not known
            return str(row + 1)
        path, place = self._places[which]
        text = place(row - self._starts[which])
        if self._several:
            return f"{row + 1} ({path}, {text})"
        return f"{row + 1} ({text})" if text != f"row {row + 1}" else str(row + 1)
