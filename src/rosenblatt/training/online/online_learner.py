"""Learn online from rows that pass once: predict each row, learn it, and observe its columns.

A stream shares neither the survey nor the held-out rows of tables: no row is kept, so a class or value must be added at
the row where it first appears, and each row tests the model before it trains it.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...classifiers.calibration.calibration import Calibration
from ...engine.stream import Stream
from ...foundation.errors import InputError, TooLarge, out_of_range
from ...foundation.threads import thread_count
from ...foundation.types import Floats
from ...model.model import Model
from ...parts import catalogue
from ...tables.encode.columns import ColumnEncoder, IndexedColumns, NumberColumn
from ...tables.encode.encoded_rows import EncodedRows
from ...tables.encode.encoder import Encoder
from ...tables.encode.targets import check_classes
from ...tables.read.arrow_arrays import category_codes
from ...tables.read.batches import CATEGORY, NUMBER, Batch
from ...tables.read.column_names import find_target
from ...tables.read.decoded_columns import DecodedColumns
from ...tables.read.dialect import quote_error, scan_rows
from ...tables.read.parallel_map import map_in_parallel
from ...tables.read.text_lines import Block, TextSource
from ..request import NamedPlan, Request
from .class_registry import ClassRegistry
from .column_monitor import ColumnMonitor
from .column_renewal import MAX_DEVIATIONS
from .progressive_accuracy import ProgressiveAccuracy
from .recent_scores import RecentScores
from .stream_blocks import first_half, rows_of, split_block

MAX_RUN_ROWS = 1024  # learned in one call; if their numbers overflow, none of them counts
# Columns are renewed when the rows have grown by a quarter, or by this many; and then at the end of a step. A step is a
# fiftieth of the rows, and at most 1,024. Other steps would change the models of all streams.
RENEWAL_GROWTH, MAX_RENEWAL_ROWS = 1.25, 1 << 16
RENEWAL_STEPS, MAX_STEP_ROWS = 50, 1024
AVERAGED_SHARE = 4  # averages cover about the last quarter of all rows
MAX_AVERAGED_ROWS = 1 << 17  # that averages cover; after so many rows, falling step sizes stay constant
ALL_OBSERVED_ROWS = 1 << 14  # after so many rows, 1,024 rows of every 4,096 are observed
OBSERVED_ROWS, OBSERVED_SHARE = 1024, 4
MAX_COLUMNS, MAX_WEIGHTS = 1 << 20, 1 << 23  # up to which new columns are added


class LearnerParts(NamedTuple):
    """What a learner begins with: how tables become rows, how rows are learned, and the weights so far."""

    encoder: Encoder
    every: Mapping[str, ColumnEncoder]  # of all columns, also those left out so far
    plan: NamedPlan
    stream: Stream
    texts: bool  # whether all columns are words


class OnlineLearner:
    """The encoder, classes and weights after some rows; `learn_block` predicts and learns more rows."""

    def __init__(
        self,
        source: TextSource,
        request: Request,
        accuracy: ProgressiveAccuracy,
        parts: LearnerParts,
        predict_batch: int = 1,
    ) -> None:
        self.source, self.request, self.accuracy, self.predict_batch = source, request, accuracy, predict_batch
        self.target = find_target(source, request.target)
        self.encoder, every, self.plan, self.stream, self.texts = parts
        self.monitor = ColumnMonitor(self.encoder, every, bool(self.plan.recipe.fit_intercept))
        self.classes, self.recent = ClassRegistry(), RecentScores()
        self.rows = 0
        self.columns_full = False
        self.calibration: Calibration | None = None  # of the model it began with, until rows suffice for another
        self.learns_all = not request.scale or any(isinstance(column, IndexedColumns) for column in every.values())
        self.renewal_row = self._batch_ends = sys.maxsize  # the number of rows at which columns are renewed
        self._batch_weights: tuple[Floats, Floats] | None = None  # None: each row by the weights just before it
        self._read: Callable[[Block], Batch] = self._reader()

    def begin(self, renews: bool = True) -> None:
        """Begin to learn blocks. Without `renews`, columns stay as they are: the caller starts again soon."""
        if renews:
            self.renewal_row = self._next_renewal()
        self._begin_batch()

    def learn_first(self, batches: Sequence[Batch], encoded: EncodedRows) -> None:
        """Learn the first rows, from which the encoder was made. They are not predicted."""
        met = np.concatenate([self._register_classes(batch) for batch in batches])
        self.classes.count(met)
        self._check_classes(len(met))
        learned = self._clip(encoded).rows()
        self._learn(learned, learned, met)
        self.rows = len(met)

    def _reader(self) -> Callable[[Block], Batch]:
        reading = {**self.monitor.reading(), self.target: CATEGORY}
        read = self.source.reader(reading)

        def decode(block: Block) -> Batch:
            batch = read(block)
            return replace(batch, table=DecodedColumns.of(batch.table, reading))

        return decode

    # Rows

    def learn_block(self, block: Block) -> int:
        """Predict and learn the rows of a block; returns the number of its lines.

        If a row cannot be used, the rows before it are learned first.
        """
        parts = list(split_block(block, self.source.dialect))
        parsed = map_in_parallel(self._parse, parts, thread_count(None) if len(parts) > 1 else 1)
        for part, batch in zip(parts, parsed, strict=True):
            self._learn_part(part, batch)
        return parts[-1].line + scan_rows(parts[-1].text, self.source.dialect).lines - block.line

    @property
    def reads_notations(self) -> bool:
        """Whether a column holds dates, or numbers written in a notation, which a text may fail to be."""
        columns = self.encoder.column_encoders.values()
        return any(isinstance(column, NumberColumn) and column.read_as != NUMBER for column in columns)

    def check_rows(self, text: bytes) -> None:
        """Refuse rows that `learn_block` would refuse, and learn nothing."""
        batch = self._parse(Block(text, 1, 0))
        if isinstance(batch, InputError):
            raise batch
        codes, _ = category_codes(batch.table.column(self.target))
        if (codes < 0).any():
            raise self._missing_class(batch, int(np.flatnonzero(codes < 0)[0]))
        self.encoder.check(batch)

    def _parse(self, block: Block) -> Batch | InputError:
        rows = scan_rows(block.text, self.source.dialect)
        if rows.misplaced_quote is not None or rows.unclosed_quote is not None:
            return quote_error(self.source.path, block.text, block.line, rows, self.source.dialect)
        try:
            return self._read(block)
        except InputError as error:
            return error

    def _learn_part(self, block: Block, batch: Batch | InputError) -> None:
        try:
            if isinstance(batch, InputError):
                raise batch
            self.encoder.check(batch)
        except InputError:
            if (first := first_half(block.text, self.source.dialect)) is None:
                raise
            text, end, line = block.text, first.end, block.line + first.lines
            for half in (Block(text[:end], block.line, 0), Block(text[end:], line, 0)):
                self._learn_part(half, self._parse(half))
            return
        self._learn_batch(batch)

    def _learn_batch(self, batch: Batch) -> None:
        """Learn rows that the encoder does not refuse."""
        table, rows = batch.table, batch.table.num_rows
        codes, texts = category_codes(table.column(self.target))
        texts = [text.strip() for text in texts]
        first = observed = base = end = 0  # rows learned, rows observed, and the rows that are `encoded`
        while first < rows:
            met = self._class_numbers(codes[first:], texts)
            if met[0] < 0:
                if codes[first] < 0:
                    raise self._missing_class(batch, first)
                self._add_class(texts[codes[first]])
                continue
            if first == end:
                base, end = first, min(rows, first + self.renewal_row - self.rows)
                encoded = self.encoder.encode(rows_of(batch, base, end))
            unknown = np.flatnonzero(met < 0)
            ends = (MAX_RUN_ROWS, self.renewal_row - self.rows, self._batch_ends - self.rows, *unknown[:1].tolist())
            last = min(end, first + min(ends))
            self._predict_and_learn(encoded.slice(first - base, last - base), met[: last - first])
            first = last
            if self.rows == self._batch_ends:
                self._begin_batch()
            if self.rows == self.renewal_row:
                self._observe(table, observed, first)
                observed = first
                self._renew()
        self._observe(table, observed, rows)

    def _observe(self, table: Any, first: int, last: int) -> None:
        """Observe the columns of rows just learned: of all rows while there are few, later of every fourth 1,024."""
        before = self.rows - last  # rows before this table
        while first < last:
            row = before + first
            end = min(
                last,
                ALL_OBSERVED_ROWS - before if row < ALL_OBSERVED_ROWS else first + OBSERVED_ROWS - row % OBSERVED_ROWS,
            )
            if row < ALL_OBSERVED_ROWS or row // OBSERVED_ROWS % OBSERVED_SHARE == 0:
                self.monitor.observe(table.slice(first, end - first))
            first = end

    def _class_numbers(self, codes: npt.NDArray[np.int64], texts: list[str]) -> npt.NDArray[np.intp]:
        """The number of each row's class; -1 if the class is new or missing."""
        known = np.array([*(self.classes.numbers.get(text, -1) for text in texts), -1], dtype=np.intp)
        return known[codes]

    def _predict_and_learn(self, encoded: EncodedRows, met: npt.NDArray[np.intp]) -> None:
        """Predict each row as it is, then learn it with its outliers clipped."""
        rows, near = encoded.rows(), self._clip(encoded)
        scores = self._learn(rows if near is encoded else near.rows(), rows, met)
        decided = (scores[:, 0] >= 0) if len(self.classes.labels) == 2 else scores.argmax(axis=1)
        right = decided == self.classes.codes(met)
        right[0] &= self.classes.has_seen(met[0])  # nobody could predict a class before its first row
        self.classes.count(met)
        self.rows += len(met)
        self.recent.add(scores, met)
        self.accuracy.add(right)

    def _clip(self, encoded: EncodedRows) -> EncodedRows:
        """The rows with extreme numbers clipped, so that one outlier does not spoil the weights."""
        if self.learns_all:
            return encoded
        if encoded.dense is not None:
            far = max(encoded.dense.max(initial=0.0), -encoded.dense.min(initial=0.0)) > MAX_DEVIATIONS
            return replace(encoded, dense=np.clip(encoded.dense, -MAX_DEVIATIONS, MAX_DEVIATIONS)) if far else encoded
        assert encoded.sparse is not None
        values = encoded.sparse.values
        if max(values.max(initial=0.0), -values.min(initial=0.0)) <= MAX_DEVIATIONS:
            return encoded
        return replace(encoded, sparse=encoded.sparse._replace(values=np.clip(values, -MAX_DEVIATIONS, MAX_DEVIATIONS)))

    def _learn(self, rows: _core.Rows, predicted: _core.Rows, met: npt.NDArray[np.intp]) -> Floats:
        """Learn rows; returns the scores of the `predicted` rows, each by the weights before it or its batch."""
        codes = self.classes.codes(met)
        weights = self._class_weights()
        row_weights, threads = None if weights is None else weights[codes], self._threads(rows)
        try:
            if self._batch_weights is None:
                return self.stream.predict_and_learn(rows, codes, row_weights, threads, predicted)
            scores = _core.scores(predicted, *self._batch_weights, threads)[0]
            self.stream.learn(rows, codes, row_weights, threads)
            return scores
        except TooLarge:
            raise out_of_range(self.source.path) from None

    def _threads(self, rows: _core.Rows) -> int:
        return thread_count(None) if rows.stored_values > 1 << 20 else 1

    def _class_weights(self) -> npt.NDArray[np.float64] | None:
        wanted = self.request.class_weight
        if not isinstance(wanted, dict):
            return None
        by_text = {str(name): float(weight) for name, weight in wanted.items()}
        return np.array([by_text.get(str(label), 1.0) for label in self.classes.labels.tolist()])

    def _register_classes(self, batch: Batch) -> npt.NDArray[np.intp]:
        """The class number of each row of a batch; new classes are registered."""
        codes, texts = category_codes(batch.table.column(self.target))
        texts = [text.strip() for text in texts]
        if (codes < 0).any():
            raise self._missing_class(batch, int(np.flatnonzero(codes < 0)[0]))
        for code in codes[np.sort(np.unique(codes, return_index=True)[1])].tolist():
            if texts[code] not in self.classes.numbers:
                self._add_class(texts[code])
        return self._class_numbers(codes, texts)

    def _missing_class(self, batch: Batch, row: int) -> InputError:
        where = f"{batch.path}, column {self.target!r} has no class in {batch.place(row)}"
        return InputError(f"{where}: fill in or drop.")

    # Changes while rows pass

    def _add_class(self, text: str) -> None:
        places = self.classes.add(text)
        self.recent.clear()
        self.calibration = None
        classes = len(self.classes.labels)
        if classes > 2 and classes * self.stream.columns > 2 * MAX_WEIGHTS:
            raise InputError(
                f"{self.source.path}, column {self.target!r} has {classes:,} classes, which needs too many weights for "
                f"{self.stream.columns:,} columns: choose another target, or drop columns."
            )
        self.stream.grow(places, classes)
        if self.rows:
            self._check_classes(self.rows)
            self._begin_batch()

    def _check_classes(self, rows: int) -> None:
        if len(self.classes.labels) > 1:
            check_classes(self.source.path, self.target, self.classes.labels, rows)

    def _begin_batch(self) -> None:
        """Take the present weights to predict all rows up to the next multiple of `predict_batch`."""
        if self.predict_batch > 1:
            self._batch_ends = (self.rows // self.predict_batch + 1) * self.predict_batch
            self._batch_weights = self.stream.returned

    def _next_renewal(self) -> int:
        row, least = self.rows, min(int(self.rows * RENEWAL_GROWTH), self.rows + MAX_RENEWAL_ROWS)
        while row < least or row == self.rows:
            row += min(max(row // RENEWAL_STEPS, 1), MAX_STEP_ROWS)
        return row

    def _renew(self) -> None:
        """Renew the columns."""
        self.renewal_row = self._next_renewal()
        planes = max(1, len(self.classes.labels) if len(self.classes.labels) > 2 else 1)
        most = min(MAX_COLUMNS, MAX_WEIGHTS // planes)
        column_map = self.monitor.renew(most)
        self.columns_full = self.columns_full or self.encoder.columns >= most
        self.stream.limit_memory(min(MAX_AVERAGED_ROWS, self.rows // AVERAGED_SHARE), MAX_AVERAGED_ROWS)
        if column_map is not None:
            self.stream.remap(column_map)
            self._read = self._reader()
        self._begin_batch()

    # Result

    def model(self) -> Model:
        """The model after all rows so far."""
        plan, labels = self.plan, self.classes.labels
        if len(labels) < 2:
            raise InputError(
                f"{self.source.path}, column {self.target!r} has only one class, {labels[0].item()!r}: a classifier "
                "needs two or more."
            )
        parameters = {**plan.parameters, "random_state": self.request.seed}
        weights = self._class_weights()
        if weights is not None:
            parameters["class_weight"] = dict(zip(labels.tolist(), weights.tolist(), strict=True))
        about = {"target": self.target, "scaled": self.request.scale}
        class_name = catalogue.ALGORITHMS[plan.algorithm].class_name
        return Model(class_name, parameters, labels, None, self.stream, about, encoder=self.encoder)
