"""The user's options for encoding a table's columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...foundation.errors import InputError
from ...foundation.suggestions import unknown_choice
from ..read.batches import CATEGORY, DATE, NUMBER, TEXT
from ..read.notations import DAY_FIRST, MONTH_FIRST

Kind = Literal["number", "category", "text", "date", "day-first", "month-first"]
KINDS = (NUMBER, CATEGORY, TEXT, DATE, DAY_FIRST, MONTH_FIRST)  # the last two are dates


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Kinds of columns, columns to drop, and how numbers and words are encoded."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    scale: bool = True
    ngrams: int = 1
    tf_idf: bool = True
    word_counts: bool = False  # raw counts instead of 1 + log(count)
    split_column: str | None = None  # says which rows are for training

    def __post_init__(self) -> None:
        if not 1 <= self.ngrams <= 5:
            raise InputError(f"ngrams must be from 1 to 5, not {self.ngrams}.")
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise InputError(unknown_choice(f"the kind of column {name!r}", kind, KINDS))
            if name in self.drop:
                raise InputError(f"column {name!r} is dropped and also given a kind: remove one of the two options.")
