"""Bayes decisions: the least expected loss, by the probabilities of any classifier."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..foundation.label_sets import refuse_several_labels
from ..foundation.types import Floats, Labels
from .empirical_risk import empirical_risk
from .loss_matrix import REJECT, loss_array

SUM_TOLERANCE = 1e-3  # float32 probabilities of many classes miss 1 by less


class BayesRule(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Decide for the class whose expected loss is least, or reject: argmin_d sum_k p(k | x) W(d, k).

    If the probabilities are the true ones, no decision has a smaller risk. They are the estimator's, so calibrate it if
    they are off (`CalibratedClassifierCV`). Do not use class weights, because these shift the probabilities.

    Parameters
    ----------
    estimator : a classifier with `predict_proba`. It is cloned and fitted, unless `prefit`.
    loss_matrix : what decisions cost, `loss_matrix[decision, truth]`, rows and columns in the order of `classes_`; a
        last row is for "reject". Or by name, {decision: {truth: loss}}. None: a wrong decision costs 1.
    prefit : use the estimator as it is. `predict` then works without `fit`.

    Attributes
    ----------
    estimator_ : the fitted classifier.
    classes_ : its classes. Decisions have their type, or are objects if "reject" is mixed with numbers.

    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[0], [1], [2], [3], [4], [5]], ["ham", "ham", "spam", "ham", "spam", "spam"]
    >>> X_new = [[0], [2], [3], [5]]
    >>> BayesRule(LogisticRegression()).fit(X, y).predict(X_new)
    array(['ham', 'ham', 'spam', 'spam'], dtype='<U4')
    >>> ham_called_spam = [[0, 1], [10, 0]]
    >>> BayesRule(LogisticRegression(), ham_called_spam).fit(X, y).predict(X_new)
    array(['ham', 'ham', 'ham', 'ham'], dtype='<U4')
    >>> unsure = {"ham": {"spam": 1}, "spam": {"ham": 1}, "reject": {"ham": 0.2, "spam": 0.2}}
    >>> BayesRule(LogisticRegression(), unsure).fit(X, y).predict(X_new)
    array(['ham', 'reject', 'reject', 'spam'], dtype='<U6')
    """

    def __init__(self, estimator: Any, loss_matrix: Any = None, *, prefit: bool = False) -> None:
        self.estimator = estimator
        self.loss_matrix = loss_matrix
        self.prefit = prefit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "BayesRule":
        """Fit a clone of the estimator, unless `prefit`, and check the loss matrix against its classes."""
        fitted = self._prefit_estimator() if self.prefit else self._fit_clone(X, y, sample_weight)
        self._loss_array(fitted)
        self.estimator_ = fitted
        return self

    def _prefit_estimator(self) -> Any:
        if hasattr(self.estimator, "__sklearn_tags__"):  # any object with classes_ and predict_proba will do
            check_is_fitted(self.estimator)
        return self.estimator

    def _fit_clone(self, X: Any, y: Any, sample_weight: Any) -> Any:
        if not callable(getattr(self.estimator, "predict_proba", None)):
            raise TypeError(_no_probabilities(self.estimator))
        if sample_weight is None:
            return clone(self.estimator).fit(X, y)
        if not has_fit_parameter(self.estimator, "sample_weight"):
            name = type(self.estimator).__name__
            raise TypeError(f"{name} learns without weights: leave sample_weight out, or use another estimator.")
        return clone(self.estimator).fit(X, y, sample_weight=sample_weight)

    @property
    def classes_(self) -> Labels:
        return self._fitted().classes_  # type: ignore[no-any-return]

    @property
    def n_features_in_(self) -> int:
        return self._fitted().n_features_in_  # type: ignore[no-any-return]

    @property
    def feature_names_in_(self) -> Labels:
        return self._fitted().feature_names_in_  # type: ignore[no-any-return]

    def __sklearn_is_fitted__(self) -> bool:
        return self.prefit or "estimator_" in self.__dict__

    def _fitted(self) -> Any:
        """The fitted classifier. Raises NotFittedError, an AttributeError, if there is none."""
        if "estimator_" in self.__dict__:
            return self.estimator_
        if self.prefit:
            return self._prefit_estimator()
        raise NotFittedError("This BayesRule is not fitted yet: call fit, or give a fitted estimator and prefit=True.")

    def _loss_array(self, fitted: Any) -> Floats:
        refuse_several_labels(fitted, "BayesRule")
        classes = np.asarray(fitted.classes_)
        losses = loss_array(self.loss_matrix, classes)
        if len(losses) > len(classes) and REJECT in classes.tolist():
            raise ValueError(f"{REJECT!r} is one of the classes: rename it, or leave out the last row of loss_matrix.")
        return losses

    def predict_proba(self, X: Any) -> Floats:
        """The estimator's probabilities, checked to be finite, not negative, and of sum 1 in every row."""
        fitted = self._fitted()
        if not callable(getattr(fitted, "predict_proba", None)):
            raise TypeError(_no_probabilities(fitted))
        given = np.asarray(fitted.predict_proba(X))
        if given.ndim != 2 or given.shape[1] != len(fitted.classes_):
            raise ValueError(
                f"predict_proba of {type(fitted).__name__} must give one column for each of its {len(fitted.classes_)} "
                f"classes, not an array of shape {given.shape}."
            )
        _check_probabilities(given, type(fitted).__name__)
        return given

    def expected_loss(self, X: Any) -> Floats:
        """The expected loss of each decision, one column per decision: the classes, then "reject" if it has a row."""
        losses = self._loss_array(self._fitted())
        return np.asarray(self.predict_proba(X) @ losses.T)

    def predict(self, X: Any) -> Labels:
        """The decision of least expected loss for each row. Ties go to the first class; "reject" comes last."""
        decided = self.expected_loss(X).argmin(axis=1)
        classes: Labels = np.asarray(self.classes_)
        rejects = len(self._loss_array(self._fitted())) > len(classes)
        decisions: Labels = (_with_reject(classes) if rejects else classes)[decided]
        return decisions

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """1 - the mean loss: the accuracy, if there is no loss matrix."""
        classes = np.asarray(self.classes_)
        return 1 - empirical_risk(y, self.predict(X), self.loss_matrix, classes=classes, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        return tags


def _no_probabilities(estimator: Any) -> str:
    name = type(estimator).__name__
    return (
        f"{name} has no predict_proba: use LogisticRegression, or CalibratedClassifierCV around {name}, or "
        "calibration='platt' if it is a classifier of rosenblatt."
    )


def _with_reject(classes: Labels) -> Labels:
    """The decisions: classes and "reject", as text or, if the classes are not, as objects."""
    if classes.dtype.kind == "U":
        return np.concatenate([classes, [REJECT]])
    return np.array([*classes.tolist(), REJECT], dtype=object)


def _check_probabilities(given: Any, name: str) -> None:
    bad = ~np.isfinite(given).all(axis=1) | (given < -SUM_TOLERANCE).any(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"predict_proba of {name} gives {given[row].tolist()} for row {row}: not probabilities.")
    sums = given.sum(axis=1)
    off = np.abs(sums - 1) > SUM_TOLERANCE
    if off.any():
        row = int(np.flatnonzero(off)[0])
        raise ValueError(
            f"The probabilities that predict_proba of {name} gives for row {row} sum to {sums[row]:.6g}, not to one: "
            "normalise them, or calibrate the classifier."
        )
