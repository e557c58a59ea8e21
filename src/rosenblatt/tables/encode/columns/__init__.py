"""How each kind of table column becomes encoded columns: one file for each kind.

Every class has the same shape. `learn` observes some rows, `finish` ends the learning, `encode` turns any rows into
entries, `state` and `from_state` save and restore it. A number or category has one entry in each row. So a missing
number gives only the indicator, and a present number only the number.
"""

from typing import Any

from ...read.batches import CATEGORY, DATE, NUMBER, NUMBERED, TEXT
from .category import CategoryColumn
from .date import DateColumn
from .indexed import IndexedColumns
from .number import NumberColumn
from .text import TextColumn

ColumnEncoder = NumberColumn | CategoryColumn | DateColumn | TextColumn | IndexedColumns
COLUMN_ENCODERS: dict[str, Any] = {
    NUMBER: NumberColumn,
    CATEGORY: CategoryColumn,
    DATE: DateColumn,
    TEXT: TextColumn,
    NUMBERED: IndexedColumns,
}

__all__ = [
    "COLUMN_ENCODERS",
    "CategoryColumn",
    "ColumnEncoder",
    "DateColumn",
    "IndexedColumns",
    "NumberColumn",
    "TextColumn",
]
