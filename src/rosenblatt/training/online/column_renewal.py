"""Columns that are looked at again while rows go by: new words and values, other scales, gaps where there were none.

Each renewed part comes with a `ColumnMap`, which says how its weights go on so that scores stay what they were. With
z = (x - centre) / scale, a number's weight w becomes w * scale' / scale, and w (centre' - centre) / scale goes to the
offset; a row in which the number is missing has not the number but an indicator, whose weight gives it back. Where the
scale has changed beyond measure the column has other units, and a weight stays what it was for one deviation. A value
that was among the others takes their weight along. The rows of all words are counted on, and a word's weight falls as
its worth rises. What is new begins with weight 0.
"""

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.column_map import ColumnMap, join_maps, keep_columns, new_columns
from ...tables.encode.column_kinds import READ_AS
from ...tables.encode.columns import CategoryColumn, ColumnEncoder, IndexedColumns, NumberColumn, TextColumn
from ...tables.encode.columns.category import MAX_CATEGORIES, MIN_CATEGORY_ROWS
from ...tables.encode.encoder import Encoder
from ...tables.encode.words import Words
from ...tables.read.batches import Reading

MAX_DEVIATIONS = 20.0  # standard deviations: numbers beyond are learned as if they were there
MAX_SCALE_CHANGE = 4.0  # times the scale, or less than one part in so many of it: these are other units
MIN_SCALE_CHANGE = 0.1  # of the scale: no new one for less
ROWS_SUMMED = 8192  # rows whose numbers are added up join_maps
MAX_DISTINCT_SHARE = 0.9  # values for each row, from which on they are names


class MonitoredColumn:
    """A part of an encoder, and what is seen of its column since it was last renewed."""

    def __init__(self, part: ColumnEncoder) -> None:
        self.part = part
        self.begin()

    def begin(self) -> None:
        raise NotImplementedError

    def see(self, values: Any) -> None:
        """Rows go by."""
        raise NotImplementedError

    def renew(self, room: int) -> ColumnMap | None:
        """Change the part, by at most so many columns more; None where it stays as it is."""
        raise NotImplementedError


class MonitoredNumber(MonitoredColumn):
    """Mean and deviation of all rows, the last ones weighing more."""

    part: NumberColumn
    moves_centre = True

    def begin(self) -> None:
        self.seen = copy(self.part)
        self._waiting: list[npt.NDArray[np.float64]] = []

    def see(self, values: Any) -> None:
        """Rows are added up in groups of one size, so that sums do not depend on the pace at which they come."""
        part = self.part
        numbers = part.numbers(values)
        if part.scaled:
            numbers = np.clip(
                numbers, part.centre - MAX_DEVIATIONS * part.scale, part.centre + MAX_DEVIATIONS * part.scale
            )
        self._waiting.append(numbers)
        if sum(map(len, self._waiting)) >= ROWS_SUMMED:
            numbers = np.concatenate(self._waiting)
            whole = len(numbers) - len(numbers) % ROWS_SUMMED
            for first in range(0, whole, ROWS_SUMMED):
                self.seen.learn_numbers(numbers[first : first + ROWS_SUMMED])
            self._waiting = [numbers[whole:]]

    def renew(self, room: int) -> ColumnMap | None:
        if self._waiting:
            self.seen.learn_numbers(np.concatenate(self._waiting))
            self._waiting = []
        old, new = self.part, copy(self.seen)
        new.finish()
        self._forget()
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

    def _forget(self) -> None:
        """Half of what was seen."""
        self.seen._count, self.seen._squares = max(self.seen._count // 2, 1), self.seen._squares / 2

    def _take(self, new: NumberColumn) -> ColumnMap:
        old, self.part = self.part, new
        growth, shift = new.scale / old.scale, (new.centre - old.centre) / old.scale
        if not 1 / MAX_SCALE_CHANGE <= growth <= MAX_SCALE_CHANGE:
            growth, shift = 1.0, 0.0
        sources = np.concatenate([[0], [1 if old.gaps else -1] * new.gaps, np.arange(1 + old.gaps, old.width)])
        factors = np.ones(new.width)
        factors[0] = growth
        more = ((1, 0, -shift),) if new.gaps else ()
        return ColumnMap(sources.astype(np.int64), factors, more, ((0, shift),))


class MonitoredCategory(MonitoredColumn):
    """How often each value came; new ones that came several times get columns."""

    part: CategoryColumn

    def begin(self) -> None:
        self.seen = CategoryColumn(self.part.name)

    def see(self, values: Any) -> None:
        self.seen.learn(values)

    def renew(self, room: int) -> ColumnMap | None:
        old, seen = self.part, self.seen
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
        self.part = new
        return _category_map(old, new)


def _category_map(old: CategoryColumn, new: CategoryColumn) -> ColumnMap:
    """Old values keep their weights; values that were among the others take theirs along."""
    was, now = old.places(), new.places()
    sources = np.full(new.width, -1)
    sources_of = [*was.values, *[was.other] * (len(new.values) - len(old.values))]
    for to, source in [*zip(now.values, sources_of, strict=True), (now.other, was.other), (now.gap, was.gap)]:
        if to >= 0:
            sources[to] = source
    return ColumnMap(sources, np.ones(new.width))


class MonitoredText(MonitoredColumn):
    """In how many rows each word is. New words of several rows get columns, and the worth of all is renewed."""

    part: TextColumn

    def begin(self) -> None:
        self.counter = Words(**self.part.words._settings())

    def see(self, values: Any) -> None:
        self.counter.learn(values, keep=False)

    def renew(self, room: int) -> ColumnMap | None:
        old, met = self.part.words, self.counter
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
        self.part = TextColumn(self.part.name, new)
        self.begin()
        return ColumnMap(np.where(np.arange(new.n_columns) < old.n_columns, np.arange(new.n_columns), -1), factors)


class MonitoredIndexed(MonitoredColumn):
    """The largest number that a column has."""

    part: IndexedColumns

    def begin(self) -> None:
        self.seen = copy(self.part)

    def see(self, values: Any) -> None:
        self.seen.learn(values)

    def renew(self, room: int) -> ColumnMap | None:
        old, new = self.part, copy(self.seen)
        new.width = min(new.width, old.width + room)
        if new.width == old.width:
            return None
        self.part = new
        return ColumnMap(np.where(np.arange(new.width) < old.width, np.arange(new.width), -1), np.ones(new.width))


def monitor_column(part: ColumnEncoder, offset: bool = True) -> MonitoredColumn:
    """What watches a part; without an offset no centre is moved, for nothing would make up for it.

    >>> type(monitor_column(IndexedColumns("features"))).__name__
    'WatchedNumbered'
    """
    if isinstance(part, NumberColumn):
        number = MonitoredNumber(part)
        number.moves_centre = offset
        return number
    if isinstance(part, CategoryColumn):
        return MonitoredCategory(part)
    return MonitoredText(part) if isinstance(part, TextColumn) else MonitoredIndexed(part)


class ColumnMonitor:
    """All columns of an encoder while rows go by, those left out because they said nothing among them."""

    def __init__(self, encoder: Encoder, every: Mapping[str, ColumnEncoder], offset: bool = True) -> None:
        self.encoder, self._offset = encoder, offset
        self._live = {name: monitor_column(part, offset) for name, part in encoder.column_encoders.items()}
        self._asleep = {name: _restart(part) for name, part in every.items() if name not in encoder.column_encoders}

    def reading(self) -> Reading:
        """The columns that are needed, and how each is to be read."""
        asleep = {name: READ_AS[part.kind] for name, part in self._asleep.items()}
        return {**self.encoder.reading(), **asleep}

    def see(self, table: Any) -> None:
        """Rows go by."""
        for name, each in self._live.items():
            each.see(table.column(name))
        for name, part in self._asleep.items():
            part.learn(table.column(name))

    def renew(self, most: int) -> ColumnMap | None:
        """Look at all columns again, with room for so many; None where nothing changes."""
        encoder = self.encoder
        before, room = encoder.columns, most - encoder.columns
        at, starts = 0, []
        for each in self._live.values():
            starts.append(at)
            at += each.part.width
        moves: list[ColumnMap | None] = []
        for each in self._live.values():
            width = each.part.width
            moves.append(each.renew(room))
            room -= each.part.width - width
        woken = self._wake(room)
        if not woken and not any(moves):
            return None
        steps = [move or keep_columns(each.part.width) for move, each in zip(moves, self._live.values(), strict=True)]
        steps += [new_columns(part.width) for part in woken.values()]
        self._live |= {name: monitor_column(part, self._offset) for name, part in woken.items()}
        encoder.column_encoders = {name: each.part for name, each in self._live.items()}
        ends = np.cumsum([0, *(part.width for part in encoder.column_encoders.values())]).tolist()
        return join_maps(steps, [*starts, *[before] * len(woken)], ends[:-1])

    def _wake(self, room: int) -> dict[str, ColumnEncoder]:
        """Columns that say something by now."""
        woken: dict[str, ColumnEncoder] = {}
        for name, part in list(self._asleep.items()):
            part.finish()
            named = (
                isinstance(part, CategoryColumn)
                and part._rows >= 20
                and len(part._counts) > MAX_DISTINCT_SHARE * part._rows
            )
            if named:
                self.encoder.left_out[name] = "nearly every row has another"
                del self._asleep[name]
            elif (
                part.empty or part.constant or (isinstance(part, NumberColumn) and part.too_large) or part.width > room
            ):
                self._asleep[name] = _restart(part)
            else:
                room -= part.width
                woken[name] = part
                self.encoder.left_out.pop(name, None)
                del self._asleep[name]
        return woken


def _restart(part: ColumnEncoder) -> ColumnEncoder:
    """A part that can learn on; words begin again."""
    return TextColumn(part.name, Words(**part.words._settings())) if isinstance(part, TextColumn) else part
