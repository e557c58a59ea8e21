"""From a table to a model: survey, encode, train, measure. The command line and `fit` both call `train_table`.

Rows are encoded in memory, or in a cache on the disk if the table is larger than the memory allowed. From there on both
are an `EncodedTable`, and nothing else depends on where the rows are.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..engine.result import Watch
from ..foundation.errors import InputError
from ..foundation.memory import release_free_memory
from ..tables.cache.storage import OnMessage, Storage, drain, read_batches, take_within_memory
from ..tables.encode.encoder import Encoder
from ..tables.encode.prepare import prepare_encoder
from ..tables.read.batches import CATEGORY, Batch, Reading, Source, TimeEstimate
from ..tables.read.column_names import find_target
from .encoded_table import EncodedTable, table_in_cache
from .fit_rows import fit_model
from .held_table import HeldTable, survey_held
from .outcome import Accuracy, Outcome, measure
from .request import Request
from .training_job import TrainingJob, as_input_errors

if TYPE_CHECKING:
    from .build_cache import CacheBuilder
    from .checkpoint import Checkpoint


def train_table(
    source: Source,
    request: Request,
    watch: Watch | None = None,
    reading: Callable[[Source], None] | None = None,
    checkpoint: "Checkpoint | None" = None,
    storage: Storage | None = None,
    say: OnMessage | None = None,
) -> Outcome:
    """Train on a table in memory, or on a cache if it is larger, and measure on the rows held out.

    `watch` is called during training, `reading` after each batch read, `say` with any other message.
    """
    target = find_target(source, request.target)
    storage, began = storage or Storage(), time.perf_counter()
    job = TrainingJob(source, request, target, watch, checkpoint, storage.memory)
    encoder = prepare_encoder(source, request, target)
    needed: Reading = {**encoder.reading(), target: CATEGORY}
    if request.split_column is not None:
        needed = {**needed, request.split_column: CATEGORY}
    cached, builder = None, None
    if storage.may_be_cached(source):
        builder = cache_builder(job, storage, reading, say)
        cached = builder.find()
        release_free_memory()  # the memory that the sample of the first rows took
    if cached is None:
        batches = read_batches(source, needed, reading)
        held, rest = (list(batches), None) if source.in_memory else take_within_memory(batches, storage.memory)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is None:
            return train_held(job, held, encoder)
        builder = builder or cache_builder(job, storage, reading, say)
        cached = builder.find()
        if cached is None:
            builder.check_feasible()
            if reading is not None:
                source.time_estimate = estimate_time(job, needed, storage)
            cached = builder.build(encoder, needed, chain(drain(held), rest))
    try:
        return train_encoded(job, table_in_cache(cached, request.early_stopping), began)
    finally:
        if not storage.keep:
            cached.remove()


def estimate_time(*arguments: Any) -> TimeEstimate | None:
    """Estimate how long training takes. Small tables get no estimate, so its module is imported when needed."""
    from .time_estimate import estimate_time

    return estimate_time(*arguments)


def cache_builder(*arguments: Any) -> "CacheBuilder":
    """The builder of a cache. Small tables need none, so its module is imported when needed."""
    from .build_cache import CacheBuilder

    return CacheBuilder(*arguments)


def train_held(job: TrainingJob, batches: Sequence[Batch], encoder: Encoder) -> Outcome:
    """Train on a table in memory, and measure by folds if the request says so."""
    with as_input_errors(job.source):
        held = survey_held(job.source.path, batches, job.request, job.target)
        began = time.perf_counter()
        table = held.encode(encoder)
    outcome = train_encoded(job, table, began)
    if job.request.folds is None or outcome.model.learned.status.reason == "interrupted":
        return outcome
    return replace(outcome, folds=list(measure_folds(job, held)))


def measure_folds(job: TrainingJob, held: HeldTable) -> Iterator[Accuracy]:
    """Train once without each fold, encoder included, and measure on that fold."""
    for fold in held.folds(job.request):
        with as_input_errors(job.source):
            table = fold.encode(prepare_encoder(job.source, job.request, job.target))
        model = fit_model(job, table).model
        if model.learned.status.reason == "interrupted":
            raise KeyboardInterrupt
        yield measure(model, table.test_batches())


def train_encoded(job: TrainingJob, table: EncodedTable, began: float) -> Outcome:
    """Train on an encoded table, and measure on its rows held out."""
    model, plan = fit_model(job, table)
    seconds = time.perf_counter() - began
    return Outcome(
        path=job.source.path,
        model=model,
        plan=plan,
        automatic=job.request.automatic,
        encoded=table.train.encoded,
        codes=table.train.codes,
        counts=table.class_counts,
        train_rows=table.learned_rows,
        held_out=measure(model, table.test_batches()),
        majority=table.majority,
        seconds=seconds,
        leaks=table.leaks,
        cache=table.cache,
    )
