"""An encoded table, ready to train on: what memory and disk both produce. Only the place of the rows differs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...foundation.json_values import labels_in
from ...foundation.splitting import STOP, TEST, TRAIN, USE_NAMES
from ...foundation.types import Labels
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder

if TYPE_CHECKING:
    from ..cache.encoded_cache import CachedTable
    from .table_task import SplitOptions

ROWS_SCORED_AT_A_TIME = 1 << 16  # of a cache


@dataclass(frozen=True)
class EncodedTable:
    """Encoded rows by their use, and what the survey found.

    `test_batches` encodes or reads the rows held out. `folds` encodes the table once for each fold, which is held out.
    `encode_again` encodes the same rows with other options for the columns; None if the table is not in memory.
    """

    encoder: Encoder
    labels: Labels
    counts: npt.NDArray[np.int64]  # rows of each class (columns) and use (rows)
    leaks: list[str]
    train: LabelledRows
    stop: LabelledRows | None
    test_batches: Callable[[], Iterator[LabelledRows]]
    folds: "Callable[[], Iterator[EncodedTable]]" = lambda: iter(())
    cache: "CachedTable | None" = None
    encode_again: "Callable[[SplitOptions], EncodedTable] | None" = None

    @property
    def class_counts(self) -> list[int]:
        """Rows of each class."""
        counts: list[int] = self.counts.sum(axis=0).tolist()
        return counts

    @property
    def learned_rows(self) -> int:
        """Rows that are not held out."""
        return int(self.counts[[TRAIN, STOP]].sum())

    @property
    def majority(self) -> int:
        """Rows held out whose class is the most frequent one of the table."""
        return int(self.counts[TEST, self.counts.sum(axis=0).argmax()])


def table_in_cache(cached: "CachedTable", early_stopping: bool) -> EncodedTable:
    """The table whose rows are in a cache on the disk."""
    train, stop, test = (cached.rows_by_use[name] for name in USE_NAMES)
    return EncodedTable(
        cached.encoder,
        labels_in(cached.facts["labels"]),
        np.array(cached.facts["counts"]),
        cached.facts["leaks"],
        train,
        stop if early_stopping else None,
        lambda: test.pieces(ROWS_SCORED_AT_A_TIME),
        cache=cached,
    )
