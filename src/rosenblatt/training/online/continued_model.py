"""A learner that goes on from a trained model: its encoder, classes and weights, as if its rows had been a stream.

A model that was streamed goes on with its own state. Of another model only the weights are known, so the rest is set
as a stream of as many rows would have it: the scales of columns count as if these rows had been observed, an average
holds the weights for about a quarter of the rows, and falling steps have fallen so far. At first the learner predicts
exactly as the model does.
"""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine.native_state import restore_state
from ...engine.stream import Stream
from ...foundation.errors import InputError
from ...foundation.seeds import draw_seed
from ...model.model import Model
from ...parts.catalogue import ALGORITHMS, KERNEL_NAMES
from ...parts.features import IDENTITY
from ...solvers.defaults import first_step
from ...tables.encode.columns import ColumnEncoder, DateColumn, IndexedColumns, NumberColumn
from ...tables.encode.columns.moments import Moments
from ...tables.encode.encoder import Encoder
from ...tables.encode.targets import typed_labels
from ...tables.read.batches import TEXT
from ...tables.read.column_names import find_column
from ...tables.read.text_lines import TextSource
from ..request import NamedPlan, Request
from .one_pass import plan_one_pass
from .online_learner import AVERAGED_SHARE, MAX_AVERAGED_ROWS, MAX_RENEWAL_ROWS, LearnerParts, OnlineLearner
from .progressive_accuracy import ProgressiveAccuracy

MIN_ROWS = 1000  # that a model counts for, so that a few new rows do not change its columns
KEPT_PARAMETERS = ("fit_intercept", "intercept_scaling", "penalize_intercept", "loss", "eta0", "step", "keep")
REMEDY = "train one with `rosenblatt train -` or with --algorithm averaged"


def continue_model(
    model: Model, source: TextSource, accuracy: ProgressiveAccuracy, predict_batch: int = 1
) -> OnlineLearner:
    """A learner that has the weights of a model and learns the rows of a source after it."""
    check_continuable(model)
    request = request_of(model)
    encoder = _encoder_of(model, request.scale)
    for name in encoder.column_encoders:
        find_column(source, name, "which the model needs")
    texts = set(encoder.kinds.values()) == {TEXT}
    plan = plan_one_pass(request, texts)
    parts = LearnerParts(encoder, dict(encoder.column_encoders), plan, _stream_of(model, plan, encoder), texts)
    learner = OnlineLearner(source, request, accuracy, parts, predict_batch)
    for label in model.classes.tolist():
        learner.classes.add(str(label))
    learner.classes.known = len(model.classes)
    learner.calibration = model.calibration
    learner.rows = model_rows(model)
    learner.begin()
    return learner


def model_rows(model: Model) -> int:
    """How many rows a model counts for: those it was trained on, and at least 1,000."""
    return max(MIN_ROWS, model.learned.status.rows)


def check_continuable(model: Model) -> None:
    """Refuse a model that cannot learn row by row."""
    if why := _obstacle(model):
        raise InputError(f"this {model.class_name} cannot learn from single rows, because {why}: {REMEDY}.")


def _obstacle(model: Model) -> str | None:
    if model.encoder is None or model.about.get("target") is None:
        return "it was not trained on a table with named columns"
    if model.class_name in KERNEL_NAMES or model.features != IDENTITY:
        return "it lifts its rows"
    if any(isinstance(column, IndexedColumns) for column in model.encoder.column_encoders.values()):
        return "its columns are numbered, not named"
    if model.parameters.get("penalty", "l2") not in ("l2", None):
        return f"its penalty is {model.parameters['penalty']}"
    if not isinstance(model.learned, Stream) and model.class_name == "LogisticRegression" and len(model.classes) > 2:
        return "its classes were trained together"
    if typed_labels([str(label) for label in model.classes.tolist()]).tolist() != model.classes.tolist():
        return "its classes are neither texts nor numbers"
    return None


def request_of(model: Model) -> Request:
    """What the learner is asked for, as the model was: target, algorithm, parameters and class weights."""
    name = next(name for name, algorithm in ALGORITHMS.items() if algorithm.class_name == model.class_name)
    given = model.parameters
    parameters = {key: given[key] for key in KEPT_PARAMETERS if given.get(key) is not None}
    if name == "passive-aggressive" and given.get("C") is not None:
        parameters["C"] = given["C"]
    elif ALGORITHMS[name].solver is not None:
        alpha = given.get("alpha")
        parameters["alpha"] = 1 / ((given.get("C") or 1.0) * model_rows(model)) if alpha is None else alpha
    weights = given.get("class_weight")
    return Request(
        target=model.about["target"],
        algorithm=name,
        parameters=parameters,
        multi_class="joint" if model.joint and len(model.classes) > 2 else None,
        class_weight={str(label): weight for label, weight in weights.items()} if isinstance(weights, dict) else None,
        scale=bool(model.about.get("scaled", True)),
        seed=given.get("random_state") or 0,
    )


def _encoder_of(model: Model, scaled: bool) -> Encoder:
    """A copy of the model's encoder whose columns can be renewed."""
    assert model.encoder is not None
    total = min(model_rows(model), MAX_RENEWAL_ROWS)
    columns = {name: _observable(column, total, scaled) for name, column in model.encoder.column_encoders.items()}
    return Encoder(columns, model.encoder.left_out)


def _observable(column: ColumnEncoder, total: int, scaled: bool) -> ColumnEncoder:
    """A column that counts as if it had been scaled by so many rows."""
    if not isinstance(column, NumberColumn):
        return column
    column = copy(column)
    column.scaled = scaled
    exponent = int(np.frexp(max(abs(column.centre), column.scale))[1])
    mean, deviation = column.centre * 2.0**-exponent, column.scale * 2.0**-exponent
    column._moments = Moments(total, mean, deviation * deviation * total, exponent)
    column.low, column.high = column.centre - column.scale, column.centre + column.scale
    return column


def _stream_of(model: Model, plan: NamedPlan, encoder: Encoder) -> Stream:
    if isinstance(model.learned, Stream):
        return model.learned.snapshot()
    recipe = plan.recipe
    if plan.solver is not None:
        recipe = replace(recipe, alpha=plan.alpha or 0.0)
        if plan.eta0 is None:
            length = _squared_length(encoder, recipe.intercept_scaling if recipe.fit_intercept else 0.0)
            recipe = replace(recipe, eta0=first_step(recipe, length, length))
    seed = draw_seed(model.parameters.get("random_state") or 0)
    stream = Stream(recipe, encoder.columns, plan.multi_class, seed)
    stream.grow([], len(model.classes))
    parts = len(stream.states)
    planes = np.split(model.learned.coef, parts)
    offsets = np.split(model.learned.intercept / recipe.intercept_scaling, parts)
    for state, plane, offset in zip(stream.states, planes, offsets, strict=True):
        state.set_weights(plane, offset)
    stream.states = [restore_state(_aged(state.__getstate__(), model_rows(model))) for state in stream.states]
    return stream


def _squared_length(encoder: Encoder, constant: float) -> float:
    """The mean squared length of scaled rows: about 1 for each column, and 3 for dates."""
    columns = encoder.column_encoders.values()
    return sum(3.0 if isinstance(column, DateColumn) else 1.0 for column in columns) + constant * constant


def _aged(saved: dict[str, Any], rows: int) -> dict[str, Any]:
    """A state as after so many rows. The average counts a power of two, which multiplies and divides exactly."""
    saved |= {"steps": min(rows, MAX_AVERAGED_ROWS)}
    if "banked" in saved:
        share = max(min(rows, MAX_AVERAGED_ROWS) // AVERAGED_SHARE, 1)
        averaged = float(1 << (share.bit_length() - 1))
        saved |= {"averaged": averaged, "scale_sum": averaged, "offset_sum": saved["offset"] * averaged}
    if "best" in saved:
        saved |= {"best": saved["v"].copy(), "best_offset": saved["offset"].copy()}
    return saved
