"""Train on a table: encode its rows, train a model, measure it. The command line and `fit` both call `train_table`."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..engine.result import Watch
from ..tables.cache.storage import OnMessage, Storage
from ..tables.read.batches import Reading, Source
from ..tables.read.column_names import find_target
from ..tables.survey.encode_table import TableEncoding, TimedTable
from ..tables.survey.encoded_table import EncodedTable
from .calibrate import calibrate_outcome, note_without_probabilities
from .fit_rows import fit_model
from .lift_size import note_large_lift
from .outcome import Accuracy, Outcome, measure
from .request import Request
from .score_sample import ScoreSample
from .training_job import TrainingJob, as_input_errors
from .tune_table import OnSearch, tune_table

if TYPE_CHECKING:
    from .checkpoint import Checkpoint


def train_table(
    source: Source,
    request: Request,
    watch: Watch | None = None,
    reading: Callable[[Source], None] | None = None,
    checkpoint: "Checkpoint | None" = None,
    storage: Storage | None = None,
    say: OnMessage | None = None,
    executor: Executor | None = None,
    searching: OnSearch | None = None,
) -> Outcome:
    """Train on a table in memory, or on a cache if it is larger, and measure on the rows held out.

    `watch` is called during training, `reading` after each batch read, `searching` while parameters are chosen, `say`
    with any other message. With an executor, its workers train.
    """
    storage, traffic = storage or Storage(), None
    if executor is not None:
        from ..distributed.traffic import Traffic  # others do without it, and start faster
        from .train_on_executor import check_for_executor

        check_for_executor(source, request)
        storage, traffic = replace(storage, shared=True), Traffic()
    target = find_target(source, request.target)
    job = TrainingJob(source, request, target, watch, checkpoint, storage.memory, executor, traffic)
    before_cache = partial(set_time_estimate, job, storage) if reading is not None else lambda _: None
    with as_input_errors(source):
        encoded = TableEncoding(job.task, storage, reading, say, before_cache).run()
    try:
        sample = ScoreSample()
        if say is not None:
            for note in notes_before_training(job, encoded.table):
                say(note)
        tuned = tune_table(job, encoded.table, searching)
        outcome = train_encoded(tuned.job, encoded._replace(table=tuned.table), sample)
        outcome = tuned.noted(outcome)
        outcome = replace(outcome, folds=list(measure_folds(job, encoded.table, outcome, sample)))
        return calibrate_outcome(tuned.job, tuned.table, outcome, sample)
    finally:
        if encoded.table.cache is not None and not storage.keep:
            encoded.table.cache.remove()


def notes_before_training(job: TrainingJob, table: EncodedTable) -> Iterator[str]:
    """What the user should know before training begins."""
    with as_input_errors(job.source):
        notes = note_without_probabilities(job, table), note_large_lift(job.request, table)
    return filter(None, notes)


def set_time_estimate(job: TrainingJob, storage: Storage, reading: Reading) -> None:
    """Estimate the time of a table larger than memory, for the progress display."""
    from .time_estimate import estimate_time  # small tables do without it, and start faster

    job.source.time_estimate = estimate_time(job, reading, storage)


def train_encoded(job: TrainingJob, encoded: TimedTable, sample: ScoreSample) -> Outcome:
    """Train on an encoded table, and measure on its rows held out, whose scores are added to the sample."""
    table = encoded.table
    model, plan = fit_model(job, table)
    seconds = time.perf_counter() - encoded.began
    return Outcome(
        path=job.source.path,
        model=model,
        plan=plan,
        automatic=job.request.automatic,
        encoded=table.train.encoded,
        codes=table.train.codes,
        counts=table.class_counts,
        train_rows=table.learned_rows,
        held_out=measure(model, table.test_batches(), sample),
        majority=table.majority,
        seconds=seconds,
        leaks=table.leaks,
        cache=None if table.cache is None else str(table.cache.path),
        traffic={} if job.traffic is None else job.traffic.as_dict(),
    )


def measure_folds(job: TrainingJob, table: EncodedTable, outcome: Outcome, sample: ScoreSample) -> Iterator[Accuracy]:
    """Train once without each fold, encoder included, and measure on that fold; nothing if training was interrupted.

    What the request leaves to be tuned is chosen anew for each fold, without its rows.
    """
    if job.request.folds is None or outcome.model.learned.status.reason == "interrupted":
        return
    folds = table.folds()
    while True:
        with as_input_errors(job.source):
            fold = next(folds, None)
        if fold is None:
            return
        tuned = tune_table(job, fold)
        if tuned.tuning is not None and tuned.tuning.ended == "interrupted":
            raise KeyboardInterrupt
        model = fit_model(tuned.job, tuned.table).model
        if model.learned.status.reason == "interrupted":
            raise KeyboardInterrupt
        yield measure(model, tuned.table.test_batches(), sample)
