"""How long a table larger than memory will take: its first rows go the whole way, through a small cache.

Nothing is known beforehand of how fast a machine encodes such columns, writes them and trains on them; but later rows
will take as long as these. What is under way tells more of itself than any trial, so this is for what is still to come.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from secrets import token_hex

from .data.batches import TEXT, Batch, Foreseen, Reading, Source
from .data.cache import Contents, writing, written
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
        return Foreseen(second, training(asked, learner, storage, key, classes) / share)
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


def training(asked: Asked, learner: Learner, storage: Storage, key: str, classes: int) -> float:
    """Seconds of all epochs, and of what is done once before and after them; pages must be brought for each."""

    def rows() -> Contents:
        return written(storage.place, key, most=1 << 62)  # they are few, and stay once they are there

    def taken(contents: Contents, epochs: int) -> float:
        stops = Stops(criterion=learner.recipe.stops.criterion, max_iter=epochs)
        some = replace(learner, recipe=replace(learner.recipe, stops=stops))
        began = time.perf_counter()
        teach(some, contents.parts["train"], classes, asked.request, None, None)
        return time.perf_counter() - began

    taken(rows(), 1)  # what is done for the first time takes longer
    there = rows()
    first, again, more = taken(there, 1), taken(there, 1), taken(there, 1 + EPOCHS)
    epoch = max(more - again, 0.0) / EPOCHS + max(first - again, 0.0)
    return first + (learner.recipe.stops.max_iter - 1) * epoch
