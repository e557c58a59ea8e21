"""The survey of a table: the use of each row, the classes, the columns, and columns that leak the target.

Memory and disk share this code. Rows are observed batch by batch and not kept, so a table of any size can be surveyed.
A table on the disk is surveyed in one pass; for a table in memory the rows are surveyed first, then the columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.splitting import EARLY_STOPPING_FRACTION, STOP, TEST, TRAIN, USE_NAMES, HoldOutSplitter, Uses
from ...foundation.types import Codes
from ..encode.class_counter import ClassCounter, Classes
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..encode.leaks import LeakDetector
from ..encode.prepare import select_batch_rows
from ..encode.split_column import SplitColumn
from ..read.batches import Batch
from .table_task import SplitOptions, TableTask

RowCodes = npt.NDArray[np.int64]


class RowAssigner:
    """Assigns a use to each row: to train on, to stop early by, or to measure by. A second pass gives the same uses."""

    def __init__(self, options: SplitOptions) -> None:
        test_fraction = 0.0 if options.folds is not None else options.test_fraction  # folds are assigned later
        self._test = HoldOutSplitter(test_fraction, options.seed)
        self._stop = EarlyStoppingSplitter(options)
        self._column = None if options.split_column is None else SplitColumn(options.split_column)

    def copy(self) -> "RowAssigner":
        """One that goes on from here by itself."""
        return deepcopy(self)

    def skip(self, firsts: RowCodes, rows: RowCodes) -> None:
        """Pass over rows, where none is to stop early by: their classes by first appearance, and the rows of each."""
        self._test.skip(firsts, rows)

    def __call__(self, batch: Batch, codes: RowCodes, batches: Sequence[Batch] = ()) -> Uses:
        """The use of each row of a batch, by the numbers of their classes."""
        held_out = self._test(codes) if self._column is None else self._column.held_out(batch, batches)
        return self._stop(held_out, codes)


class EarlyStoppingSplitter:
    """Completes the uses of rows: of those not held out, some are to stop early by, if the options say so."""

    def __init__(self, options: SplitOptions) -> None:
        self._splitter = HoldOutSplitter(EARLY_STOPPING_FRACTION, options.seed) if options.early_stopping else None

    def __call__(self, held_out: npt.NDArray[np.bool_], codes: npt.NDArray[np.integer[Any]]) -> Uses:
        uses = np.where(held_out, np.int8(TEST), np.int8(TRAIN))
        if self._splitter is not None:
            uses[np.flatnonzero(~held_out)[self._splitter(codes[~held_out])]] = STOP
        return uses


class RowSurvey:
    """Counts the classes of a table by the use of their rows."""

    def __init__(self, options: SplitOptions, target: str) -> None:
        self._options = options
        self._assigner, self._counter = RowAssigner(options), ClassCounter(target, groups=3)

    @property
    def rows(self) -> int:
        return self._counter.rows

    def observe(self, batch: Batch, batches: Sequence[Batch] = ()) -> tuple[RowCodes, Uses]:
        """The class of each row, numbered by appearance, and its use. Errors count missing values in all `batches`."""
        codes = self._counter.codes(batch, batches)
        uses = self._assigner(batch, codes, batches)
        self._counter.add(codes, uses)
        return codes, uses

    def add(self, texts: Sequence[str], counts: RowCodes) -> None:
        """Count rows that were observed elsewhere: those of each class (columns) and use (rows)."""
        self._counter.add_counts(texts, counts)

    def finish(self, path: str) -> Classes:
        """The classes, once every row was observed; refused where some class cannot be trained on."""
        classes = self._counter.classes(path)
        learned = classes.counts[TRAIN] + classes.counts[STOP]
        column = self._options.split_column
        if column is not None and not learned.any():
            raise InputError(f"{path}, column {column!r} leaves no rows to train on.")
        if column is not None and not learned.all():
            label = classes.labels[np.flatnonzero(learned == 0)[0]].item()
            raise InputError(f"column {column!r} leaves no row of class {label!r} to train on.")
        check_early_stopping(self._options, bool(classes.counts[STOP].any()))
        return classes


def check_early_stopping(options: SplitOptions, has_rows: bool) -> None:
    """Refuse early stopping without rows to stop by."""
    if options.early_stopping and not has_rows:
        raise InputError("early stopping holds out a tenth of each class, and no class has rows enough for that.")


class ColumnSurvey:
    """Fits the encoder to the rows that are not held out, and looks for columns that leak the target."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self._leaks = encoder, LeakDetector(encoder)

    def add(self, summaries: Iterable[Mapping[str, Any]], leaks: LeakDetector) -> None:
        """Learn from rows that were observed elsewhere: the summaries of their batches, and what leaks in them."""
        for summary in summaries:
            self.encoder.add(summary)
        self._leaks.merge(leaks)

    def observe(self, batch: Batch, codes: npt.NDArray[np.integer[Any]], keep: bool = False) -> None:
        """Rows to learn from, and their classes; with `keep` the encoder need not read their texts again."""
        self.encoder.observe(batch, keep)
        self._leaks.observe(batch, codes)

    def finish(self, path: str) -> list[str]:
        """Fix the encoded columns; the names of columns that leak the target."""
        self.encoder.finish(path)
        return self._leaks.leaking_columns(self.encoder)


class TableSurvey(NamedTuple):
    """What a survey of a whole table found."""

    encoder: Encoder
    rows: int
    classes: Classes
    leaks: list[str]


def survey_in_one_pass(batches: Iterable[Batch], encoder: Encoder, task: TableTask) -> TableSurvey:
    """Survey rows and columns together: what a table larger than memory needs."""
    rows, columns = RowSurvey(task.options, task.target), ColumnSurvey(encoder)
    for batch in batches:
        codes, uses = rows.observe(batch)
        learned = np.flatnonzero(uses != TEST)
        if len(learned):
            columns.observe(select_batch_rows(batch, learned), codes[learned])
    classes = rows.finish(task.source.path)
    return TableSurvey(encoder, rows.rows, classes, columns.finish(task.source.path))


def rows_by_use(encoder: Encoder, batch: Batch, codes: Codes, uses: Uses) -> dict[str, LabelledRows]:
    """The encoded rows of a batch by their use."""
    encoded = LabelledRows(encoder.encode(batch), codes)
    return {name: encoded.select(np.flatnonzero(uses == use)) for use, name in enumerate(USE_NAMES)}
