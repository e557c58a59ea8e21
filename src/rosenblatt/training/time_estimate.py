"""Estimate how long a table larger than memory takes: a trial run with its first rows, through a small cache.

The speed of reading, encoding, writing and training depends on the machine and the columns, so it is measured. Later
rows take as long as the first, in proportion. The progress display corrects the estimate while the run is under way.
"""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from ..foundation import memory
from ..foundation.temporary_paths import lock_temporary_folder
from ..foundation.types import Labels
from ..model.model import Model
from ..parts.stops import Stops
from ..tables.cache.encoded_cache import CachedTable, open_new_cache, write_cache
from ..tables.cache.storage import Storage
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.prepare import prepare_encoder
from ..tables.read.batches import Batch, Reading, Source
from ..tables.survey.build_cache import encoded_batches, survey_facts, write_rows
from ..tables.survey.encoded_table import ROWS_SCORED_AT_A_TIME
from ..tables.survey.survey import survey_in_one_pass
from .fit_rows import choose_plan, train_plan
from .outcome import measure
from .pass_times import MAX_ESTIMATED_EPOCHS, PassTime, TimeEstimate, processor_seconds
from .request import NamedPlan
from .training_job import TrainingJob

MIN_BATCHES, MAX_BATCHES = 8, 16  # of a trial run
MAX_TABLE_SHARE = 0.02  # of all rows, for a trial run of more than MIN_BATCHES
WARM_UP_BATCHES = 2  # whose times are ignored: the threads that read ahead are not ahead yet
MAX_TIME_SHARE = 0.04  # of the estimated time, for more rounds
MIN_ROUNDS, MAX_ROUNDS = 3, 8
MAX_TRIAL_EPOCHS = 5
# Training is timed with two shares of the trial rows. If they are too close, noise hides the difference.
SMALL_SHARE, MIN_LARGE_SHARE = 1 / 16, 1 / 4
MEMORY_SHARE = 0.75  # of the trial rows that stay in memory, if the whole table does not
RESERVE_FACTOR = 16 / 15  # part of the memory allowed stays free
UNLIMITED_BYTES = 1 << 62


def estimate_time(job: TrainingJob, reading: Reading, storage: Storage) -> TimeEstimate | None:
    """The time that all rows will take; None if a trial run is not possible."""
    source, done = job.source, job.source.done
    try:
        return TrialRun(job, reading, storage).estimate()
    except Exception:  # the run itself reports errors of the rows, the disk or the machine
        return None
    finally:
        source.done = done


class TrainingTime(NamedTuple):
    """Seconds before the first epoch, of all epochs, and after the last."""

    before: float
    training: float
    after: float


@dataclass
class TrialRun:
    """Runs the first rows of a table through survey, cache and training, and takes the time."""

    job: TrainingJob
    reading: Reading
    storage: Storage

    def estimate(self) -> TimeEstimate:
        """The estimate of several rounds, because the speed of a machine varies."""
        began = time.perf_counter()
        rounds = [self._round() for _ in range(MIN_ROUNDS)]
        while (
            len(rounds) < MAX_ROUNDS and time.perf_counter() - began < MAX_TIME_SHARE * fastest_round(rounds).seconds()
        ):
            rounds.append(self._round())
        return fastest_round(rounds)

    def _round(self) -> TimeEstimate:
        """One round: both passes, training and scoring."""
        source, request, target, key = self.job.source, self.job.request, self.job.target, token_hex(16)
        first, second = PassTimer(source), PassTimer(source)
        encoder = prepare_encoder(source, request, target)
        survey = survey_in_one_pass(first.watch(self._batches()), encoder, self.job.task)
        memory.release_free_memory()
        with write_cache(self.storage.cache_folder, key, source.path) as writer:
            write_rows(writer, encoded_batches(survey, second.watch(self._batches()), self.job.task))
            writer.end(encoder, survey_facts(survey))
        with self._as_temporary(key) as path:
            memory.release_free_memory()
            training_time = self._training_time(path.name, survey.classes.labels, second.share())
            began = time.perf_counter()
        removing = 0.0 if self.storage.keep else (time.perf_counter() - began) / second.share()
        before, training, after = training_time or (0.0, None, 0.0)
        return TimeEstimate(first.whole_pass(), second.whole_pass(), before, training, after + removing)

    @contextmanager
    def _as_temporary(self, key: str) -> Iterator[Path]:
        """Give a cache a name that is removed later if this process is killed, and remove it after the block."""
        path = self.storage.cache_folder / f".{key}.{token_hex(4)}"
        with lock_temporary_folder(self.storage.cache_folder / key):
            os.rename(self.storage.cache_folder / key, path)
            try:
                yield path
            finally:
                shutil.rmtree(path, ignore_errors=True)

    def _batches(self) -> Iterator[Batch]:
        source = self.job.source
        for count, batch in enumerate(islice(source.batches(self.reading), MAX_BATCHES), 1):
            if batch.table.num_rows:
                yield batch
            if count >= MIN_BATCHES and source.done > MAX_TABLE_SHARE * source.size:
                break

    def _contents(self, key: str, most: int = UNLIMITED_BYTES) -> CachedTable:
        return open_new_cache(self.storage.cache_folder, key, most)

    def _training_time(self, key: str, labels: Labels, share: float) -> TrainingTime | None:
        """The time of training on all rows, of which these are a share; None if it cannot be known.

        Some work depends on the columns and not on the number of rows. Two trainings with few and with many rows
        separate the two.
        """
        contents, request = self._contents(key), self.job.request
        train = contents.rows_by_use["train"].encoded
        size = train.bytes
        _, plan = choose_plan(request, len(labels), int(train.stored / share), train.columns, contents.encoder)
        stops = plan.recipe.stops
        if plan.solver == "optimum" or request.early_stopping or stops.max_iter > MAX_ESTIMATED_EPOCHS:
            return None
        del contents, train  # to free their memory before it is measured
        room = size if size / share + memory.private_memory() < self.storage.allowance else MEMORY_SHARE * size
        free = self.storage.allowance / RESERVE_FACTOR - memory.resident_memory()
        part = min(free / room, 1.0)
        if part < MIN_LARGE_SHARE:
            return None
        most = int((memory.resident_memory() + min(room, free)) * RESERVE_FACTOR)
        self._time_training(key, plan, labels, SMALL_SHARE, most)  # a warm-up: imports, and the start of threads
        few, many = (self._time_training(key, plan, labels, some, most) for some in (SMALL_SHARE, part))
        times = (1 / share - SMALL_SHARE) / (part - SMALL_SHARE)
        before, training, after = (a + max(b - a, 0.0) * times for a, b in zip(few, many, strict=True))
        return TrainingTime(before, training if stops.max_seconds is None else min(training, stops.max_seconds), after)

    def _time_training(self, key: str, plan: NamedPlan, labels: Labels, some: float, most: int) -> TrainingTime:
        """The time of training on a share of these rows, with at most so many bytes of memory."""
        contents = self._contents(key, most)
        train, test = (first_share(contents.rows_by_use[name], some) for name in ("train", "test"))
        progress_times: list[tuple[float, float]] = []  # the clock, and the seconds of all epochs so far
        stops = Stops(criterion=plan.recipe.stops.criterion, max_iter=min(plan.recipe.stops.max_iter, MAX_TRIAL_EPOCHS))
        shorter = replace(plan, recipe=replace(plan.recipe, stops=stops))
        began = time.perf_counter()
        learned = train_plan(
            *(shorter, train, len(labels), self.job.request, None),
            lambda progress: progress_times.append((time.perf_counter(), progress.seconds)),
        )
        if learned.interrupted:
            raise KeyboardInterrupt
        measure(Model(plan.algorithm, plan.parameters, labels, None, learned), test.pieces(ROWS_SCORED_AT_A_TIME))
        ended, (at, seconds) = time.perf_counter(), progress_times[-1]
        epochs = learned.history["seconds"].tolist()  # of all planes together
        more = (plan.recipe.stops.max_iter - len(epochs)) * epochs[-1] / sum(epochs)
        return TrainingTime(at - seconds - began, seconds * (1 + more), ended - at)


def first_share(rows: LabelledRows, share: float) -> LabelledRows:
    """The first rows: a share of all, at least one."""
    return rows.slice(0, min(max(int(share * len(rows.codes)), 1), len(rows.codes)))


def fastest_round(rounds: Sequence[TimeEstimate]) -> TimeEstimate:
    """The shortest time of each step: other processes only make a machine slower."""
    taught = [each for each in rounds if each.training is not None] or rounds
    return TimeEstimate(
        fastest_pass([each.first for each in rounds]),
        fastest_pass([each.second for each in rounds]),
        min(each.before for each in taught),
        min((each.training for each in taught if each.training is not None), default=None),
        min(each.after for each in taught),
    )


def fastest_pass(passes: Sequence[PassTime]) -> PassTime:
    """The shortest times of several passes."""
    return PassTime(min(each.seconds for each in passes), min(each.busy for each in passes))


class PassTimer:
    """Records when each batch of a pass was requested, and how many bytes were read by then."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._records: list[tuple[float, float, int]] = []

    def watch(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        read = 0
        for batch in batches:
            self._record(read)
            read = self._source.done
            yield batch
        self._record(read)

    def _record(self, read: int) -> None:
        self._records.append((time.perf_counter(), processor_seconds(), read))

    def share(self) -> float:
        """The share of the source's bytes that were read."""
        return self._records[-1][2] / self._source.size

    def whole_pass(self) -> PassTime:
        """The time of a pass over the whole source. Reading ahead distorts the first and the last batch."""
        inner = self._records[WARM_UP_BATCHES:-1] if len(self._records) > WARM_UP_BATCHES + 2 else self._records
        (began, idle, before), (ended, worked, after) = inner[0], inner[-1]
        times = self._source.size / max(after - before, 1)
        return PassTime((ended - began) * times, (worked - idle) * times)
