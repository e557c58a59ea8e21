"""From encoded rows to a model: by the recipe's loop, or to the optimum of its loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine.held_out import HeldOut
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.errors import ColumnError, InputError, TooLarge, beyond_reach
from ..foundation.labels import class_factors
from ..foundation.memory import DEFAULT
from ..foundation.seeds import draw_seed
from ..foundation.threads import thread_count
from ..foundation.types import Codes, Floats, Labels
from ..model.model import Model
from ..parts import catalogue as named
from ..parts.features import chosen
from ..parts.losses import LOSSES
from ..tables.encode.encoded_rows import Encoded, Part
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import TEXT, Source
from .memory_budget import Need, check_room
from .request import LOOSE, NamedPlan, Request

if TYPE_CHECKING:
    from .checkpoint import Checkpoint


@dataclass(frozen=True)
class Asked:
    """What to learn of which table; `watch` hears of it, `checkpoint` keeps where it is. `memory` are bytes at most."""

    source: Source
    request: Request
    target: str
    watch: Watch | None = None
    checkpoint: "Checkpoint | None" = None
    memory: int = DEFAULT


class Taught(NamedTuple):
    """A model, how it was taught, and the rows and classes it was taught with."""

    model: Model
    learner: NamedPlan
    encoded: Encoded
    codes: Codes


def taught_model(asked: Asked, lesson: Part, jury: Part | None, labels: Labels, encoder: Encoder) -> Taught:
    """A model of encoded rows; the jury's are those to stop early by."""
    source, request, checkpoint = asked.source, asked.request, asked.checkpoint
    both = [lesson] if jury is None else [lesson, jury]
    with told_in_a_sentence(source):
        stored, inputs = sum(part.encoded.stored for part in both), lesson.encoded.columns
        columns, learner = learner_for(request, len(labels), stored, inputs, encoder)
        weighing = weights_by_label(request, labels)
        rows = sum(len(part.codes) for part in both)
        need = Need(learner, rows, columns, len(labels), weighing is not None, checkpoint is not None)
        check_room(source, need, asked.memory)
        every = lesson.codes if jury is None else np.concatenate([part.codes for part in both])
        factors = class_factors(weighing, labels, every, None)
        held_out = None
        if jury is not None:
            held_out = HeldOut(jury.encoded.rows(), jury.codes, None if factors is None else factors[jury.codes])
        weights = None if factors is None else factors[lesson.codes]
        go = partial(teach, learner, lesson, len(labels), request, weights, asked.watch, held_out)
        if checkpoint is None:
            learned = go()
        else:
            others = None if jury is None else (jury.encoded, jury.codes)
            learned = checkpoint.lesson(lesson.encoded, lesson.codes, weights, go, others)
    if not (np.isfinite(learned.coef).all() and np.isfinite(learned.intercept).all()):
        raise beyond_reach(source.path)
    about = {"target": asked.target, "scaled": request.scale}
    class_name = named.ALGORITHMS[learner.algorithm].class_name
    parameters = {**learner.parameters, "random_state": request.seed}
    parameters |= {} if weighing is None else {"class_weight": weighing}
    if learner.solver == "optimum":
        parameters.setdefault("tol", tolerance(learner))
    model = Model(class_name, parameters, labels, None, learned, about, inputs, encoder)
    return Taught(model, learner, lesson.encoded, lesson.codes)


def learner_for(request: Request, classes: int, stored: int, inputs: int, encoder: Encoder) -> tuple[int, NamedPlan]:
    """How many columns rows have when they are lifted, and who learns from a table of so many numbers and columns."""
    columns = chosen(request.parameters.get("features") or "identity").columns(inputs)
    texts = set(encoder.kinds.values()) == {TEXT}
    return columns, request.plan(classes, stored * columns // inputs, columns, texts)


@contextmanager
def told_in_a_sentence(source: Source) -> Iterator[None]:
    """What cannot be learned from, as the user sees it."""
    try:
        yield
    except TooLarge:
        raise beyond_reach(source.path) from None
    except ColumnError:
        raise
    except ValueError as error:
        raise error if isinstance(error, InputError) else InputError(str(error)) from None


def tolerance(learner: NamedPlan) -> float | None:
    """How near to the optimum is near enough: new rows are predicted no better from nearer."""
    given = learner.parameters.get("tol")
    return given if given is not None or LOSSES[learner.recipe.loss].optimum == "dual" else LOOSE


def weights_by_label(request: Request, labels: Labels) -> Any:
    """Class weights with the labels themselves as keys; the user writes them as text."""
    wanted = request.class_weight
    if wanted is None or isinstance(wanted, str):
        return wanted
    by_text = {str(label): label for label in labels.tolist()}
    for name in wanted:
        if str(name) not in by_text:
            raise InputError(f"class-weight names {name!r}, which is not among the classes {labels.tolist()}.")
    return {by_text[str(name)]: weight for name, weight in wanted.items()}


def teach(
    learner: NamedPlan,
    lesson: Part,
    classes: int,
    request: Request,
    weights: Floats | None,
    watch: Watch | None,
    held_out: HeldOut | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Train a plan on encoded rows."""
    if learner.solver == "optimum":
        learner = replace(learner, tol=tolerance(learner))
    return learner.train(
        learner.recipe.lifted(lesson.encoded.rows()),
        lesson.codes,
        classes,
        weights=weights,
        total=float(len(lesson.codes) if weights is None else weights.sum()),
        seed=draw_seed(request.seed),
        threads=thread_count(None),
        watch=watch,
        held_out=held_out,
        bookmark=bookmark,
    )
