"""Train a model on encoded rows: choose the plan, check the memory, train, and put the model together."""

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..engine.held_out import HeldOut
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.collinear_columns import CollinearColumns
from ..foundation.errors import InputError, out_of_range
from ..foundation.labels import class_factors
from ..foundation.seeds import draw_seed
from ..foundation.suggestions import did_you_mean
from ..foundation.threads import thread_count
from ..foundation.types import Floats, Labels
from ..model.model import Model
from ..parts import catalogue
from ..parts.features import as_features
from ..tables.encode.encoded_rows import LabelledRows
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import TEXT
from ..tables.survey.encoded_table import EncodedTable
from .memory_budget import MemoryNeed, check_memory
from .request import NamedPlan, Request
from .training_job import TrainingJob, as_input_errors

COLLINEAR_ADVICE = (
    "every value of a category has a column, so choose another penalty, or fit a formula, such as fit(table, "
    "formula='y ~ a + b', penalty='jeffreys'), which leaves out one value of each"
)


class FittedModel(NamedTuple):
    """A model, and the plan that it was trained by."""

    model: Model
    plan: NamedPlan


def fit_model(job: TrainingJob, table: EncodedTable) -> FittedModel:
    """Train a model on the rows of a table that are not held out."""
    with as_input_errors(job.source):
        rows = [table.train] if table.stop is None else [table.train, table.stop]
        stored = sum(part.encoded.stored for part in rows)
        classes, inputs = len(table.labels), table.train.encoded.columns
        columns, plan = choose_plan(job.request, classes, stored if job.executor is None else 0, inputs, table.encoder)
        class_weight = weights_by_label(job.request, table.labels)
        weighted, saved = class_weight is not None, job.checkpoint is not None
        need = MemoryNeed(plan, sum(len(part.codes) for part in rows), columns, classes, weighted, saved)
        if job.executor is None:
            check_memory(job.source, need, job.memory)
    return FittedModel(_model(job, table, plan, class_weight, fit_plan(job, table, plan)), plan)


def fit_plan(job: TrainingJob, table: EncodedTable, plan: NamedPlan) -> TrainingResult:
    """Train by a plan, and check that the weights are finite."""
    with as_input_errors(job.source):
        try:
            result = _train(job, table, plan, weights_by_label(job.request, table.labels))
        except CollinearColumns as error:
            names = table.encoder.names
            raise error.named(as_features(plan.recipe.features).named(len(names), names), COLLINEAR_ADVICE) from None
    if not (np.isfinite(result.coef).all() and np.isfinite(result.intercept).all()):
        raise out_of_range(job.source.path)
    return result


def _train(job: TrainingJob, table: EncodedTable, plan: NamedPlan, class_weight: Any) -> TrainingResult:
    """Train, from a checkpoint if the job has one; classes are weighed by all rows that are not held out."""
    train, stop, held_out = table.train, table.stop, None
    rows = [train] if stop is None else [train, stop]
    every = train.codes if stop is None else np.concatenate([train.codes, stop.codes])
    factors = class_factors(class_weight, table.labels, every, None)
    if stop is not None:
        held_out = HeldOut(stop.encoded.rows(), stop.codes, None if factors is None else factors[stop.codes])
    weights = None if factors is None else factors[train.codes]
    if job.executor is not None:
        from .train_on_executor import train_on_executor  # others do without it, and start faster

        run = partial(train_on_executor, job, table, plan, factors)
    else:
        run = partial(train_plan, plan, train, len(table.labels), job.request, weights, job.watch, held_out)
        run = partial(run, began=time.perf_counter() - job.searched) if job.searched else run
    return run() if job.checkpoint is None else job.checkpoint.run(rows, weights, run)


def _model(job: TrainingJob, table: EncodedTable, plan: NamedPlan, class_weight: Any, result: TrainingResult) -> Model:
    about = {"target": job.target, "scaled": job.request.scale}
    parameters = {**plan.parameters, "random_state": job.request.seed}
    parameters |= {} if class_weight is None else {"class_weight": class_weight}
    if plan.early:
        parameters["tol"] = plan.tol
    class_name, inputs = catalogue.ALGORITHMS[plan.algorithm].class_name, table.train.encoded.columns
    return Model(class_name, parameters, table.labels, None, result, about, inputs, table.encoder)


def choose_plan(request: Request, classes: int, stored: int, inputs: int, encoder: Encoder) -> tuple[int, NamedPlan]:
    """The number of columns after `features`, and the plan for a table of so many stored values and columns."""
    columns = as_features(request.parameters.get("features") or "identity").columns(inputs)
    texts = set(encoder.kinds.values()) == {TEXT}
    return columns, request.plan(classes, stored * columns // inputs, columns, texts)


def weights_by_label(request: Request, labels: Labels) -> Any:
    """The class weights by label; the user gives labels as text."""
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


def train_plan(
    plan: NamedPlan,
    rows: LabelledRows,
    classes: int,
    request: Request,
    weights: Floats | None,
    watch: Watch | None,
    held_out: HeldOut | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
    began: float | None = None,
) -> TrainingResult:
    """Train a plan on encoded rows."""
    return plan.train(
        plan.recipe.lifted(rows.encoded.rows()),
        rows.codes,
        classes,
        weights=weights,
        total=float(len(rows.codes) if weights is None else weights.sum()),
        seed=draw_seed(request.seed),
        threads=thread_count(None),
        watch=watch,
        held_out=held_out,
        bookmark=bookmark,
        began=began,
    )
