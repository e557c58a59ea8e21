"""Learning from rows that pass once: each is predicted, learned, and looked at for what its columns have become."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.errors import InputError, TooLarge, out_of_range
from ...foundation.seeds import draw_seed
from ...foundation.threads import thread_count
from ...model.model import Model
from ...parts import catalogue as named
from ...tables.encode.columns import IndexedColumns
from ...tables.encode.encoded_rows import EncodedRows
from ...tables.encode.prepare import prepare_encoder
from ...tables.encode.targets import check_classes
from ...tables.read.arrow_arrays import category_codes
from ...tables.read.batches import CATEGORY, TEXT, Batch, map_in_parallel
from ...tables.read.column_names import find_target
from ...tables.read.text_lines import Block, Dialect, RowScan, TextSource, quote_error, scan_rows
from ..request import NamedPlan, Request
from .class_registry import ClassRegistry
from .column_renewal import MAX_DEVIATIONS, ColumnMonitor
from .one_pass import plan_one_pass, start_stream
from .progressive_accuracy import ProgressiveAccuracy

MAX_STALENESS = 50  # rows are predicted by weights that have seen all but a fiftieth of those before
MAX_CHUNK_ROWS = 1024  # rows predicted by the same weights, at most
RENEWAL_GROWTH, MAX_RENEWAL_ROWS = (
    1.25,
    1 << 16,
)  # columns are looked at again when there are so many times the rows, or so many more
AVERAGED_SHARE = 4  # averages are of about the last fourth of all rows
ALL_OBSERVED_ROWS, OBSERVED_CHUNKS = 1 << 14, 4  # after so many rows only the rows of every fourth chunk are looked at
MAX_AVERAGED_ROWS = 1 << 17  # or of so many, at most; after so many, falling steps fall no more
PARSED_BYTES = 1 << 21  # bytes of a large block that are read by one thread
MAX_COLUMNS, MAX_WEIGHTS = 1 << 20, 1 << 23  # up to which columns are added
MAX_FIRST_COLUMNS = 1 << 24  # columns that the first rows may have


class OnlineLearner:
    """Columns, classes and weights, after some rows; more rows are predicted, learned and looked at."""

    def __init__(self, source: TextSource, request: Request, tally: ProgressiveAccuracy, few: bool = False) -> None:
        self.source, self.request, self.tally = source, request, tally
        self.target = find_target(source, request.target)
        encoder = prepare_encoder(source, request, self.target)
        batches = source.read_all({**encoder.reading(), self.target: CATEGORY})
        every = dict(encoder.column_encoders)
        encoded = encoder.fit_encode(batches)
        if encoder.columns > MAX_FIRST_COLUMNS:
            raise InputError(
                f"{source.path} has {encoder.columns:,} columns, but a stream allows {MAX_FIRST_COLUMNS:,}: number "
                "them from 1, or train from a file."
            )
        self.encoder = encoder
        self.texts = set(encoder.kinds.values()) == {TEXT}
        self.plan: NamedPlan = plan_one_pass(request, self.texts)
        rows = encoded.rows()
        self.stream = start_stream(self.plan, rows, draw_seed(request.seed))
        self.watching = ColumnMonitor(encoder, every, bool(self.plan.recipe.fit_intercept))
        self.answers = ClassRegistry()
        self.rows = 0
        self.full = False
        self.learns_all = not request.scale or any(isinstance(part, IndexedColumns) for part in every.values())
        met = np.concatenate([self._met(batch) for batch in batches])
        self.answers.count(met)
        self._check_classes(len(met))
        self._learn(self._near(encoded).rows(), met)
        self.rows = len(met)
        self._read: Callable[[Block], Batch] = self._reader()
        self._chunk_ends = self._renewal = 0
        self._begin_chunk()
        self._renewal = sys.maxsize if few else self._next_renewal()  # few rows are all looked at again

    def _reader(self) -> Callable[[Block], Batch]:
        return self.source.reader({**self.watching.reading(), self.target: CATEGORY})

    # Rows

    def take(self, block: Block) -> int:
        """Predict and learn the rows of a block; how many lines these are.

        Where a row cannot be used, those before it are learned first.
        """
        parts = list(split_block(block, self.source.dialect))
        parsed = map_in_parallel(self._parsed, parts, thread_count(None) if len(parts) > 1 else 1)
        for part, batch in zip(parts, parsed, strict=True):
            self._take_part(part, batch)
        return parts[-1].line + scan_rows(parts[-1].text, self.source.dialect).lines - block.line

    def _parsed(self, block: Block) -> Batch | InputError:
        rows = scan_rows(block.text, self.source.dialect)
        if rows.misplaced_quote is not None or rows.unclosed_quote is not None:
            return quote_error(self.source.path, block.text, block.line, rows, self.source.dialect)
        try:
            return self._read(block)
        except InputError as error:
            return error

    def _take_part(self, block: Block, batch: Batch | InputError) -> None:
        try:
            if isinstance(batch, InputError):
                raise batch
            encoded = self.encoder.encode(batch) if batch.table.num_rows else None
        except InputError:
            if (first := first_half(block.text, self.source.dialect)) is None:
                raise
            text, end, line = block.text, first.end, block.line + first.lines
            for half in (Block(text[:end], block.line, 0), Block(text[end:], line, 0)):
                self._take_part(half, self._parsed(half))
            return
        if encoded is not None:
            self._take(batch, encoded)

    def _take(self, batch: Batch, encoded: EncodedRows) -> None:
        table, rows = batch.table, batch.table.num_rows
        codes, texts = category_codes(table.column(self.target))
        texts = [text.strip() for text in texts]
        first = seen = base = 0  # rows learned, looked at, and before those that are encoded
        while first < rows:
            met = self._numbered(codes[first:], texts)
            if met[0] < 0:
                if codes[first] < 0:
                    raise self._without_class(batch, first)
                self._add_class(texts[codes[first]])
                continue
            unknown = np.flatnonzero(met < 0)
            ends = [rows, self._chunk_ends - self.rows + first, *(first + unknown[:1]).tolist()]
            last = min(ends)
            self._pass(encoded.slice(first - base, last - base), met[: last - first])
            first = last
            if self.rows == self._chunk_ends:
                self._begin_chunk()
                if self.rows >= self._renewal:
                    self._see(table, seen, first)
                    seen = first
                    if self._renew() and first < rows:
                        encoded, base = self.encoder.encode(batch_from(batch, first)), first
        self._see(table, seen, rows)

    def _see(self, table: Any, first: int, last: int) -> None:
        """Rows of a table, the last of which was learned last, are looked at: all of them while there are few."""
        before = self.rows - last  # the table began after so many rows
        while first < last:
            row = before + first
            end = min(
                last,
                ALL_OBSERVED_ROWS - before
                if row < ALL_OBSERVED_ROWS
                else first + MAX_CHUNK_ROWS - row % MAX_CHUNK_ROWS,
            )
            if row < ALL_OBSERVED_ROWS or row // MAX_CHUNK_ROWS % OBSERVED_CHUNKS == 0:
                self.watching.see(table.slice(first, end - first))
            first = end

    def _numbered(self, codes: npt.NDArray[np.int64], texts: list[str]) -> npt.NDArray[np.intp]:
        """The number of each row's class, -1 where it is new or there is none."""
        known = np.array([*(self.answers.numbers.get(text, -1) for text in texts), -1], dtype=np.intp)
        return known[codes]

    def _pass(self, encoded: EncodedRows, met: npt.NDArray[np.intp]) -> None:
        """Some rows of one chunk."""
        rows = encoded.rows()
        scores = _core.scores(rows, *self._planes, self._threads(rows))[0]
        codes = self.answers.codes(met)
        decided = (scores[:, 0] >= 0) if len(self.answers.labels) == 2 else scores.argmax(axis=1)
        near = self._near(encoded)
        self._learn(rows if near is encoded else near.rows(), met)
        self.answers.count(met)
        self.rows += len(met)
        self.tally.add(int((decided == codes).sum()), len(met), self.rows == self._chunk_ends)

    def _near(self, encoded: EncodedRows) -> EncodedRows:
        """The same rows with no number beyond all measure, from which none is learned."""
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

    def _learn(self, rows: _core.Rows, met: npt.NDArray[np.intp]) -> None:
        codes = self.answers.codes(met)
        weights = self._class_weights()
        try:
            self.stream.learn(rows, codes, None if weights is None else weights[codes], self._threads(rows))
        except TooLarge:
            raise out_of_range(self.source.path) from None

    def _threads(self, rows: _core.Rows) -> int:
        return thread_count(None) if rows.stored_values > 1 << 20 else 1

    def _class_weights(self) -> npt.NDArray[np.float64] | None:
        wanted = self.request.class_weight
        if not isinstance(wanted, dict):
            return None
        by_text = {str(name): float(weight) for name, weight in wanted.items()}
        return np.array([by_text.get(str(label), 1.0) for label in self.answers.labels.tolist()])

    def _met(self, batch: Batch) -> npt.NDArray[np.intp]:
        """The numbers of the classes of a batch, new ones among them."""
        codes, texts = category_codes(batch.table.column(self.target))
        texts = [text.strip() for text in texts]
        if (codes < 0).any():
            raise self._without_class(batch, int(np.flatnonzero(codes < 0)[0]))
        for code in codes[np.sort(np.unique(codes, return_index=True)[1])].tolist():
            if texts[code] not in self.answers.numbers:
                self._add_class(texts[code])
        return self._numbered(codes, texts)

    def _without_class(self, batch: Batch, row: int) -> InputError:
        where = f"{batch.path}, column {self.target!r} has no class in {batch.place(row)}"
        return InputError(f"{where}: fill in or drop.")

    # What changes on the way

    def _add_class(self, text: str) -> None:
        places = self.answers.add(text)
        classes = len(self.answers.labels)
        if classes > 2 and classes * self.stream.columns > 2 * MAX_WEIGHTS:
            raise InputError(
                f"{self.source.path}, column {self.target!r} has {classes:,} classes by now, too many weights for "
                f"{self.stream.columns:,} columns: choose another target, or drop columns."
            )
        self.stream.grow(places, classes)
        if self.rows:
            self._check_classes(self.rows)
            self._planes = self.stream.returned

    def _check_classes(self, rows: int) -> None:
        if len(self.answers.labels) > 1:
            check_classes(self.source.path, self.target, self.answers.labels, rows)

    def _begin_chunk(self) -> None:
        self._chunk_ends = self.rows + min(max(self.rows // MAX_STALENESS, 1), MAX_CHUNK_ROWS)
        self._planes = self.stream.returned

    def _next_renewal(self) -> int:
        return min(int(self.rows * RENEWAL_GROWTH), self.rows + MAX_RENEWAL_ROWS)

    def _renew(self) -> bool:
        """Look at the columns again; whether they have changed."""
        self._renewal = self._next_renewal()
        planes = max(1, len(self.answers.labels) if len(self.answers.labels) > 2 else 1)
        most = min(MAX_COLUMNS, MAX_WEIGHTS // planes)
        move = self.watching.renew(most)
        self.full = self.full or self.encoder.columns >= most
        self.stream.limit_memory(min(MAX_AVERAGED_ROWS, self.rows // AVERAGED_SHARE), MAX_AVERAGED_ROWS)
        if move is not None:
            self.stream.remap(move)
            self._read = self._reader()
        self._planes = self.stream.returned
        return move is not None

    # What was learned

    def model(self) -> Model:
        plan, labels = self.plan, self.answers.labels
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
        class_name = named.ALGORITHMS[plan.algorithm].class_name
        return Model(class_name, parameters, labels, None, self.stream, about, encoder=self.encoder)


def split_block(block: Block, dialect: Dialect) -> Iterator[Block]:
    """A large block in several that can be read at the same time."""
    text, line, offset = block
    while len(text) > 2 * PARSED_BYTES:
        rows = scan_rows(text[:PARSED_BYTES], dialect)
        if not rows.end:
            break
        yield Block(text[: rows.end], line, offset)
        line, offset, text = line + rows.lines, offset + rows.end, text[rows.end :]
    yield Block(text, line, offset)


def first_half(text: bytes | bytearray, dialect: Dialect) -> RowScan | None:
    """About half of some rows; None of a single one."""
    rows = scan_rows(text[: len(text) // 2], dialect)
    if not rows.end:
        rows = scan_rows(text[: text.find(dialect.newline.encode()) + 1], dialect)
    return rows if 0 < rows.end < len(text) else None


def batch_from(batch: Batch, first: int) -> Batch:
    """The rows of a batch from one on."""
    return Batch(batch.table.slice(first), batch.path, lambda row: batch.place(first + row))
