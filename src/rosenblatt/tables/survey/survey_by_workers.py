"""The survey of a table by the workers of an executor, and its encoded rows: three passes over its parts.

1. The classes of each part. They decide which rows of later parts are held out, so they come first.
2. The summary of each batch. The driver adds them in the order of the rows, as one process does: the same bits.
3. The encoded rows of each batch. Workers write dense rows to their place in the cache, which the second pass tells.
   Sparse rows return to the driver, which writes them in the same order.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...distributed.ordered_tasks import in_order
from ...foundation.errors import InputError
from ...foundation.splitting import TEST, USE_NAMES
from ..cache.source_identity import changed_error
from ..cache.storage import OnBatch
from ..cache.stored_rows import RowPlaces, StoredRows
from ..encode.class_counter import Classes, ValueIndex
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..encode.leaks import LeakDetector
from ..encode.prepare import select_batch_rows
from ..read.batches import CATEGORY, Batch, Reading, Source
from ..read.table_parts import TablePart, table_parts
from .survey import ColumnSurvey, RowAssigner, RowSurvey, TableSurvey, rows_by_use
from .table_task import TableTask

Counts = npt.NDArray[np.int64]


class PartClasses(NamedTuple):
    """The classes of a part: their texts, their numbers in the order of their first row, and the rows of each."""

    texts: list[str]
    firsts: Counts
    rows: Counts


@dataclass(frozen=True)
class AssignedPart:
    """A part, and what is known of the rows before it: this decides which of its own rows are held out."""

    part: TablePart
    assigner: RowAssigner
    texts: Sequence[str] = field(repr=False)

    @property
    def name(self) -> str:
        return self.part.name

    def load(self) -> "AssignedRows":
        return AssignedRows(self.part.load(), self.assigner, self.texts)


class AssignedRows(NamedTuple):
    """The rows of a part, where a worker reads them."""

    source: Source
    assigner: RowAssigner
    texts: Sequence[str]

    def batches(self, reading: Reading, target: str) -> Iterator[tuple[Batch, Counts, Any]]:
        """Each batch, the class of each row, numbered by its text, and its use."""
        index = ValueIndex(target, "class", self.texts)
        for batch in filled_batches(self.source, reading):
            codes = index.codes(batch)
            if len(index.texts) > len(self.texts):
                raise changed_error(self.source.path)
            yield batch, codes, self.assigner(batch, codes)


@dataclass(frozen=True)
class PlacedPart:
    """A part, and where its rows belong in the cache."""

    part: AssignedPart
    places: RowPlaces

    @property
    def name(self) -> str:
        return self.part.name

    def load(self) -> "tuple[AssignedRows, RowPlaces]":
        return self.part.load(), self.places


class PartSurvey(NamedTuple):
    """What a part tells: the rows of each class and use, the summary of each batch, and the columns that may leak."""

    counts: Counts
    summaries: list[dict[str, Any]]
    leaks: LeakDetector


class WorkerSurvey:
    """Surveys and encodes the table of a task by an executor.

    `reading` says how its columns are read. `on_part` is called after each part.
    """

    def __init__(self, executor: Executor, task: TableTask, reading: Reading, on_part: OnBatch | None = None) -> None:
        self._executor, self._task, self._reading, self._on_part = executor, task, reading, on_part
        task.source.passes = 3
        self._texts: dict[str, int] = {}
        self._classes: list[tuple[Counts, Counts]] = []  # of each part: classes by first appearance, and rows of each
        self._use_rows: list[Counts] = []  # of each part: the rows of each use

    def _map(self, parts: Iterator[Any], function: Any, *args: Any) -> Iterator[Any]:
        for result in in_order(self._executor, parts, function, *args, traffic=self._task.traffic):
            if self._on_part is not None:
                self._on_part(self._task.source)
            yield result

    def _parts(self) -> Iterator[TablePart]:
        return table_parts(self._task.source, self._reading)

    def _assigned_parts(self) -> Iterator[AssignedPart]:
        """The parts again, each with what the first pass counted before it."""
        before, texts = RowAssigner(self._task.options), list(self._texts)
        counted = iter(self._classes)
        for part in self._parts():
            found = next(counted, None)
            if found is None:
                raise changed_error(self._task.source.path)
            yield AssignedPart(part, before.copy(), texts)
            before.skip(*found)

    def _placed_parts(self, folder: Path) -> Iterator[PlacedPart]:
        """The parts again, each with the place of its rows, which the second pass counted."""
        before = np.zeros(len(USE_NAMES), np.int64)
        for part, rows in zip(self._assigned_parts(), self._use_rows, strict=False):  # fewer rows are noticed later
            yield PlacedPart(
                part, RowPlaces(str(folder.absolute()), dict(zip(USE_NAMES, before.tolist(), strict=True)))
            )
            before = before + rows

    def survey(self, encoder: Encoder) -> TableSurvey:
        """The first two passes."""
        for found in self._map(self._parts(), part_classes, self._task.target):
            numbers = np.array([self._texts.setdefault(text, len(self._texts)) for text in found.texts], np.int64)
            self._classes.append((numbers[found.firsts], found.rows))
        if not self._texts:
            raise InputError(f"{self._task.source.path} names columns but has no rows.")
        self._task.source.pass_number = 2
        rows, columns = RowSurvey(self._task.options, self._task.target), ColumnSurvey(encoder)
        args = self._reading, self._task.target, deepcopy(encoder)  # which has not learned anything
        for part in self._map(self._assigned_parts(), part_survey, *args):
            rows.add(list(self._texts), part.counts)
            self._use_rows.append(part.counts.sum(axis=1))
            columns.add(part.summaries, part.leaks)
        classes = rows.finish(self._task.source.path)
        return TableSurvey(encoder, rows.rows, classes, columns.finish(self._task.source.path))

    def encoded_rows(self, survey: TableSurvey, folder: Path) -> Iterator[dict[str, LabelledRows | StoredRows]]:
        """The third pass: the rows of each part by their use. Workers write dense ones into the folder."""
        args = self._reading, self._task.target, survey.encoder, survey.classes
        for part in self._map(self._placed_parts(folder), part_rows, *args):
            yield from part


def filled_batches(source: Source, reading: Reading) -> Iterator[Batch]:
    return (batch for batch in source.batches(reading) if batch.table.num_rows)


def part_classes(source: Source, target: str) -> PartClasses:
    """Count the classes of a part."""
    index = ValueIndex(target, "class")
    rows, firsts = np.zeros(0, np.int64), dict[int, None]()
    for batch in filled_batches(source, {target: CATEGORY}):
        codes = index.codes(batch)
        counts = np.bincount(codes, minlength=len(index.texts))
        rows = np.pad(rows, (0, len(counts) - len(rows))) + counts
        met, places = np.unique(codes, return_index=True)
        firsts.update(dict.fromkeys(met[np.argsort(places)].tolist()))
    order = np.array(list(firsts), np.int64)
    return PartClasses(index.texts, order, rows[order])


def part_survey(rows: AssignedRows, reading: Reading, target: str, encoder: Encoder) -> PartSurvey:
    """Survey the rows of a part: as `survey_in_one_pass`, but for what the driver adds up."""
    counts, leaks, summaries = np.zeros((len(USE_NAMES), len(rows.texts)), np.int64), LeakDetector(encoder), []
    for batch, codes, uses in rows.batches(reading, target):
        counts += np.bincount(uses.astype(np.int64) * len(rows.texts) + codes, minlength=counts.size).reshape(
            counts.shape
        )
        learned = np.flatnonzero(uses != TEST)
        if len(learned):
            chosen = select_batch_rows(batch, learned)
            summaries.append(encoder.summary(chosen))
            leaks.observe(chosen, codes[learned])
    return PartSurvey(counts, summaries, leaks)


def part_rows(
    placed: tuple[AssignedRows, RowPlaces], reading: Reading, target: str, encoder: Encoder, classes: Classes
) -> list[dict[str, LabelledRows | StoredRows]]:
    """Encode the rows of a part, and write them to their place if they are dense."""
    rows, places = placed
    encoded = (
        rows_by_use(encoder, batch, classes.numbers[codes], uses)
        for batch, codes, uses in rows.batches(reading, target)
    )
    return list(places.store(encoded))
