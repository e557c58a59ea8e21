"""The work of `rosenblatt train`: read, split, scale, train, undo the scaling, measure, save."""

import shlex
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core, modelfile, named
from ..data.columns import classes as classes_of
from ..data.columns import find, numbers, read
from ..data.scaling import measure, unscaled
from ..data.sources import Source, open_source
from ..engine import Floats, Trained, Watch, signs_of
from ..engine import train as run
from ..errors import ColumnError, InputError, TooLarge
from ..held_out import split
from ..labels import Codes
from ..modelfile import Model
from ..objective import Objective, to_optimum
from ..recipe import Recipe
from ..rows import as_rows, thread_count
from .fewest import fewest_mistakes
from .report import Report
from .request import Request


@dataclass(frozen=True)
class Examples:
    """Rows and the numbers of their classes."""

    X: Floats
    codes: Codes

    def part(self, places: npt.NDArray[np.intp]) -> "Examples":
        return Examples(self.X[places], self.codes[places])


def train_table(request: Request, watch: Watch) -> Report:
    """Train on a table, save the model, and say what came of it."""
    recipe = request.recipe()
    source = open_source(request.file)
    columns = feature_columns(source, request)
    path = request.model_path()
    table = read(source, columns, [request.target])
    labels, codes = classes_of(source, table, request.target)
    everything = Examples(numbers_or_advice(source, table, columns), codes)
    train, test = (everything.part(places) for places in split(codes, request.test_fraction, request.seed))
    began = time.perf_counter()
    learned = learn(train, len(labels), recipe, request, watch)
    seconds = time.perf_counter() - began
    model = model_of(learned, labels, columns, request)
    modelfile.write(model, path)
    report = report_of(model, everything, test, request, seconds, path)
    return replace(report, fewest_mistakes=fewest_mistakes(train.X, train.codes, report.mistakes, report.reason))


def feature_columns(source: Source, request: Request) -> list[str]:
    """All columns but the target and those to be left out; a column without a name is a row number."""
    find(source, request.target, "to predict")
    if request.target in request.ignore:
        raise InputError(f"{request.target!r} is the target, so it cannot be ignored: drop one of the two options.")
    left_out = {request.target, ""} | {find(source, name, "to ignore") for name in request.ignore}
    columns = [name for name in source.names if name not in left_out]
    if not columns:
        raise InputError(f"{source.path} has no columns to learn from besides {request.target!r}.")
    return columns


def numbers_or_advice(source: Source, table: Any, columns: list[str]) -> Floats:
    try:
        return numbers(source, table, columns)
    except ColumnError as error:
        raise InputError(f"{error}, or leave the column out with --ignore {shlex.quote(error.column)}.") from None


def learn(train: Examples, classes: int, recipe: Recipe, request: Request, watch: Watch) -> Trained:
    """Train, on scaled columns if asked to; the weights returned are for the columns as they are."""
    scaling = measure(train.X) if request.scale else unscaled(train.X)
    if not np.isfinite(scaling.scale).all():
        raise too_large(request)
    try:
        learned = descend(as_rows(scaling.apply(train.X)), train.codes, classes, recipe, request, watch)
    except TooLarge:
        raise too_large(request) from None
    coef, intercept = scaling.undo(learned.coef, learned.intercept)
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        raise too_large(request)
    return with_weights(learned, coef, intercept, mistakes(train, classes, recipe, coef, intercept))


def descend(rows: _core.Rows, codes: Codes, classes: int, recipe: Recipe, request: Request, watch: Watch) -> Trained:
    """By the recipe's loop, or to the optimum of the recipe's loss."""
    threads, multi_class = thread_count(None), request.multi_class
    if named.ALGORITHMS[request.algorithm].solver == "optimum":
        limits: dict[str, Any] = {"max_iter": request.max_iter, "max_seconds": request.max_seconds}
        objective, joint = Objective(recipe.loss), multi_class == "joint"
        return to_optimum(rows, codes, classes, objective, joint=joint, threads=threads, watch=watch, **limits)
    seed = int(np.random.RandomState(request.seed).randint(2**31 - 1))  # as classifiers draw from random_state
    return run(rows, codes, classes, recipe, multi_class=multi_class, seed=seed, threads=threads, watch=watch)


def with_weights(learned: Trained, coef: Floats, intercept: Floats, wrong: int) -> Trained:
    """The same run, with weights for other units; its status counts their mistakes."""
    status = learned.status
    if wrong != status.mistakes:  # a row so near the plane that rounding decides
        status = status.recounted(wrong)
    return replace(learned, coef=coef, intercept=intercept, status=status)


def too_large(request: Request) -> InputError:
    return InputError(f"{request.file} holds numbers too large or too small to learn from: change their units.")


def mistakes(train: Examples, classes: int, recipe: Recipe, coef: Floats, intercept: Floats) -> int:
    """How many rows these weights misclassify, as training counts it: a margin of 0 is a mistake."""
    signs, codes = (signs_of(train.codes, 1), None) if classes == 2 else (None, train.codes)
    problem = _core.Problem(as_rows(train.X), signs, codes, None, recipe.native(), thread_count(None))
    return int(_core.inspect(problem, coef, intercept)[0])


def model_of(learned: Trained, labels: npt.NDArray[Any], columns: list[str], request: Request) -> Model:
    class_name = named.ALGORITHMS[request.algorithm].class_name
    parameters = {**request.parameters(), "multi_class": request.multi_class, "random_state": request.seed}
    about = {"target": request.target, "scaled": request.scale}
    return Model(class_name, parameters, labels, columns, learned, about)


def right_rows(model: Model, test: Examples) -> int:
    if not len(test.codes):
        return 0
    decided = model.decide(model.scores(as_rows(test.X), thread_count(None)))
    return int((decided == test.codes).sum())


def report_of(
    model: Model, everything: Examples, test: Examples, request: Request, seconds: float, path: Path
) -> Report:
    counts = np.bincount(everything.codes, minlength=len(model.classes))
    status = model.learned.status
    return Report(
        file=str(request.file),
        target=request.target,
        rows=len(everything.codes),
        columns=everything.X.shape[1],
        classes=model.classes.tolist(),
        class_counts=counts.tolist(),
        algorithm=request.algorithm,
        scaled=request.scale,
        seed=request.seed,
        status=str(status),
        reason=status.reason,
        epochs=status.epochs,
        train_rows=status.rows,
        mistakes=status.mistakes,
        test_rows=len(test.codes),
        test_right=right_rows(model, test),
        test_majority=int((test.codes == counts.argmax()).sum()),
        seconds=seconds,
        model=str(path),
    )
