"""Several labels a row: one training problem a label, on the same rows. Each is trained as if it were alone.

A label that all rows or none have needs no training: its plane is constant.
"""

import signal
import time
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from ..engine.class_problems import whole_problem
from ..engine.interrupts import defer_ctrl_c
from ..engine.label_results import join_labels, untrained
from ..engine.result import Progress, TrainingResult, Watch
from ..engine.side_by_side import call_side_by_side
from ..foundation.label_sets import LabelSets
from ..foundation.labels import check_left_out_classes
from ..foundation.suggestions import did_you_mean
from ..foundation.types import Floats, Mask
from ..parts.recipe import Recipe
from ..parts.sklearn_names import our_value
from .calibrated import cross_fitted
from .calibration.calibration import Calibration
from .calibration.label_calibration import LabelCalibration, constant_calibration
from .training_problem import TrainingProblem
from .validation import Examples

PERCEPTRON = Recipe()  # its loss is quick to compute
SIDES = np.array([False, True])  # the classes of one label's problem


def check_labels(model: Any, sets: LabelSets) -> None:
    """Refuse parameters that do not go with several labels a row."""
    _refuse_joint(model)
    if isinstance(model.C, str):
        _refuse("C", model.C, "as each would have its own: choose one for all by GridSearchCV")
    known = sets.labels.tolist()
    if not known:
        raise ValueError("y names no label: give at least one row a label.")
    for label in model.class_weight if isinstance(model.class_weight, Mapping) else ():
        if label not in known:
            hint = did_you_mean(label, known)
            raise ValueError(f"class_weight names {label!r}, which is not among the labels {known}{hint}")
    if model.calibration is None:
        return
    for label, has in zip(known, sets.has.T, strict=True):
        if not is_constant(has):
            sides = np.array([f"without {label}", f"with {label}"])
            check_left_out_classes(f"calibration={model.calibration!r}", sides, has.astype(np.int32))


def check_stream(model: Any, data: Examples) -> None:
    """Refuse parameters that do not go with several labels a row of a stream."""
    if data.label_form is None:
        return
    _refuse_joint(model)
    if model.class_weight is not None:
        _refuse("class_weight", model.class_weight, "which partial_fit does not weigh: give sample_weight instead")


def _refuse_joint(model: Any) -> None:
    if our_value("multi_class", model.multi_class) == "joint":
        why = "which do not compete, so that each has a plane of its own: choose 'auto' or 'ovr'"
        _refuse("multi_class", model.multi_class, why)


def _refuse(name: str, value: object, why: str) -> None:
    raise ValueError(f"{name}={value!r} does not go with several labels a row, {why}.")


def is_constant(has: Mask) -> bool:
    """Whether all rows have a label, or none has it."""
    return bool(has.all() or not has.any())


def constant_score(has: Mask) -> float:
    """The log odds of a label by the rule of succession: (rows with it + 1) to (rows without it + 1).

    >>> [round(constant_score(np.arange(7) < count), 4) for count in (0, 3, 7)]
    [-2.0794, -0.2231, 2.0794]
    """
    count = np.count_nonzero(has)
    return float(np.log1p(count) - np.log1p(len(has) - count))


def label_problem(model: Any, problem: TrainingProblem, k: int) -> tuple[Any, TrainingProblem]:
    """The problem of one label, and a copy of the model with the class weights of its two sides."""
    one, wanted = copy(model), model.class_weight
    if isinstance(wanted, Mapping):
        label = problem.classes.tolist()[k]
        one.class_weight = {True: wanted[label]} if label in wanted else None
    has = np.ascontiguousarray(problem.sets.has[:, k])
    data, codes = problem.data._replace(labels=has), has.astype(np.int32)
    weights = one._weights(data, SIDES, codes)
    return one, one._prepared(replace(problem, data=data, classes=SIDES, codes=codes, weights=weights))


def calibrate_labels(model: Any, problem: TrainingProblem) -> LabelCalibration:
    """Calibrate every label by itself; one that all rows or none have is as probable in every row."""
    each: list[Calibration] = []
    for k, has in enumerate(problem.sets.has.T):
        if is_constant(has):
            each.append(constant_calibration(len(has), constant_score(has)))
        else:
            each.append(cross_fitted(*label_problem(model, problem, k)))
    return LabelCalibration.of(each)


def train_labels(model: Any, problem: TrainingProblem, *, threads: int, watch: Watch, **how: Any) -> TrainingResult:
    """Train every label by itself, several side by side, and join the results."""
    labels, form = len(problem.classes), problem.label_form
    assert form is not None
    training = LabelTraining(model, problem, how, max(1, threads // labels))
    training.go(min(threads, labels), watch)
    return join_labels(training.results, form, int(training.wrong.sum()), problem.rows.count)


@dataclass
class LabelTraining:
    """The training of all labels. Ctrl-C, or a watch that raises it, ends all of them."""

    model: Any
    problem: TrainingProblem
    how: dict[str, Any]
    threads_each: int
    signals: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.problem.classes)
        self.began = time.perf_counter()
        self.results: list[Any] = [None] * count
        self.heard: list[Progress | None] = [None] * count
        self.wrong = np.zeros(self.problem.rows.count, bool)  # rows with a label that is wrong

    def go(self, threads: int, watch: Watch) -> None:
        calls = [partial(self._train, k, watch if threads == 1 else None) for k in range(len(self.results))]
        with defer_ctrl_c(self.signals):
            if threads == 1:
                for call in calls:
                    call()
            else:
                call_side_by_side(calls, threads, partial(self._pause, watch), self._stop)
        if self.signals and not any(result.interrupted for result in self.results):  # it came when all had just ended
            self.results[-1] = replace(self.results[-1], interrupted=True)

    def _train(self, k: int, watch: Watch | None) -> None:
        has, start = self.problem.sets.has[:, k], self._start(k)
        constant = np.zeros((1, self.problem.rows.columns)), np.array([constant_score(has)])
        if is_constant(has):
            self.results[k] = self._untrained(constant, "mistakes")
        elif self.signals:
            self.results[k] = self._untrained(constant if start is None else start, "interrupted")
        else:
            one, alone = label_problem(self.model, self.problem, k)
            how = self.how | {"start": start, "threads": self.threads_each, "began": self.began}
            self.results[k] = one._train(alone, **how, watch=LabelWatch(self, k, watch))
            self._note_wrong_rows(alone, self.results[k])
            if self.results[k].interrupted:
                self._stop()

    def _start(self, k: int) -> tuple[Floats, Floats] | None:
        start = self.how["start"]
        return None if start is None else (start[0][k : k + 1], start[1][k : k + 1])

    def _untrained(self, planes: tuple[Floats, Floats], reason: str) -> TrainingResult:
        recipe = self.problem.plan.recipe
        constant = recipe.offset_value if recipe.keep == "vote" else None
        return untrained(self.problem.rows, planes, reason, self.how["trace"], constant)

    def _note_wrong_rows(self, alone: TrainingProblem, learned: TrainingResult) -> None:
        native = whole_problem(alone.codes, 2).native(alone.rows, None, PERCEPTRON, self.threads_each)
        wrong = np.flatnonzero(_core.inspect(native, learned.coef, learned.intercept, margins=True)[3] <= 0)
        self.wrong[wrong if alone.kept is None else alone.kept[wrong]] = True

    def _stop(self) -> None:
        self.signals.append(signal.SIGINT)

    def _pause(self, watch: Watch) -> None:
        """Tell the watch how far the labels together are."""
        heard = [progress for progress in self.heard if progress is not None]
        if not heard:
            return
        mistakes = [progress.mistakes for progress in heard if progress.mistakes is not None]
        epochs = sum(progress.epochs for progress in heard) / len(heard)
        seconds = time.perf_counter() - self.began
        try:
            watch(Progress(epochs, heard[0].max_iter, sum(mistakes) if mistakes else None, seconds))
        except KeyboardInterrupt:
            self._stop()


class LabelWatch:
    """Hears of the training of one label, and ends it once all are to end."""

    def __init__(self, training: LabelTraining, k: int, watch: Watch | None) -> None:
        self.training, self.k, self.watch = training, k, watch
        self.hears_epochs = getattr(watch, "hears_epochs", False)

    def __call__(self, progress: Progress) -> None:
        self.training.heard[self.k] = progress
        if self.watch is not None:
            self.watch(progress)
        if self.training.signals:
            raise KeyboardInterrupt
