"""From a table to a model: read, split, encode, train, measure. The command line and `fit` both go through here."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.result import Watch
from ..foundation.errors import InputError
from ..foundation.json_values import labels_in
from ..foundation.memory import give_back
from ..foundation.splitting import VALIDATION, Sieve, folds
from ..foundation.types import Codes, Labels, Places
from ..model.model import Model
from ..tables.cache.storage import Say, Storage, emptied, told, within
from ..tables.encode.encoded_rows import Part
from ..tables.encode.encoder import Encoder
from ..tables.encode.leaks import leaks
from ..tables.encode.prepare import encoder_of, taken
from ..tables.encode.targets import classes_of, split_of
from ..tables.read.batches import CATEGORY, Batch, Foreseen, Reading, Source
from ..tables.read.column_names import target_of
from .fit_rows import Asked, Taught, taught_model, told_in_a_sentence
from .outcome import Outcome, Share, scored
from .request import Request

if TYPE_CHECKING:
    from ..tables.cache.encoded_cache import Contents
    from .checkpoint import Checkpoint
    from .two_passes import Passes


@dataclass(frozen=True)
class Lessons:
    """A table in memory: its rows, the classes, and the number of each row's class."""

    batches: Sequence[Batch]
    labels: Labels
    codes: Codes


def learn_table(
    source: Source,
    request: Request,
    watch: Watch | None = None,
    reading: Callable[[Source], None] | None = None,
    checkpoint: "Checkpoint | None" = None,
    storage: Storage | None = None,
    say: Say | None = None,
) -> Outcome:
    """Learn from a table, and measure on rows held out: in memory, or where it has no room there, from a cache.

    `watch` hears of training, `reading` of each batch read, `say` what else there is to say.
    """
    target = target_of(source, request.target)
    storage, began = storage or Storage(), time.perf_counter()
    asked = Asked(source, request, target, watch, checkpoint, storage.memory)
    encoder = encoder_of(source, request, target)
    needed: Reading = {**encoder.reading(), target: CATEGORY}
    if request.split_column is not None:
        needed = {**needed, request.split_column: CATEGORY}
    contents, both = None, None
    if storage.may_have(source):
        both = passes(source, request, target, storage, reading, say)
        contents = both.found()
        give_back()  # what looking at the first rows took
    if contents is None:
        batches = told(source, needed, reading)
        held, rest = within(batches, storage.memory) if source.bounded else (list(batches), None)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is None:
            return learn_held(asked, held, encoder)
        both = both or passes(source, request, target, storage, reading, say)
        contents = both.found()
        if contents is None:
            both.refuse_what_needs_memory()
            if reading is not None:
                source.foreseen = foreseen(asked, needed, storage)
            contents = both.made(encoder, needed, chain(emptied(held), rest))
    try:
        return learn_cached(asked, contents, began)
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


def learn_held(asked: Asked, batches: Sequence[Batch], encoder: Encoder) -> Outcome:
    """Learn from batches in memory."""
    source, request, target = asked.source, asked.request, asked.target
    lessons = Lessons(batches, *classes_of(batches, target))
    train, test = parts(lessons, request)
    began = time.perf_counter()
    taught = learned_model(asked, lessons, encoder, train)
    model = taught.model
    seconds = time.perf_counter() - began
    fold_shares = []
    goes_on = request.folds is not None and model.learned.status.reason != "interrupted"
    for part in folds(lessons.codes, request.folds or 0, request.seed) if goes_on else []:
        rest = np.setdiff1d(np.arange(len(lessons.codes)), part)
        fold = learned_model(asked, lessons, encoder_of(source, request, target), rest)
        if fold.model.learned.status.reason == "interrupted":
            raise KeyboardInterrupt
        fold_shares.append(measured(fold.model, lessons, part))
    counts = np.bincount(lessons.codes, minlength=len(lessons.labels))
    return Outcome(
        path=source.path,
        model=model,
        learner=taught.learner,
        automatic=request.automatic,
        encoded=taught.encoded,
        codes=taught.codes,
        counts=counts.tolist(),
        train_rows=len(train),
        held_out=measured(model, lessons, test),
        majority=int((lessons.codes[test] == counts.argmax()).sum()),
        seconds=seconds,
        folds=fold_shares,
        leaks=leaks(encoder, taken(batches, train), lessons.codes[train]),
    )


def learn_cached(asked: Asked, contents: "Contents", began: float) -> Outcome:
    """Learn from a cache, just as from memory."""
    labels, counts = labels_in(contents.facts["labels"]), np.array(contents.facts["counts"])
    train, stop, test = contents.parts.values()
    taught = taught_model(asked, train, stop if asked.request.early_stopping else None, labels, contents.encoder)
    return Outcome(
        path=asked.source.path,
        model=taught.model,
        learner=taught.learner,
        automatic=asked.request.automatic,
        encoded=taught.encoded,
        codes=taught.codes,
        counts=counts.sum(axis=0).tolist(),
        train_rows=len(train.codes) + len(stop.codes),
        held_out=scored(taught.model, test),
        majority=int(counts[-1, counts.sum(axis=0).argmax()]),
        seconds=time.perf_counter() - began,
        leaks=contents.facts["leaks"],
        cache=str(contents.path),
    )


def parts(lessons: Lessons, request: Request) -> tuple[Places, Places]:
    """Places of the rows to train on, and of those held out."""
    if request.split_column is not None:
        out = split_of(lessons.batches, request.split_column)
        train, test = np.flatnonzero(~out), np.flatnonzero(out)
        absent = np.flatnonzero(np.bincount(lessons.codes[train], minlength=len(lessons.labels)) == 0)
        if len(absent):
            label = lessons.labels[absent[0]].item()
            raise InputError(f"column {request.split_column!r} leaves no row of class {label!r} to train on.")
        return train, test
    if request.folds is not None:
        return np.arange(len(lessons.codes)), np.empty(0, dtype=np.intp)
    out = Sieve(request.test_fraction, request.seed)(lessons.codes)
    return np.flatnonzero(~out), np.flatnonzero(out)


def learned_model(asked: Asked, lessons: Lessons, encoder: Encoder, places: Places) -> Taught:
    """A model of some rows; the encoder learns from them too."""
    with told_in_a_sentence(asked.source):
        encoded, codes = encoder.learn(taken(lessons.batches, places)), lessons.codes[places]
    jury = None
    if asked.request.early_stopping:
        out = Sieve(VALIDATION, asked.request.seed)(codes)
        if not out.any():
            raise InputError("early stopping holds out a tenth of each class, and no class has rows enough for that.")
        jury = Part(encoded.part(np.flatnonzero(out)), codes[out])
        encoded, codes = encoded.part(np.flatnonzero(~out)), codes[~out]
    return taught_model(asked, Part(encoded, codes), jury, lessons.labels, encoder)


def measured(model: Model, lessons: Lessons, places: Places) -> Share:
    """How many of some rows a model gets right."""
    right, first = 0, 0
    for batch in taken(lessons.batches, places) if len(places) else []:
        decided = model.decide(model.table_scores(batch))
        right += int((decided == lessons.codes[places[first : first + len(decided)]]).sum())
        first += len(decided)
    return Share(right, len(places))
