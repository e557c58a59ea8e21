"""Rows as people count them: from 1, with the line of the file."""

from bisect import bisect_right
from collections.abc import Callable, Iterable

from ..tables.read.batches import Batch
from ..tables.read.compressed import STDIN


class RowPlaces:
    """Where each row of a table stands in its files. Programs count rows from 0, people from 1.

    Batches are taken as far as rows are asked for. Their tables are not kept. `several` says that there are several
    files, so that rows are named with theirs.

    >>> places = RowPlaces([Batch([0] * 3, "rows.csv", lambda row: f"line {row + 2}")])
    >>> places.name(0), RowPlaces().name(0)
    ('1 (line 2)', '1')
    """

    def __init__(self, batches: Iterable[Batch] = (), several: bool = False) -> None:
        self._batches, self._several = iter(batches), several
        self._starts, self._places = [0], list[tuple[str, Callable[[int], str]]]()

    def name(self, row: int) -> str:
        """Return a row's number from 1, with its place in the file if that says more."""
        while row >= self._starts[-1] and (batch := next(self._batches, None)) is not None:
            self._starts.append(self._starts[-1] + len(batch.table))
            self._places.append((batch.path, batch.place))
        which = bisect_right(self._starts, row) - 1
        if which >= len(self._places) or self._places[which][0] == STDIN:  # lines of standard input are not known
            return str(row + 1)
        path, place = self._places[which]
        text = place(row - self._starts[which])
        if self._several:
            return f"{row + 1} ({path}, {text})"
        return f"{row + 1} ({text})" if text != f"row {row + 1}" else str(row + 1)
