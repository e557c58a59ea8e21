"""C="auto": the strength of the penalty is chosen by the loss of rows that are left out in turn."""

import time
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from .. import _core
from ..engine.result import TrainingResult
from ..foundation.labels import check_left_out_classes
from ..foundation.matrices import as_rows
from ..foundation.threads import thread_count
from ..foundation.types import Places
from ..parts.features import as_features
from ..parts.penalties import PENALTIES
from ..solvers.training_plan import TrainingPlan
from ..solvers.tuning.fold_path import PenaltyPath
from ..solvers.tuning.search import Search, SearchProgress, seconds_counted
from ..solvers.tuning.tuning import TrialRecord, Tuning
from .messages import progress_interval, say
from .training_problem import TrainingProblem

AUTO = "auto"


class TunedStrength:
    """What C="auto" leaves: the C that was taken, the one-standard-error choice beside it, and all that was tried."""

    @property
    def C_(self) -> float:
        tuning = self._tuning("C_")
        assert tuning.best is not None
        return tuning.trials[tuning.best].C

    @property
    def C_one_standard_error_(self) -> float:
        tuning = self._tuning("C_one_standard_error_")
        assert tuning.simplest is not None
        return tuning.trials[tuning.simplest].C

    @property
    def cv_results_(self) -> dict[str, Any]:
        return as_cv_results(self._tuning("cv_results_"))

    def _tuning(self: Any, name: str) -> Tuning:
        learned: TrainingResult = self._fitted(name)
        tuning: Tuning | None = getattr(learned, "tuning", None)
        if tuning is None or tuning.best is None:
            why = "fit with C='auto' leaves it, unless max_seconds ended the search first"
            raise AttributeError(f"there is no {name}: {why}.")
        return tuning


def check_auto(plan: TrainingPlan) -> None:
    """Refuse C="auto" where there is no strength to choose, or no optimum to compare."""
    if plan.alpha is not None:
        raise ValueError(f"C='auto' and alpha={plan.alpha!r} both say how strong the penalty is: give one.")
    if plan.penalty is None or not PENALTIES[plan.penalty].has_strength:
        raise ValueError(f"C='auto' does not go with penalty={plan.penalty!r}, which has no strength to choose.")
    if plan.solver != "optimum":
        raise ValueError(f"C='auto' does not go with solver={plan.solver!r}: it compares optima, as 'optimum' finds.")


def choose_strength(model: Any, problem: TrainingProblem) -> TrainingProblem:
    """The problem with the C that has the least loss. Ctrl-C and `max_seconds` take the best so far."""
    plan, data, features = problem.plan, problem.data, as_features(model.features)
    X = data.X
    check_left_out_classes("C='auto'", problem.classes, problem.codes)

    def select(places: Places) -> _core.Rows:
        return features.lifted(as_rows(X[places]))

    data.check_finite(model.n_jobs)
    search = Search(
        [PenaltyPath({}, plan, select)],
        problem.codes,
        len(problem.classes),
        problem.weights,
        0 if model.random_state is None else model._seed(),
        thread_count(model.n_jobs),
        limit=plan.recipe.stops.max_seconds,
        watch=SearchWatcher(type(model).__name__, model.verbose) if model.verbose else None,
    )
    tuning = search.run()
    if tuning.chosen is None and tuning.ended == "interrupted":
        raise KeyboardInterrupt
    C = None if tuning.chosen is None else tuning.chosen.C
    return replace(problem, plan=replace(plan, C=C), tuning=tuning)


def clock_start(problem: TrainingProblem, began: float | None) -> float | None:
    """When the clock of `max_seconds` started: the training of a chosen C has what the search has left of the limit."""
    if problem.tuning is None:
        return began
    limit = problem.plan.recipe.stops.max_seconds
    return (time.perf_counter() if began is None else began) - seconds_counted(limit, problem.tuning.seconds)


class SearchWatcher:
    """Prints the progress of a search at intervals, if `verbose`."""

    def __init__(self, name: str, verbose: int) -> None:
        self.name, self.interval, self.shown = name, progress_interval(verbose), 0.0

    def __call__(self, progress: SearchProgress) -> None:
        if progress.seconds - self.shown >= self.interval:
            self.shown = progress.seconds
            done = f"{progress.done} of at most {progress.total} trainings"
            say(self.name, f"choosing C: {done}, least mean loss {progress.least:.4g}, {progress.seconds:.1f} s")


def as_cv_results(tuning: Tuning) -> dict[str, Any]:
    """The trials as GridSearchCV names them. Scores are minus the mean losses, so that more is better."""
    trials = tuning.trials
    scores = np.array([_scores(trial, tuning.folds) for trial in trials])
    means = np.array([nan if trial.loss is None else -trial.loss for trial in trials])
    order = np.argsort(-np.where([len(t.fold_losses) == tuning.folds for t in trials], means, -np.inf), kind="stable")
    ranks = np.empty(len(trials), np.int32)
    ranks[order] = np.arange(1, len(trials) + 1)
    measured = np.array([len(trial.fold_losses) for trial in trials])
    return {
        "params": [{"C": trial.C} for trial in trials],
        "param_C": np.array([trial.C for trial in trials]),
        **{f"split{fold}_test_score": scores[:, fold] for fold in range(tuning.folds)},
        "mean_test_score": means,
        "standard_error": np.array([nan if t.standard_error is None else t.standard_error for t in trials]),
        "rank_test_score": ranks,
        "mean_fit_time": np.array([trial.seconds for trial in trials]) / np.maximum(measured, 1),
        "abandoned": np.array([trial.abandoned for trial in trials], dtype=object),
    }


def _scores(trial: TrialRecord, folds: int) -> list[float]:
    return [-loss for loss in trial.fold_losses] + [nan] * (folds - len(trial.fold_losses))
