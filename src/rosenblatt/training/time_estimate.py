"""How long a table larger than memory will take: its first rows go the whole way, through a small cache.

Nothing is known beforehand of how fast a machine reads such columns, encodes and writes them, and trains on them; but
later rows will take as long as these, in proportion. How fast the machine is meanwhile, what is under way tells.
"""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from secrets import token_hex
from typing import NamedTuple

from ..foundation import memory
from ..foundation.types import Labels
from ..model.model import Model
from ..parts.stops import Stops
from ..tables.cache.encoded_cache import CachedTable, open_new_cache, write_cache
from ..tables.cache.storage import Storage
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.prepare import prepare_encoder
from ..tables.read.batches import MOST_EPOCHS, Batch, Foreseen, Reading, Source, Taken, busy
from .encoded_table import ROWS_SCORED_AT_A_TIME
from .fit_rows import TrainingJob, learner_for, teach
from .outcome import measure
from .request import NamedPlan
from .survey import survey_in_one_pass
from .two_passes import encode, facts_of

TRIED = 16  # batches
LEAST = 8  # batches
SHARE = 0.02  # of all rows
BEGINNING = 2  # batches, for which those who read ahead are not ahead yet
WORTH = 0.04  # of all the time, for trying again
TIMES = 3, 8  # at least and at most
EPOCHS = 5
FEW, MANY = 1 / 16, 1 / 4  # shares of the rows tried: between fewer, what more of them take is lost in noise
ROOM = 0.75  # of the rows tried, where all rows have none
SPARED = 16 / 15  # of what may be held, a part is left free
UNBOUNDED = 1 << 62  # bytes


def foreseen(job: TrainingJob, reading: Reading, storage: Storage) -> Foreseen | None:
    """What all rows will take; None where that cannot be tried."""
    source, done = job.source, job.source.done
    try:
        return Trial(job, reading, storage).whole()
    except Exception:  # what is wrong with the rows, the disk or the machine is told when it matters
        return None
    finally:
        source.done = done


@dataclass
class Trial:
    """The first rows, on their way."""

    job: TrainingJob
    reading: Reading
    storage: Storage

    def whole(self) -> Foreseen:
        """By some rounds, for a machine is not as fast all the time."""
        fewest, most = TIMES
        began = time.perf_counter()
        rounds = [self._round() for _ in range(fewest)]
        while len(rounds) < most and time.perf_counter() - began < WORTH * best(rounds).seconds():
            rounds.append(self._round())
        return best(rounds)

    def _round(self) -> Foreseen:
        """All the way, once."""
        source, request, target, key = self.job.source, self.job.request, self.job.target, token_hex(16)
        first, second = Stamps(source), Stamps(source)
        encoder = prepare_encoder(source, request, target)
        survey = survey_in_one_pass(first.of(self._batches()), encoder, request, target, source.path)
        memory.release_free_memory()
        with write_cache(self.storage.cache_folder, key, source.path) as writer:
            encode(writer, survey, second.of(self._batches()), self.job)
            writer.end(encoder, facts_of(survey))
        path = (
            self.storage.cache_folder / f".{key}.{token_hex(4)}"
        )  # as what is unfinished, it is swept if we are killed
        os.rename(self.storage.cache_folder / key, path)
        try:
            memory.release_free_memory()
            lesson = self._lesson(path.name, survey.classes.labels, second.share())
        finally:
            began = time.perf_counter()
            shutil.rmtree(path, ignore_errors=True)
        removing = 0.0 if self.storage.keep else (time.perf_counter() - began) / second.share()
        before, training, after = lesson or (0.0, None, 0.0)
        return Foreseen(first.of_all(), second.of_all(), before, training, after + removing)

    def _batches(self) -> Iterator[Batch]:
        source = self.job.source
        for count, batch in enumerate(islice(source.batches(self.reading), TRIED), 1):
            if batch.table.num_rows:
                yield batch
            if count >= LEAST and source.done > SHARE * source.size:
                break

    def _contents(self, key: str, most: int = UNBOUNDED) -> CachedTable:
        return open_new_cache(self.storage.cache_folder, key, most)

    def _lesson(self, key: str, labels: Labels, share: float) -> "Lesson | None":
        """What training takes where these rows are a share of all; None: nobody knows.

        Some of it takes as long however many rows there are, as what goes by columns does: a few rows alone show how
        much.
        """
        contents, request = self._contents(key), self.job.request
        lesson = contents.rows_by_use["train"].encoded
        size = lesson.bytes
        _, learner = learner_for(request, len(labels), int(lesson.stored / share), lesson.columns, contents.encoder)
        stops = learner.recipe.stops
        if learner.solver == "optimum" or request.early_stopping or stops.max_iter > MOST_EPOCHS:
            return None
        del contents, lesson  # the room that they leave counts
        room = size if size / share + memory.private_memory() < self.storage.allowance else ROOM * size
        free = self.storage.allowance / SPARED - memory.resident_memory()
        part = min(free / room, 1.0)
        if part < MANY:
            return None
        most = int((memory.resident_memory() + min(room, free)) * SPARED)
        self._taught(key, learner, labels, FEW, most)  # what is imported, and threads that begin
        few, many = (self._taught(key, learner, labels, some, most) for some in (FEW, part))
        times = (1 / share - FEW) / (part - FEW)
        before, training, after = (a + max(b - a, 0.0) * times for a, b in zip(few, many, strict=True))
        return Lesson(before, training if stops.max_seconds is None else min(training, stops.max_seconds), after)

    def _taught(self, key: str, learner: NamedPlan, labels: Labels, some: float, most: int) -> "Lesson":
        """What training takes with a share of these rows, and so many bytes of memory."""
        contents = self._contents(key, most)
        lesson, test = (beginning(contents.rows_by_use[name], some) for name in ("train", "test"))
        told: list[tuple[float, float]] = []  # when, and how long epochs have taken by then
        stops = Stops(criterion=learner.recipe.stops.criterion, max_iter=min(learner.recipe.stops.max_iter, EPOCHS))
        shorter = replace(learner, recipe=replace(learner.recipe, stops=stops))
        began = time.perf_counter()
        learned = teach(
            *(shorter, lesson, len(labels), self.job.request, None),
            lambda progress: told.append((time.perf_counter(), progress.seconds)),
        )
        if learned.interrupted:
            raise KeyboardInterrupt
        measure(Model(learner.algorithm, learner.parameters, labels, None, learned), test.pieces(ROWS_SCORED_AT_A_TIME))
        ended, (at, seconds) = time.perf_counter(), told[-1]
        epochs = learned.history["seconds"].tolist()  # side by side, where several planes are learned
        more = (learner.recipe.stops.max_iter - len(epochs)) * epochs[-1] / sum(epochs)
        return Lesson(at - seconds - began, seconds * (1 + more), ended - at)


def beginning(rows: LabelledRows, share: float) -> LabelledRows:
    """The first rows, a share of all."""
    return rows.slice(0, min(max(int(share * len(rows.codes)), 1), len(rows.codes)))


class Lesson(NamedTuple):
    """Seconds before the first epoch, of all epochs, and after the last."""

    before: float
    training: float
    after: float


def best(rounds: Sequence[Foreseen]) -> Foreseen:
    """The least of each: whoever else uses the machine makes it slower, and never faster."""
    taught = [each for each in rounds if each.training is not None] or rounds
    return Foreseen(
        least([each.first for each in rounds]),
        least([each.second for each in rounds]),
        min(each.before for each in taught),
        min((each.training for each in taught if each.training is not None), default=None),
        min(each.after for each in taught),
    )


def least(passes: Sequence[Taken]) -> Taken:
    return Taken(min(each.seconds for each in passes), min(each.busy for each in passes))


class Stamps:
    """When each batch was asked for, and how many bytes of a source had been read then."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: list[tuple[float, float, int]] = []

    def of(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        read = 0
        for batch in batches:
            self._stamp(read)
            read = self._source.done
            yield batch
        self._stamp(read)

    def _stamp(self, read: int) -> None:
        self._seen.append((time.perf_counter(), busy(), read))

    def share(self) -> float:
        """Of all bytes."""
        return self._seen[-1][2] / self._source.size

    def of_all(self) -> Taken:
        """What all bytes take. Who reads ahead begins late, and ends what nobody asks for any more."""
        inner = self._seen[BEGINNING:-1] if len(self._seen) > BEGINNING + 2 else self._seen
        (began, idle, before), (ended, worked, after) = inner[0], inner[-1]
        times = self._source.size / max(after - before, 1)
        return Taken((ended - began) * times, (worked - idle) * times)
