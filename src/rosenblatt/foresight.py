"""How long a table larger than memory will take: its first rows go the whole way, through a small cache.

Nothing is known beforehand of how fast a machine encodes such columns, writes them and trains on them; but later rows
will take as long as these. What is under way tells more of itself than any trial, so this is for what is still to come.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from secrets import token_hex

from .data.batches import TEXT, Batch, Foreseen, Reading, Source
from .data.cache import writing, written
from .data.encoded import Part
from .data.passes import encode, facts_of
from .data.prepare import encoder_of
from .data.storage import Storage
from .data.survey import Survey
from .request import Learner
from .stops import Stops
from .teaching import Asked, teach

TRIED = 12  # batches
BEGINNING = 2  # batches, for which those who read ahead are not ahead yet
EPOCHS = 2
FEW = 16  # one of so many rows
BYTES = 12  # of a number and its place
TIMES = 3  # the fastest of which was the least disturbed


def foreseen(asked: Asked, reading: Reading, storage: Storage) -> Foreseen | None:
    """What comes after the first pass; None where that cannot be tried."""
    source, done = asked.source, asked.source.done
    try:
        return tried(asked, reading, storage)
    except (ValueError, OSError):  # what is wrong with these rows, or with the disk, is told elsewhere
        return None
    finally:
        source.done = done


def tried(asked: Asked, reading: Reading, storage: Storage) -> Foreseen:
    source, key = asked.source, token_hex(16)
    survey = Survey(encoder_of(source, asked.request, asked.target), asked.request, asked.target)
    for batch in first_of(source, reading):
        survey.see(batch)
    surveyed = survey.finish(source.path)
    stamps: list[tuple[float, int]] = []
    with writing(storage.place, key, source.path) as writer:
        again = stamped(source, first_of(source, reading), stamps)
        encode(writer, survey, surveyed, again, asked)
        writer.end(survey.encoder, facts_of(surveyed))
    (began, before), (ended, after) = stamps[min(BEGINNING, len(stamps) - 2)], stamps[-1]
    second = (ended - began) * source.size / max(after - before, 1)
    try:
        part = written(storage.place, key, storage.allowance).parts["train"]
        classes, texts = len(surveyed.labels), set(survey.encoder.kinds.values()) == {TEXT}
        share = after / source.size
        learner = asked.request.learner(classes, int(part.encoded.stored / share), part.encoded.columns, texts)
        if learner.solver == "optimum":  # which takes as many steps as it takes
            return Foreseen(second, None)
        return Foreseen(second, training(asked, learner, storage, key, classes, share))
    finally:
        written(storage.place, key, storage.allowance).remove()


def first_of(source: Source, reading: Reading) -> Iterator[Batch]:
    return filter(lambda batch: batch.table.num_rows, islice(source.batches(reading), TRIED))


def stamped(source: Source, batches: Iterator[Batch], stamps: list[tuple[float, int]]) -> Iterator[Batch]:
    """The batches; when each was asked for, and how many bytes had been read then."""
    read = 0
    for batch in batches:
        stamps.append((time.perf_counter(), read))
        read = source.done
        yield batch
    stamps.append((time.perf_counter(), read))


def training(asked: Asked, learner: Learner, storage: Storage, key: str, classes: int, share: float) -> float:
    """Seconds of all epochs, and of what is done once before and after them, where these rows are a share of all.

    Some of it takes as long however many rows there are, as what goes by columns does: a few rows alone show how much.
    """

    def taken(lesson: Part, epochs: int) -> float:
        stops = Stops(criterion=learner.recipe.stops.criterion, max_iter=epochs)
        some = replace(learner, recipe=replace(learner.recipe, stops=stops))
        began = time.perf_counter()
        teach(some, lesson, classes, asked.request, None, None)
        return time.perf_counter() - began

    def of_all_epochs(few: bool) -> tuple[int, float]:
        """Of how many rows, and seconds. Pages must be brought for the first epoch; without room for all, for each."""
        first = again = more = math.inf
        for _ in range(TIMES):
            lesson = written(storage.place, key, most=1 << 62).parts["train"]  # small enough to stay
            held = BYTES * lesson.encoded.stored / share < storage.allowance
            count = max(len(lesson.codes) // FEW, 1) if few else len(lesson.codes)
            lesson = Part(lesson.encoded.slice(0, count), lesson.codes[:count])
            first, again = min(first, taken(lesson, 1)), min(again, taken(lesson, 1))
            more = min(more, taken(lesson, 1 + EPOCHS))
        epoch = max(more - again, 0.0) / EPOCHS + (0.0 if held else max(first - again, 0.0))
        return count, first + (learner.recipe.stops.max_iter - 1) * epoch

    (few, least), (count, whole) = of_all_epochs(True), of_all_epochs(False)
    return least + max(whole - least, 0.0) * (count / share - few) / max(count - few, 1)
