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
from ..foundation.errors import ColumnError, InputError, TooLarge, out_of_range
from ..foundation.labels import class_factors
from ..foundation.memory import DEFAULT_LIMIT
from ..foundation.seeds import draw_seed
from ..foundation.suggestions import did_you_mean
from ..foundation.threads import thread_count
from ..foundation.types import Floats, Labels
from ..model.model import Model
from ..parts import catalogue as named
from ..parts.features import chosen
from ..parts.losses import LOSSES
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import TEXT, Source
from .memory_budget import Need, check_room
from .request import LOOSE, NamedPlan, Request

if TYPE_CHECKING:
    from .checkpoint import Checkpoint


@dataclass(frozen=True)
class TrainingJob:
    """What to learn from which table. `watch` is called during training; `memory` is the most to use, in bytes."""

    source: Source
    request: Request
    target: str
    watch: Watch | None = None
    checkpoint: "Checkpoint | None" = None
    memory: int = DEFAULT_LIMIT


class FittedModel(NamedTuple):
    """A model, and the algorithm that it was trained by."""

    model: Model
    learner: NamedPlan


def fit_model(
    job: TrainingJob, train: LabelledRows, stop: LabelledRows | None, labels: Labels, encoder: Encoder
) -> FittedModel:
    """Train a model on encoded rows; `stop` are the rows to stop early by."""
    source, request, checkpoint = job.source, job.request, job.checkpoint
    both = [train] if stop is None else [train, stop]
    with as_input_errors(source):
        stored, inputs = sum(part.encoded.stored for part in both), train.encoded.columns
        columns, learner = learner_for(request, len(labels), stored, inputs, encoder)
        weighing = weights_by_label(request, labels)
        rows = sum(len(part.codes) for part in both)
        need = Need(learner, rows, columns, len(labels), weighing is not None, checkpoint is not None)
        check_room(source, need, job.memory)
        every = train.codes if stop is None else np.concatenate([part.codes for part in both])
        factors = class_factors(weighing, labels, every, None)
        held_out = None
        if stop is not None:
            held_out = HeldOut(stop.encoded.rows(), stop.codes, None if factors is None else factors[stop.codes])
        weights = None if factors is None else factors[train.codes]
        go = partial(teach, learner, train, len(labels), request, weights, job.watch, held_out)
        if checkpoint is None:
            learned = go()
        else:
            others = None if stop is None else (stop.encoded, stop.codes)
            learned = checkpoint.lesson(train.encoded, train.codes, weights, go, others)
    if not (np.isfinite(learned.coef).all() and np.isfinite(learned.intercept).all()):
        raise out_of_range(source.path)
    about = {"target": job.target, "scaled": request.scale}
    class_name = named.ALGORITHMS[learner.algorithm].class_name
    parameters = {**learner.parameters, "random_state": request.seed}
    parameters |= {} if weighing is None else {"class_weight": weighing}
    if learner.solver == "optimum":
        parameters.setdefault("tol", tolerance(learner))
    model = Model(class_name, parameters, labels, None, learned, about, inputs, encoder)
    return FittedModel(model, learner)


def learner_for(request: Request, classes: int, stored: int, inputs: int, encoder: Encoder) -> tuple[int, NamedPlan]:
    """How many columns rows have when they are lifted, and who learns from a table of so many numbers and columns."""
    columns = chosen(request.parameters.get("features") or "identity").columns(inputs)
    texts = set(encoder.kinds.values()) == {TEXT}
    return columns, request.plan(classes, stored * columns // inputs, columns, texts)


@contextmanager
def as_input_errors(source: Source) -> Iterator[None]:
    """Raise every ValueError as an `InputError`, whose text is for the user."""
    try:
        yield
    except TooLarge:
        raise out_of_range(source.path) from None
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
            raise InputError(
                f"class-weight names {name!r}, which is not among the classes "
                f"{labels.tolist()}{did_you_mean(name, by_text)}"
            )
    return {by_text[str(name)]: weight for name, weight in wanted.items()}


def teach(
    learner: NamedPlan,
    lesson: LabelledRows,
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
