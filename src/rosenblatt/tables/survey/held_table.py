"""A table in memory: its batches, surveyed and then encoded by the use of their rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.splitting import STOP, TEST, TRAIN, Uses, folds
from ...foundation.types import Codes
from ..encode.class_counter import Classes
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..encode.prepare import prepare_encoder, row_pieces, select_rows
from ..read.batches import Batch
from .encoded_table import EncodedTable
from .survey import ColumnSurvey, EarlyStoppingSplitter, RowSurvey, check_early_stopping
from .table_task import SplitOptions, TableTask


@dataclass(frozen=True)
class HeldTable:
    """All batches of a table, the class of each row, and its use."""

    task: TableTask
    batches: Sequence[Batch]
    classes: Classes
    codes: Codes
    uses: Uses

    def encode(self, encoder: Encoder) -> EncodedTable:
        """Survey the columns, and encode every row."""
        batches, codes = self._select(self.uses != TEST)
        columns = ColumnSurvey(encoder)
        for batch, batch_codes in _with_codes(batches, codes):
            columns.observe(batch, batch_codes, keep=True)
        leaks = columns.finish(self.task.source.path)
        rows, uses = LabelledRows(encoder.encode_observed(batches), codes), self.uses[self.uses != TEST]
        stop = rows.select(np.flatnonzero(uses == STOP)) if (uses == STOP).any() else None
        train = rows.select(np.flatnonzero(uses == TRAIN))
        labels, counts = self.classes.labels, self.classes.counts
        test_batches = lambda: self._test_batches(encoder)  # noqa: E731
        again = self._encode_again
        return EncodedTable(encoder, labels, counts, leaks, train, stop, test_batches, self._folds, encode_again=again)

    def _encode_again(self, options: SplitOptions) -> EncodedTable:
        """The same table, encoded with other options for its columns."""
        task = replace(self.task, options=options)
        return replace(self, task=task).encode(prepare_encoder(task.source, options, task.target))

    def _test_batches(self, encoder: Encoder) -> Iterator[LabelledRows]:
        """The rows held out, encoded some at a time when they are measured."""
        for batch, codes in _with_codes(*self._select(self.uses == TEST)):
            for piece, first in row_pieces(batch):
                yield LabelledRows(encoder.encode(piece), codes[first : first + piece.table.num_rows])

    def _select(self, wanted: npt.NDArray[np.bool_]) -> tuple[list[Batch], Codes]:
        return select_rows(self.batches, np.flatnonzero(wanted)), self.codes[wanted]

    def _folds(self) -> Iterator[EncodedTable]:
        """The table once for each fold, which is held out; its encoder is fitted to the other rows."""
        source, options, target = self.task.source, self.task.options, self.task.target
        for places in folds(self.codes, options.folds or 0, options.seed):
            held_out = np.zeros(len(self.codes), dtype=bool)
            held_out[places] = True
            uses = EarlyStoppingSplitter(options)(held_out, self.codes)
            check_early_stopping(options, bool((uses == STOP).any()))
            yield replace(self, uses=uses).encode(prepare_encoder(source, options, target))


def _with_codes(batches: Sequence[Batch], codes: Codes) -> Iterator[tuple[Batch, Codes]]:
    """Each batch, and the classes of its rows."""
    first = 0
    for batch in batches:
        last = first + batch.table.num_rows
        yield batch, codes[first:last]
        first = last


def survey_held(task: TableTask, batches: Sequence[Batch]) -> HeldTable:
    """Survey the rows of all batches of a table."""
    survey = RowSurvey(task.options, task.target)
    observed = [survey.observe(batch, batches) for batch in batches]
    classes = survey.finish(task.source.path)
    codes, uses = (np.concatenate(each) for each in zip(*observed, strict=True))
    if task.options.folds is not None and task.options.folds > len(codes):
        raise InputError(f"folds must be at most the number of rows, {len(codes):,}, not {task.options.folds:,}.")
    return HeldTable(task, batches, classes, classes.numbers[codes], uses)
