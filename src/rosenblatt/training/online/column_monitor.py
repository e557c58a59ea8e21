"""Monitor the columns of a stream, and renew their encoders while rows pass."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine.column_map import ColumnMap, join_maps, keep_columns, new_columns
from ...tables.encode.columns import CategoryColumn, ColumnEncoder, NumberColumn, TextColumn
from ...tables.encode.encoder import Encoder
from ...tables.encode.words import Words
from ...tables.read.batches import Reading
from .column_renewal import MAX_DISTINCT_SHARE, MonitoredNumber, monitor_column


class ColumnMonitor:
    """Monitors all columns of an encoder while rows pass, including those left out because they were constant."""

    def __init__(self, encoder: Encoder, every: Mapping[str, ColumnEncoder], offset: bool = True) -> None:
        self.encoder, self._offset = encoder, offset
        self._active = {name: monitor_column(column, offset) for name, column in encoder.column_encoders.items()}
        self._dormant = {
            name: _restart(column) for name, column in every.items() if name not in encoder.column_encoders
        }

    def reading(self) -> Reading:
        """The columns that are needed, and how to read each of them."""
        dormant = {name: column.read_as for name, column in self._dormant.items()}
        return {**self.encoder.reading(), **dormant}

    def monitored_numbers(self) -> dict[str, MonitoredNumber]:
        """The monitors of numbers: all that remembers anything between two renewals."""
        return {name: each for name, each in self._active.items() if isinstance(each, MonitoredNumber)}

    def observe(self, table: Any) -> None:
        """Observe more rows."""
        for name, each in self._active.items():
            each.observe(table.column(name))
        for name, column in self._dormant.items():
            column.learn(table.column(name))

    def renew(self, most: int) -> ColumnMap | None:
        """Renew all columns, up to `most` encoded columns; None if nothing changes."""
        encoder = self.encoder
        before, room = encoder.columns, most - encoder.columns
        at, starts = 0, []
        for each in self._active.values():
            starts.append(at)
            at += each.column.width
        maps: list[ColumnMap | None] = []
        for each in self._active.values():
            width = each.column.width
            maps.append(each.renew(room))
            room -= each.column.width - width
        activated = self._activate(room)
        if not activated and not any(maps):
            return None
        steps = [
            map_ or keep_columns(each.column.width) for map_, each in zip(maps, self._active.values(), strict=True)
        ]
        steps += [new_columns(column.width) for column in activated.values()]
        self._active |= {name: monitor_column(column, self._offset) for name, column in activated.items()}
        encoder.column_encoders = {name: each.column for name, each in self._active.items()}
        ends = np.cumsum([0, *(column.width for column in encoder.column_encoders.values())]).tolist()
        return join_maps(steps, [*starts, *[before] * len(activated)], ends[:-1])

    def _activate(self, room: int) -> dict[str, ColumnEncoder]:
        """Add columns left out so far that are no longer constant."""
        activated: dict[str, ColumnEncoder] = {}
        for name, column in list(self._dormant.items()):
            column.finish()
            named = (
                isinstance(column, CategoryColumn)
                and column._rows >= 20
                and len(column._counts) > MAX_DISTINCT_SHARE * column._rows
            )
            if named:
                self.encoder.left_out[name] = "nearly every row has another"
                del self._dormant[name]
            elif (
                column.empty
                or column.constant
                or (isinstance(column, NumberColumn) and column.too_large)
                or column.width > room
            ):
                self._dormant[name] = _restart(column)
            else:
                room -= column.width
                activated[name] = column
                self.encoder.left_out.pop(name, None)
                del self._dormant[name]
        return activated


def _restart(column: ColumnEncoder) -> ColumnEncoder:
    """A column encoder that can go on learning; words are counted from the start."""
    return TextColumn(column.name, Words(**column.words._settings())) if isinstance(column, TextColumn) else column
