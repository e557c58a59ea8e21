"""How long a table larger than memory will take: its first rows go the whole way, through a small cache.

Nothing is known beforehand of how fast a machine reads such columns, encodes and writes them, and trains on them; but
later rows will take as long as these, in proportion. How fast the machine is meanwhile, what is under way tells.
"""

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from secrets import token_hex
from statistics import median
from typing import NamedTuple

from . import memory
from .data.batches import MOST_EPOCHS, Batch, Foreseen, Reading, Source
from .data.cache import Contents, writing, written
from .data.encoded import Part
from .data.passes import encode, facts_of
from .data.prepare import encoder_of
from .data.storage import Storage
from .data.survey import Survey
from .request import Learner
from .stops import Stops
from .teaching import Asked, learner_for, teach

TRIED = 16  # batches
LEAST = 6  # batches
BEGINNING = 2  # batches, for which those who read ahead are not ahead yet
WORTH = 0.04  # of all rows, for a trial, and of all the time, for trying again
TIMES = 4  # at most; what is usual counts
EPOCHS = 2
FEW = 16  # one of so many rows
ROOM = 0.75  # of the rows tried, where all rows have none
SPARED = 16 / 15  # of what may be held, a part is left free
UNBOUNDED = 1 << 62  # bytes


def foreseen(asked: Asked, reading: Reading, storage: Storage) -> Foreseen | None:
    """What all rows will take; None where that cannot be tried."""
    source, done = asked.source, asked.source.done
    try:
        return Trial(asked, reading, storage).whole()
    except Exception:  # what is wrong with the rows, the disk or the machine is told when it matters
        return None
    finally:
        source.done = done


@dataclass
class Trial:
    """The first rows, on their way."""

    asked: Asked
    reading: Reading
    storage: Storage

    def whole(self) -> Foreseen:
        """By some rounds, each judged by how busy it was itself, for a machine is not as fast all the time."""
        rounds: list[Foreseen] = []
        spent = 0.0
        while not rounds or (len(rounds) < TIMES and spent < WORTH * rounds[0].seconds()):
            began = time.perf_counter()
            rounds.append(self._round())
            spent += time.perf_counter() - began
        busy = median(each.busy for each in rounds)
        first = busy * median(each.first / each.busy for each in rounds)
        second = busy * median(each.second / each.busy for each in rounds)
        after = busy * median(each.after / each.busy for each in rounds)
        training = [each.training / each.busy for each in rounds if each.training is not None]
        return Foreseen(busy, first, second, busy * median(training) if training else None, after)

    def _round(self) -> Foreseen:
        """All the way, once."""
        source, request, target, key = self.asked.source, self.asked.request, self.asked.target, token_hex(16)
        first, second = Stamps(source), Stamps(source)
        survey = Survey(encoder_of(source, request, target), request, target)
        for batch in first.of(self._batches()):
            survey.see(batch)
        surveyed = survey.finish(source.path)
        memory.give_back()
        with writing(self.storage.place, key, source.path) as writer:
            encode(writer, survey, surveyed, second.of(self._batches()), self.asked)
            writer.end(survey.encoder, facts_of(surveyed))
        path = self.storage.place / f".{key}.{token_hex(4)}"  # as what is unfinished, it is swept if we are killed
        os.rename(self.storage.place / key, path)
        try:
            memory.give_back()
            training = self._training(path.name, len(surveyed.labels), second.share())
        finally:
            began = time.perf_counter()
            shutil.rmtree(path, ignore_errors=True)
        after = 0.0 if self.storage.keep else (time.perf_counter() - began) / second.share()
        seconds, busy = first.of_all()
        return Foreseen(busy, seconds, second.of_all().seconds, training, after)

    def _batches(self) -> Iterator[Batch]:
        source = self.asked.source
        for count, batch in enumerate(islice(source.batches(self.reading), TRIED), 1):
            if batch.table.num_rows:
                yield batch
            if count >= LEAST and source.done > WORTH * source.size:
                break

    def _contents(self, key: str, most: int = UNBOUNDED) -> Contents:
        return written(self.storage.place, key, most)

    def _training(self, key: str, classes: int, share: float) -> float | None:
        """Seconds of all epochs, and of what is done once, where these rows are a share of all; None: nobody knows.

        Some of it takes as long however many rows there are, as what goes by columns does: a few rows alone show how
        much.
        """
        contents, request = self._contents(key), self.asked.request
        lesson = contents.parts["train"].encoded
        size, rows = lesson.bytes, lesson.count
        _, learner = learner_for(request, classes, int(lesson.stored / share), lesson.columns, contents.encoder)
        stops = learner.recipe.stops
        if learner.solver == "optimum" or request.early_stopping or stops.max_iter > MOST_EPOCHS:
            return None
        del contents, lesson  # the room that they leave counts
        room = size if size / share + memory.own() < self.storage.allowance else ROOM * size
        free = self.storage.allowance / SPARED - memory.resident()
        tried, few = int(rows * min(free / room, 1.0)), max(rows // FEW, 1)
        if tried <= few:
            return None
        most = int((memory.resident() + min(room, free)) * SPARED)
        self._epochs(key, learner, classes, few, most)  # what is imported, and threads that begin
        least, whole = (self._epochs(key, learner, classes, count, most) for count in (few, tried))
        seconds = least + max(whole - least, 0.0) * (rows / share - few) / (tried - few)
        return seconds if stops.max_seconds is None else min(seconds, stops.max_seconds)

    def _epochs(self, key: str, learner: Learner, classes: int, rows: int, most: int) -> float:
        """Seconds that all epochs of so many rows take, with so many bytes of memory."""
        part = self._contents(key, most).parts["train"]
        lesson = Part(part.encoded.slice(0, rows), part.codes[:rows])
        one, more = (self._taught(learner, lesson, classes, epochs) for epochs in (1, 1 + EPOCHS))
        return one + (learner.recipe.stops.max_iter - 1) * max(more - one, 0.0) / EPOCHS

    def _taught(self, learner: Learner, lesson: Part, classes: int, epochs: int) -> float:
        stops = Stops(criterion=learner.recipe.stops.criterion, max_iter=epochs)
        some = replace(learner, recipe=replace(learner.recipe, stops=stops))
        began = time.perf_counter()
        if teach(some, lesson, classes, self.asked.request, None, None).interrupted:
            raise KeyboardInterrupt
        return time.perf_counter() - began


class Taken(NamedTuple):
    """Seconds, and those that the processor was busy."""

    seconds: float
    busy: float


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
        self._seen.append((time.perf_counter(), time.process_time(), read))

    def share(self) -> float:
        """Of all bytes."""
        return self._seen[-1][2] / self._source.size

    def of_all(self) -> Taken:
        """What all bytes take."""
        (began, idle, before), (ended, busy, after) = self._seen[min(BEGINNING, len(self._seen) - 2)], self._seen[-1]
        times = self._source.size / max(after - before, 1)
        return Taken((ended - began) * times, (busy - idle) * times)
