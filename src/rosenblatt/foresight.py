"""How long a table larger than memory will take: tried on those of its first rows that memory holds.

Nothing is known beforehand of how fast a machine encodes such columns and trains on them; but later rows will take as
long as these. Work is told in seconds of all cores together, which share it.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar
from zlib import crc32

import numpy as np

from .data.batches import TEXT, Batch, Foreseen
from .data.encoded import Part, together
from .data.prepare import encoder_of
from .data.targets import Seen
from .request import Learner
from .rows import thread_count
from .stops import Stops
from .teaching import Asked, teach

TRIED = 8  # batches
EPOCHS = 2
FROM_DISK = 1.5  # times what it takes from memory: pages come and go
WRITING = 2  # times what a checksum of the same bytes takes, the checksum included

Done = TypeVar("Done")


def foreseen(asked: Asked, held: Sequence[Batch], seconds: float) -> Foreseen:
    """What comes after the first pass, of which these batches are the first; to read them took so many seconds."""
    batches, source = held[-TRIED:], asked.source
    try:
        encoder = encoder_of(source, asked.request, asked.target)
        seen = Seen(asked.target, "class")
        codes = np.concatenate([seen.codes(batch) for batch in batches])
        deque(map(encoder.see, batches), 0)  # words and names that are met for the first time take longer
        seeing, _ = worked(lambda: deque(map(encoder.see, batches), 0))
        encoder.settle(source.path)
        encoding, parts = worked(lambda: [encoder.encode(batch) for batch in batches])
    except ValueError:  # what is wrong with these rows is told elsewhere
        return Foreseen(1.0, None)
    encoded = together(parts)
    values = encoded.dense if encoded.sparse is None else encoded.sparse.values
    writing = WRITING * worked(lambda: crc32(np.ascontiguousarray(values).data))[0]
    reading, cores = seconds * len(batches) / len(held), min(thread_count(None), 2)
    second = (reading + (encoding + writing) / cores) / (reading + seeing / cores)
    share = len(batches) / len(held) * source.done / source.size  # of the whole table
    classes, texts = len(seen.texts), set(encoder.kinds.values()) == {TEXT}
    learner = asked.request.learner(classes, int(encoded.stored / share), encoded.columns, texts)
    if learner.solver == "optimum" or classes < 2:  # which takes as many steps as it takes
        return Foreseen(second, None)
    part = Part(encoded, codes.astype(np.int32))
    return Foreseen(second, FROM_DISK * training(asked, learner, part, classes) / share)


def training(asked: Asked, learner: Learner, part: Part, classes: int) -> float:
    """Seconds of all epochs, and of what is done once before and after them."""

    def tried(epochs: int) -> float:
        stops = Stops(criterion=learner.recipe.stops.criterion, max_iter=epochs)
        some = replace(learner, recipe=replace(learner.recipe, stops=stops))
        began = time.perf_counter()
        teach(some, part, classes, asked.request, None, None)
        return time.perf_counter() - began

    tried(1)  # what is done for the first time takes longer
    first, all_tried = tried(1), tried(1 + EPOCHS)
    return first + (learner.recipe.stops.max_iter - 1) * max(all_tried - first, 0.0) / EPOCHS


def worked(work: Callable[[], Done]) -> tuple[float, Done]:
    """The seconds of some work, of all cores together, and what it gives."""
    began = time.process_time()
    done = work()
    return time.process_time() - began, done
