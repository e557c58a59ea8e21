"""A table in memory: its batches, surveyed and then encoded by the use of their rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..foundation.splitting import STOP, TEST, TRAIN, Uses, folds
from ..foundation.types import Codes
from ..tables.encode.class_counter import Classes
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.encoder import Encoder
from ..tables.encode.prepare import select_rows
from ..tables.read.batches import Batch
from .encoded_table import EncodedTable
from .request import Request
from .survey import ColumnSurvey, EarlyStoppingSplitter, RowSurvey, check_early_stopping


@dataclass(frozen=True)
class HeldTable:
    """All batches of a table, the class of each row, and its use."""

    path: str
    batches: Sequence[Batch]
    classes: Classes
    codes: Codes
    uses: Uses

    def encode(self, encoder: Encoder) -> EncodedTable:
        """Survey the columns, and encode every row."""
        batches, codes = self._select(self.uses != TEST)
        columns, first = ColumnSurvey(encoder), 0
        for batch in batches:
            last = first + batch.table.num_rows
            columns.observe(batch, codes[first:last], keep=True)
            first = last
        leaks = columns.finish(self.path)
        encoded = LabelledRows(encoder.encode_observed(batches), codes)
        uses = self.uses[self.uses != TEST]
        stop = encoded.select(np.flatnonzero(uses == STOP)) if (uses == STOP).any() else None
        train = encoded if stop is None else encoded.select(np.flatnonzero(uses == TRAIN))
        counts, labels = self.classes.counts, self.classes.labels
        return EncodedTable(encoder, labels, counts, leaks, train, stop, lambda: self._test_batches(encoder))

    def _test_batches(self, encoder: Encoder) -> Iterator[LabelledRows]:
        """The rows held out, encoded batch by batch when they are measured."""
        batches, codes = self._select(self.uses == TEST)
        first = 0
        for batch in batches:
            last = first + batch.table.num_rows
            yield LabelledRows(encoder.encode(batch), codes[first:last])
            first = last

    def _select(self, wanted: np.ndarray) -> tuple[list[Batch], Codes]:
        return select_rows(self.batches, np.flatnonzero(wanted)), self.codes[wanted]

    def folds(self, request: Request) -> Iterator["HeldTable"]:
        """The table once for each fold, which is held out."""
        for places in folds(self.codes, request.folds or 0, request.seed):
            held_out = np.zeros(len(self.codes), dtype=bool)
            held_out[places] = True
            uses = EarlyStoppingSplitter(request)(held_out, self.codes)
            check_early_stopping(request, bool((uses == STOP).any()))
            yield HeldTable(self.path, self.batches, self.classes, self.codes, uses)


def survey_held(path: str, batches: Sequence[Batch], request: Request, target: str) -> HeldTable:
    """Survey the rows of all batches of a table."""
    survey = RowSurvey(request, target)
    observed = [survey.observe(batch, batches) for batch in batches]
    classes = survey.finish(path)
    codes, uses = (np.concatenate(each) for each in zip(*observed, strict=True))
    return HeldTable(path, batches, classes, classes.numbers[codes], uses)
