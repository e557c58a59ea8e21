"""Encode a table by the use of its rows: in memory, or in a cache on the disk if it is larger than memory."""

import time
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ...foundation.errors import InputError
from ...foundation.memory import release_free_memory
from ..cache.storage import OnBatch, OnMessage, Storage, drain, read_batches, take_within_memory
from ..encode.encoder import Encoder
from ..encode.prepare import prepare_encoder
from ..read.batches import CATEGORY, Batch, Reading
from .encoded_table import EncodedTable, table_in_cache
from .held_table import survey_held
from .table_task import TableTask

if TYPE_CHECKING:
    from .build_cache import CacheBuilder


class TimedTable(NamedTuple):
    """An encoded table, and the time from which training is counted: with a cache, reading is included."""

    table: EncodedTable
    began: float


class TableEncoding:
    """Encodes one table. `on_batch` is called after each batch read, `say` with messages.

    `before_cache` is called before a cache is written, with the columns that are read.
    """

    def __init__(
        self,
        task: TableTask,
        storage: Storage,
        on_batch: OnBatch | None = None,
        say: OnMessage | None = None,
        before_cache: Callable[[Reading], None] = lambda _: None,
    ) -> None:
        self._task, self._storage = task, storage
        self._on_batch, self._say, self._before_cache = on_batch, say, before_cache

    def run(self) -> TimedTable:
        """The encoded table, from an earlier cache if there is one."""
        began, source, memory = time.perf_counter(), self._task.source, self._storage.table_memory
        encoder = prepare_encoder(source, self._task.options, self._task.target)
        if self._storage.may_be_cached(source):
            found = self._find_cache(began)
            release_free_memory()  # that the sample of the first rows took
            if found is not None:
                return found
        reading = self._reading(encoder)
        if self._task.read_by_workers:
            return self._find_cache(began) or self._build_by_workers(began, encoder, reading)
        batches = read_batches(source, reading, self._on_batch)
        held, rest = (list(batches), None) if source.in_memory else take_within_memory(batches, memory)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is not None:
            return self._find_cache(began) or self._build_cache(began, encoder, reading, held, rest)
        surveyed, began = survey_held(self._task, held), time.perf_counter()
        return TimedTable(surveyed.encode(encoder), began)

    def _reading(self, encoder: Encoder) -> Reading:
        columns: dict[str, Any] = {**encoder.reading(), self._task.target: CATEGORY}
        split = self._task.options.split_column
        return columns if split is None else {**columns, split: CATEGORY}

    @cached_property
    def _builder(self) -> "CacheBuilder":
        """The builder of the cache, made once: it notices files that change from then on."""
        from .build_cache import CacheBuilder  # small tables do without it, and start faster

        return CacheBuilder(self._task, self._storage, self._on_batch, self._say)

    def _find_cache(self, began: float) -> TimedTable | None:
        cached = self._builder.find()
        return None if cached is None else TimedTable(table_in_cache(cached, self._task.options.early_stopping), began)

    def _build_by_workers(self, began: float, encoder: Encoder, reading: Reading) -> TimedTable:
        assert self._task.executor is not None
        self._builder.check_feasible()
        cached = self._builder.build_by_workers(self._task.executor, encoder, reading)
        return TimedTable(table_in_cache(cached, early_stopping=False), began)

    def _build_cache(
        self, began: float, encoder: Encoder, reading: Reading, held: list[Batch], rest: Iterator[Batch]
    ) -> TimedTable:
        self._builder.check_feasible()
        self._before_cache(reading)
        cached = self._builder.build(encoder, reading, chain(drain(held), rest))
        return TimedTable(table_in_cache(cached, self._task.options.early_stopping), began)
