"""Which table to encode, and how its rows are split."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..encode.column_options import ColumnOptions
from ..read.batches import Source

if TYPE_CHECKING:
    from ...distributed.traffic import Traffic


@dataclass(frozen=True, kw_only=True)
class SplitOptions(ColumnOptions):
    """Which rows are held out: a fraction, those of `split_column`, or folds in turn; and some to stop early by.

    `tune` names what is chosen by leaving rows to train on out in turn, which needs all rows in memory.
    """

    seed: int = 0
    test_fraction: float = 0.2
    folds: int | None = None
    early_stopping: bool = False
    tune: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableTask:
    """A table, the column to predict, and the options for its columns and rows.

    Where there is an `executor`, its workers read a table in files, and `traffic` counts what is sent to and fro.
    """

    source: Source
    options: SplitOptions
    target: str
    executor: Executor | None = None
    traffic: "Traffic | None" = None

    @property
    def read_by_workers(self) -> bool:
        """Whether workers survey and encode the table. A row to stop early by depends on all rows before it."""
        return self.executor is not None and bool(self.source.files) and not self.options.early_stopping
