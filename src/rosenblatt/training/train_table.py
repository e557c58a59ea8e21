"""From a table to a model: survey, encode, train, measure. The command line and `fit` both call `learn_table`.

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
from ..tables.read.batches import CATEGORY, Batch, Foreseen, Reading, Source
from ..tables.read.column_names import find_target
from .encoded_table import EncodedTable, table_in_cache
from .fit_rows import TrainingJob, as_input_errors, fit_model
from .held_table import HeldTable, survey_held
from .outcome import Outcome, Share, measure
from .request import Request

if TYPE_CHECKING:
    from .checkpoint import Checkpoint
    from .two_passes import Passes


def learn_table(
    source: Source,
    request: Request,
    watch: Watch | None = None,
    reading: Callable[[Source], None] | None = None,
    checkpoint: "Checkpoint | None" = None,
    storage: Storage | None = None,
    say: OnMessage | None = None,
) -> Outcome:
    """Learn from a table in memory, or from a cache if it is larger, and measure on the rows held out.

    `watch` is called during training, `reading` after each batch read, `say` with any other message.
    """
    target = find_target(source, request.target)
    storage, began = storage or Storage(), time.perf_counter()
    job = TrainingJob(source, request, target, watch, checkpoint, storage.memory)
    encoder = prepare_encoder(source, request, target)
    needed: Reading = {**encoder.reading(), target: CATEGORY}
    if request.split_column is not None:
        needed = {**needed, request.split_column: CATEGORY}
    contents, both = None, None
    if storage.may_be_cached(source):
        both = passes(source, request, target, storage, reading, say)
        contents = both.found()
        release_free_memory()  # what looking at the first rows took
    if contents is None:
        batches = read_batches(source, needed, reading)
        held, rest = (list(batches), None) if source.in_memory else take_within_memory(batches, storage.memory)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is None:
            return learn_held(job, held, encoder)
        both = both or passes(source, request, target, storage, reading, say)
        contents = both.found()
        if contents is None:
            both.refuse_what_needs_memory()
            if reading is not None:
                source.foreseen = foreseen(job, needed, storage)
            contents = both.made(encoder, needed, chain(drain(held), rest))
    try:
        return learn_encoded(job, table_in_cache(contents, request.early_stopping), began)
    finally:
        if not storage.keep:
            contents.remove()


def foreseen(*what: Any) -> Foreseen | None:
    """Nobody foresees small tables."""
    from .time_estimate import foreseen

    return foreseen(*what)


def passes(*what: Any) -> "Passes":
    """Importing what goes to the disk takes time that small tables have better uses for."""
    from .two_passes import Passes

    return Passes(*what)


def learn_held(job: TrainingJob, batches: Sequence[Batch], encoder: Encoder) -> Outcome:
    """Learn from a table in memory, and measure by folds if the request says so."""
    with as_input_errors(job.source):
        held = survey_held(job.source.path, batches, job.request, job.target)
        began = time.perf_counter()
        table = held.encode(encoder)
    outcome = learn_encoded(job, table, began)
    if job.request.folds is None or outcome.model.learned.status.reason == "interrupted":
        return outcome
    return replace(outcome, folds=list(measure_folds(job, held)))


def measure_folds(job: TrainingJob, held: HeldTable) -> Iterator[Share]:
    """Train once without each fold, columns included, and measure on that fold."""
    for fold in held.folds(job.request):
        with as_input_errors(job.source):
            table = fold.encode(prepare_encoder(job.source, job.request, job.target))
        model = fit_model(job, table.train, table.stop, table.labels, table.encoder).model
        if model.learned.status.reason == "interrupted":
            raise KeyboardInterrupt
        yield measure(model, table.test_batches())


def learn_encoded(job: TrainingJob, table: EncodedTable, began: float) -> Outcome:
    """Train on an encoded table, and measure on its rows held out."""
    fitted = fit_model(job, table.train, table.stop, table.labels, table.encoder)
    seconds = time.perf_counter() - began
    return Outcome(
        path=job.source.path,
        model=fitted.model,
        learner=fitted.learner,
        automatic=job.request.automatic,
        encoded=table.train.encoded,
        codes=table.train.codes,
        counts=table.class_counts,
        train_rows=table.learned_rows,
        held_out=measure(fitted.model, table.test_batches()),
        majority=table.majority,
        seconds=seconds,
        leaks=table.leaks,
        cache=table.cache,
    )
