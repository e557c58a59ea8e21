"""Probabilities of margin classifiers: scores calibrated on folds that each training left out."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from ..foundation.labels import check_left_out_classes, codes_of
from ..foundation.splitting import all_but, folds
from ..foundation.types import Codes, Floats, Labels, Places
from .calibration.calibration import Calibration
from .calibration.left_out import left_out_probabilities
from .calibration.methods import check_method, fit_calibration
from .calibration.probability_quality import ProbabilityQuality, probability_quality
from .callbacks import remove_callbacks
from .dask_collections import lazy_on_dask
from .training_problem import TrainingProblem

FOLDS = 5


def is_calibrated(model: "CalibratedScores") -> bool:
    """Whether predict_proba is available."""
    if model.calibration is None:
        name = type(model).__name__
        raise AttributeError(f"{name} has no probabilities without calibration: set calibration='platt' before fit.")
    return True


class CalibratedScores:
    """`predict_proba` and `predict_log_proba` of classifiers with `calibration`. Labels stay those of the scores."""

    calibration: str | None = None
    _calibration: Calibration | None = None  # None after partial_fit, which moves the weights

    @property
    def calibration_error_(self) -> float:
        return self._quality("calibration_error_").calibration_error

    @property
    def calibrated_log_loss_(self) -> float:
        return self._quality("calibrated_log_loss_").log_loss

    def _quality(self, name: str) -> ProbabilityQuality:
        quality = None if self._calibration is None else self._calibration.quality
        if quality is None:
            raise AttributeError(f"there is no {name}: it is there after fit with calibration='platt' or 'isotonic'.")
        return quality

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    @lazy_on_dask
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`; needs `calibration`.

        Near the boundary the most probable class may differ from the label that `predict` gives, which is that of the
        scores.
        """
        found: Floats = np.exp(self.predict_log_proba(X))
        return found

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    @lazy_on_dask
    def predict_log_proba(self: Any, X: Any) -> Floats:
        """The logarithms of `predict_proba`."""
        scores = self.decision_function(X)
        if self._calibration is None:
            raise ValueError(
                f"this {type(self).__name__} is not calibrated: fit calibrates, with calibration set before; "
                "partial_fit and an interrupted fit do not."
            )
        logs: Floats = self._calibration.log_probabilities(scores.reshape(len(scores), -1))
        return logs


def check_calibration(method: str | None, classes: Labels, codes: Codes) -> None:
    """Refuse an unknown method, and a class with one row, which no fold could leave out."""
    if method is not None:
        check_method(method)
        check_left_out_classes(f"calibration={method!r}", classes, codes)


def cross_fitted(model: Any, problem: TrainingProblem) -> Calibration:
    """Fit a calibration to the scores of all rows, each by a training that left its fold out.

    The folds have their share of each class and depend only on the seed. Class weights shape the trainings but not the
    calibration, so that probabilities are those of the rows.
    """
    assert model.calibration is not None
    labels, classes = problem.data.labels, problem.classes
    codes = codes_of(labels, classes)
    assert codes is not None
    scores = np.empty((len(labels), 1 if len(classes) == 2 else len(classes)))
    for places in filter(len, folds(codes, FOLDS, problem.seed)):
        scores[places] = _scores_without(model, problem, places)
    weights = problem.data.weights
    fitted = fit_calibration(model.calibration, scores, codes, len(classes), weights)
    found = left_out_probabilities(fitted, scores, codes, len(classes), problem.seed, weights)
    return replace(fitted, quality=probability_quality(found, codes))


def _scores_without(model: Any, problem: TrainingProblem, places: Places) -> Floats:
    """The scores of some rows, by a model trained on the others."""
    data = problem.data
    rest = all_but(places, len(data.labels))
    own: dict[str, Any] = {"warm_start": False} if "warm_start" in model.get_params(deep=False) else {}
    if problem.data.encoder is not None:
        own["encode"] = False  # the rows are encoded
    if problem.tuning is not None:
        own["C"] = problem.plan.C  # chosen by all rows to train on
    seed = model.random_state if isinstance(model.random_state, int | np.integer) else problem.seed
    other = remove_callbacks(clone(model)).set_params(calibration=None, random_state=seed, verbose=0, **own)
    every = data.X
    X, new = every[rest], every[places]
    if model.__sklearn_tags__().input_tags.pairwise:
        columns = rest if data.numbers is None else data.numbers[rest]
        X, new = X[:, columns], new[:, columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the training on all rows has warned
        other.fit(X, data.labels[rest], None if data.weights is None else data.weights[rest])
    scores: Floats = other.decision_function(new)
    return scores.reshape(len(places), -1)
