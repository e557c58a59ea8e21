"""Renew the encoder of one column while rows pass: new words and values, other scales, missing values.

Each renewed column comes with a `ColumnMap`, which says how its weights change so that scores stay the same. With
z = (x - centre) / scale, the weight w of a number becomes w * scale' / scale, and w (centre' - centre) / scale is added
to the offset. A row with a missing number has an indicator instead, and the weight of the indicator subtracts it again.
If the scale has changed more than MAX_SCALE_CHANGE times, the column has other units, and the weight of one deviation
stays. A value that counted as "other" takes over the weight of "other". Rows of all words are counted further, and the
weight of a word falls as its inverse row frequency rises. New columns begin with weight 0.
"""

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.column_map import ColumnMap
from ...tables.encode.columns import CategoryColumn, ColumnEncoder, IndexedColumns, NumberColumn, TextColumn
from ...tables.encode.columns.category import MAX_CATEGORIES, MIN_CATEGORY_ROWS
from ...tables.encode.words import Words

MAX_DEVIATIONS = 20.0  # numbers further from the mean are learned as if they were this far
MAX_SCALE_CHANGE = 4.0  # a column whose scale grows or shrinks more than this has other units
MIN_SCALE_CHANGE = 0.1  # of the scale; smaller changes are ignored
ROWS_SUMMED = 8192  # rows whose numbers are added up join_maps
MAX_DISTINCT_SHARE = 0.9  # of distinct values in the rows; a column with more holds identifiers


class MonitoredColumn:
    """A column encoder, and what was observed of its column since the last renewal."""

    def __init__(self, column: ColumnEncoder) -> None:
        self.column = column
        self.begin()

    def begin(self) -> None:
        raise NotImplementedError

    def observe(self, values: Any) -> None:
        """Observe values of more rows."""
        raise NotImplementedError

    def renew(self, room: int) -> ColumnMap | None:
        """Renew the column encoder, with at most `room` more encoded columns; None if nothing changes."""
        raise NotImplementedError


class MonitoredNumber(MonitoredColumn):
    """Monitors mean and deviation of a number, with more weight for recent rows."""

    column: NumberColumn
    moves_centre = True

    def begin(self) -> None:
        self.observed = copy(self.column)
        self._pending: list[npt.NDArray[np.float64]] = []
        self._pending_rows = 0

    def observe(self, values: Any) -> None:
        """Sum rows in groups of a fixed size, so that the sums do not depend on how fast rows arrive."""
        column = self.column
        numbers = column.numbers(values)
        if column.scaled:
            numbers = np.clip(
                numbers, column.centre - MAX_DEVIATIONS * column.scale, column.centre + MAX_DEVIATIONS * column.scale
            )
        self._pending.append(numbers)
        self._pending_rows += len(numbers)
        if self._pending_rows >= ROWS_SUMMED:
            numbers = np.concatenate(self._pending)
            whole = len(numbers) - len(numbers) % ROWS_SUMMED
            for first in range(0, whole, ROWS_SUMMED):
                self.observed.learn_numbers(numbers[first : first + ROWS_SUMMED])
            self._pending, self._pending_rows = [numbers[whole:]], len(numbers) - whole

    def renew(self, room: int) -> ColumnMap | None:
        if self._pending:
            self.observed.learn_numbers(np.concatenate(self._pending))
            self._pending, self._pending_rows = [], 0
        old, new = self.column, copy(self.observed)
        new.finish()
        self._halve()
        if not self.moves_centre:
            new.centre = old.centre
        if not np.isfinite([new.centre, new.scale]).all() or not old.scaled:
            new.centre, new.scale = old.centre, old.scale
        slight = (
            abs(new.centre - old.centre) < MIN_SCALE_CHANGE * old.scale
            and abs(new.scale / old.scale - 1) < MIN_SCALE_CHANGE
        )
        if slight:
            new.centre, new.scale = old.centre, old.scale
        new.gaps = old.gaps or (new.gaps and room > 0)
        if slight and new.gaps == old.gaps:
            return None
        return self._take(new)

    def _halve(self) -> None:
        """Halve the weight of the rows observed so far."""
        self.observed.halve_weight()

    def _take(self, new: NumberColumn) -> ColumnMap:
        old, self.column = self.column, new
        growth, shift = new.scale / old.scale, (new.centre - old.centre) / old.scale
        if not 1 / MAX_SCALE_CHANGE <= growth <= MAX_SCALE_CHANGE:
            growth, shift = 1.0, 0.0
        sources = np.concatenate([[0], [1 if old.gaps else -1] * new.gaps, np.arange(1 + old.gaps, old.width)])
        factors = np.ones(new.width)
        factors[0] = growth
        more = ((1, 0, -shift),) if new.gaps else ()
        return ColumnMap(sources.astype(np.int64), factors, more, ((0, shift),))


class MonitoredCategory(MonitoredColumn):
    """Monitors the values of a category; new values of several rows get columns."""

    column: CategoryColumn

    def begin(self) -> None:
        self.observed = CategoryColumn(self.column.name)

    def observe(self, values: Any) -> None:
        self.observed.learn(values)

    def renew(self, room: int) -> ColumnMap | None:
        old, seen = self.column, self.observed
        known = set(old.values)
        met = {text: count for text, count in seen._counts.items() if count and text not in known}
        room = min(room, MAX_CATEGORIES - len(old.values))
        several = sorted(
            (text for text, count in met.items() if count >= MIN_CATEGORY_ROWS), key=lambda text: (-met[text], text)
        )
        names = len(met) > MAX_DISTINCT_SHARE * seen._rows and seen._rows >= 20
        chosen = [] if names else several[: max(room, 0)]
        new = CategoryColumn(old.name)
        new.values = old.values + sorted(chosen)
        new.others = old.others or len(chosen) < len(met)
        new.gaps = old.gaps or seen.gaps
        self.begin()
        if (len(new.values), new.others, new.gaps) == (len(old.values), old.others, old.gaps):
            return None
        self.column = new
        return _category_map(old, new)


def _category_map(old: CategoryColumn, new: CategoryColumn) -> ColumnMap:
    """Known values keep their weights; new ones take over the weight of "other"."""
    was, now = old.places(), new.places()
    sources = np.full(new.width, -1)
    sources_of = [*was.values, *[was.other] * (len(new.values) - len(old.values))]
    for to, source in [*zip(now.values, sources_of, strict=True), (now.other, was.other), (now.gap, was.gap)]:
        if to >= 0:
            sources[to] = source
    return ColumnMap(sources, np.ones(new.width))


class MonitoredText(MonitoredColumn):
    """Monitors words. New words of several rows get columns, and all inverse row frequencies are renewed."""

    column: TextColumn

    def begin(self) -> None:
        self.counter = Words(**self.column.words._settings())

    def observe(self, values: Any) -> None:
        self.counter.learn(values, keep=False)

    def renew(self, room: int) -> ColumnMap | None:
        old, met = self.column.words, self.counter
        least, met.min_rows, met.max_words = met.min_rows, 1, None
        met.finish()
        columns = old.columns_of(met)
        known = columns >= 0
        rows = old._rows.copy()
        rows[columns[known]] += met._rows[known]
        chosen = np.flatnonzero(~known & (met._rows >= least))[: max(room, 0)]
        new = old.extended(met, chosen, rows, old.n_rows + met.n_rows)
        factors = np.ones(new.n_columns)
        if old._weights is not None and new._weights is not None:
            factors[: old.n_columns] = old._weights / new._weights[: old.n_columns]
        self.column = TextColumn(self.column.name, new)
        self.begin()
        return ColumnMap(np.where(np.arange(new.n_columns) < old.n_columns, np.arange(new.n_columns), -1), factors)


class MonitoredIndexed(MonitoredColumn):
    """Monitors the first and the last column number of LIBSVM text."""

    column: IndexedColumns

    def begin(self) -> None:
        self.observed = copy(self.column)

    def observe(self, values: Any) -> None:
        self.observed.learn(values)

    def renew(self, room: int) -> ColumnMap | None:
        old, new = self.column, copy(self.observed)
        new.first = new.first if room > 0 else old.first
        new.end = min(new.end, new.first + old.width + room)
        if new.width == old.width:
            return None
        self.column = new
        sources = np.arange(new.first, new.end) - old.first
        return ColumnMap(np.where(sources < old.width, sources, -1), np.ones(new.width))


def monitor_column(column: ColumnEncoder, offset: bool = True) -> MonitoredColumn:
    """The monitor of a column encoder. Without an offset no centre moves, because no weight could compensate.

    >>> type(monitor_column(IndexedColumns("features"))).__name__
    'MonitoredIndexed'
    """
    if isinstance(column, NumberColumn):
        number = MonitoredNumber(column)
        number.moves_centre = offset
        return number
    if isinstance(column, CategoryColumn):
        return MonitoredCategory(column)
    return MonitoredText(column) if isinstance(column, TextColumn) else MonitoredIndexed(column)
