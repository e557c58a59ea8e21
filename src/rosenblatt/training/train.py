"""From a table to a model: read, split, encode, train, measure. The command line and `fit` both go through here."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.run import Codes, Watch
from ..foundation.errors import InputError
from ..foundation.labels import Labels
from ..foundation.matrices import thread_count
from ..foundation.memory import DEFAULT, give_back, size
from ..foundation.splitting import VALIDATION, Places, Sieve, folds
from ..model.model import Model, labels_in
from ..tables.cache.storage import Say, Storage, emptied, told, within
from ..tables.encode.encoded_rows import Encoded, Part
from ..tables.encode.encoder import Encoder
from ..tables.encode.leaks import leaks
from ..tables.encode.prepare import encoder_of, taken
from ..tables.encode.targets import classes_of, split_of
from ..tables.read.batches import CATEGORY, Batch, Foreseen, Reading, Source
from ..tables.read.column_names import target_of
from .fit_rows import Asked, Taught, taught_model, told_in_a_sentence
from .request import Learner, Request

if TYPE_CHECKING:
    from ..tables.cache.cache import Contents
    from .checkpoint import Checkpoint
    from .two_passes import Passes

ROWS = 1 << 16  # of a cache that are scored at a time


@dataclass(frozen=True)
class Share:
    """How many of some rows are right."""

    right: int
    rows: int


@dataclass(frozen=True)
class Outcome:
    """A model from a table, the rows and classes it was trained on, and what is known of it."""

    path: str
    model: Model
    learner: Learner
    automatic: bool
    encoded: Encoded
    codes: Codes
    counts: list[int]
    train_rows: int
    held_out: Share
    majority: int
    seconds: float
    folds: list[Share] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    cache: str | None = None
    progressive: Share | None = None  # of the rows of a stream, right before they were learned


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


def scored(model: Model, part: Part) -> Share:
    """How many encoded rows a model gets right."""
    right, rows = 0, len(part.codes)
    for first in range(0, rows, ROWS):
        last = min(first + ROWS, rows)
        scores = model.scores_of(part.encoded.slice(first, last), thread_count(None))
        right += int((model.decide(scores) == part.codes[first:last]).sum())
    return Share(right, rows)


def fit(
    source: Any,
    target: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    memory: int | str = DEFAULT,
    cache: str | os.PathLike[str] | bool | None = None,
    **options: Any,
) -> Any:
    """Learn to predict one column of a table from the others; as `rosenblatt train`, in Python.

    Parameters
    ----------
    source : path, list of paths, table, or open file
        CSV, TSV, Parquet, Arrow, JSON lines or LIBSVM, plain or compressed; a pattern, a partitioned folder, or a data
        frame of pandas, polars or Arrow. An open file or pipe is read once: of more than 1,000 rows each is learned as
        it comes, and predicted before (`report_["progressive_accuracy"]`).
    target : str
        The column to predict.
    checkpoint : path of a folder, optional
        Where training keeps where it is. The same call goes on from there after a crash or a kill, and ends with the
        same bits; after the end it gives the model at once. It says on standard error that it goes on. Another call,
        or another table, is refused.
    checkpoint_every : float
        Seconds between two checkpoints at most; after the end of an epoch, one second.
    memory : int or str
        How much of it to use at most, everything counted; a table that needs more is read twice and trained on from
        the disk.
    cache : path, False or None
        The folder for tables that need more memory; None: $ROSENBLATT_CACHE, or the user's own. What is written there
        is used again next time; with False it is removed when the model is there.
    **options
        `algorithm`, `drop`, `kinds` ({column: "number", "category", "text" or "date"}), `ngrams`, `word_counts`,
        `test_fraction`, `split_column`, `folds`, `class_weight`, `seed`, and the classifier's own parameters, such as
        `C` or `features`.

    Returns
    -------
    Pipeline
        scikit-learn's, of a `TableEncoder` and a classifier: it predicts from tables with the same columns, and `save`
        keeps it. `report_` says how many rows held out it gets right. Ctrl-C ends training, and what was learned so far
        is returned; `report_["reason"]` is "interrupted" then.

    Examples
    --------
    >>> from rosenblatt import fit
    >>> table = {"size": [1.0, 2.0, 8.0, 9.0] * 5, "colour": ["red", "red", "blue", "red"] * 5,
    ...          "kind": ["small", "small", "large", "large"] * 5}
    >>> model = fit(table, target="kind")
    >>> model.predict({"size": [1.5, 8.5], "colour": ["red", None]}).tolist()
    ['small', 'large']
    >>> model.report_["test_accuracy"]
    1.0
    """
    from ..model.file import classifier_of
    from ..tables.read.sources import open_source
    from .checkpoint import held
    from .report import report_of

    own = {name: options.pop(name) for name in list(options) if name in Request.__dataclass_fields__}
    if "drop" in own:
        own["drop"] = (own["drop"],) if isinstance(own["drop"], str) else tuple(own["drop"])
    if not (cache is None or isinstance(cache, bool | str | os.PathLike)):
        raise InputError(f"cache must be a folder, False or None, not {cache!r}.")
    folder = None if cache is None or isinstance(cache, bool) else Path(cache)
    storage = Storage(size(memory), folder, keep=cache is not False)
    request = Request(target=target, parameters=options, **own)
    if hasattr(source, "read"):
        from .online.endless import fit_file

        return fit_file(source, request, checkpoint)
    opened = open_source(source)
    keeping: Any = nullcontext()
    if checkpoint is not None:
        keeping = held(checkpoint, request, checkpoint_every, tell=lambda text: print(text, file=sys.stderr))
    with keeping as kept:
        outcome = learn_table(opened, request, checkpoint=kept, storage=storage)
    model = classifier_of(outcome.model)
    model.report_ = report_of(outcome).as_dict()
    return model
