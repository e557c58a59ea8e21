"""Distances of rows from a hyperplane, with a sign for the side."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.label_sets import known_label_sets, refuse_label_sets
from ...foundation.labels import codes_of
from ...foundation.matrices import as_rows, check_finite
from ...foundation.threads import threads_for
from ...foundation.types import Floats
from ...parts.features import features_of
from ..exact.hyperplane import Hyperplane


def signed_distance(model: Any, X: Any) -> Floats:
    """The distance of each row from the hyperplane of a model, above 0 on the positive side.

    (w.x + b) / ||w||; through the origin b is 0. `model` is a classifier of this library, any linear model of
    scikit-learn's kind (`coef_`, `intercept_`), or a `Hyperplane`. A model of several classes has a hyperplane for
    each: one column a class.

    >>> from rosenblatt import max_margin
    >>> best = max_margin([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> signed_distance(best.hyperplane, [[0, 0], [5, 4]]).round(3).tolist()
    [-2.828, 3.536]
    """
    coef, intercept = hyperplanes_of_model(model)
    distances = _scores(model, coef, intercept, X) / _norms(coef)
    return distances.ravel() if len(coef) == 1 else distances


def margins(model: Any, X: Any, y: Any) -> Floats:
    """The margin of each row: its distance from the hyperplane, above 0 on its own side; the least is that of the data.

    Labels of a `Hyperplane` are -1 and +1 (or 0 and 1, or False and True); those of a model are its classes, of two of
    which the second is the positive one. With several classes, the margin is the distance from the nearest of the
    hyperplanes where a rival's score equals that of the row's own class: above 0 if its own class wins. A model of
    several labels a row has a margin for each: one column a label.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> margins(Perceptron(order="cyclic").fit(X, y), X, y).round(3).tolist()
    [2.121, 2.828, 0.707]
    """
    coef, intercept = hyperplanes_of_model(model)
    if getattr(model, "multilabel_", False):
        has = known_label_sets(y, model.classes_, model._learned.label_form).has
        return np.where(has, 1.0, -1.0) * signed_distance(model, X).reshape(has.shape)
    refuse_label_sets(y)
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, not {y.ndim}.")
    scores = _scores(model, coef, intercept, X)
    if len(y) != len(scores):
        raise ValueError(f"X and y have inconsistent lengths: {len(scores)} rows in X, {len(y)} labels in y.")
    codes = _codes(model, y, len(coef))
    if len(coef) == 1:
        return np.asarray(np.where(codes == 1, 1, -1) * scores[:, 0] / _norms(coef)[0])
    return _margins_against_rivals(coef, scores, codes)


def _margins_against_rivals(coef: Floats, scores: Floats, codes: npt.NDArray[Any]) -> Floats:
    """The smallest (own score - rival's score) / ||difference of their weights||."""
    found = np.full(len(scores), np.inf)
    for own in range(len(coef)):
        rows = np.flatnonzero(codes == own)
        lengths = np.linalg.norm(coef - coef[own], axis=1)
        for rival in range(len(coef)):
            if rival == own:
                continue
            lead = scores[rows, own] - scores[rows, rival]
            apart = lead / lengths[rival] if lengths[rival] else np.where(lead == 0, 0.0, np.copysign(np.inf, lead))
            found[rows] = np.minimum(found[rows], apart)
    return found


def hyperplanes_of_model(model: Any) -> tuple[Floats, Floats]:
    """The weights and offsets of a model, one hyperplane in each row."""
    if isinstance(model, Hyperplane):
        coef, intercept = model.coef[None, :], np.array([model.intercept])
    else:
        try:
            coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
            intercept = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
        except AttributeError:
            raise ValueError(
                f"model must be a Hyperplane or a fitted linear model with coef_ and intercept_: this "
                f"{type(model).__name__} is not one, or not fitted yet."
            ) from None
    intercept = np.ascontiguousarray(np.broadcast_to(intercept, (len(coef),)))
    return np.ascontiguousarray(coef), intercept


def _norms(coef: Floats) -> Floats:
    largest = np.abs(coef).max(axis=1)
    if not largest.all():
        raise ValueError("The model has no hyperplane: all weights are 0.")
    return np.asarray(largest * np.linalg.norm(coef / largest[:, None], axis=1))


def _scores(model: Any, coef: Floats, intercept: Floats, X: Any) -> Floats:
    rows = features_of(model).lifted(as_rows(X))
    if rows.columns != coef.shape[1]:
        raise ValueError(f"X has {rows.columns} columns, but the model has {coef.shape[1]} weights.")
    threads = threads_for(rows, None)
    scores, finite = _core.scores(rows, coef, intercept, threads)
    if not finite:
        check_finite(rows, X, threads=threads)
    return scores


def _codes(model: Any, y: npt.NDArray[Any], planes: int) -> npt.NDArray[Any]:
    if not isinstance(model, Hyperplane):
        classes = np.asarray(getattr(model, "classes_", ()))
        if len(classes) != (2 if planes == 1 else planes):
            raise ValueError(
                f"model must have one plane for two classes, or one a class: this {type(model).__name__} has "
                f"{planes} for {len(classes)} classes."
            )
        codes = codes_of(y, classes)
        if codes is None:
            raise ValueError(f"y has labels that are not among the classes of the model, {classes.tolist()}.")
        return codes
    if not np.isin(y, (-1, 0, 1)).all():
        raise ValueError("The labels of a Hyperplane are -1 and +1, or 0 and 1: a Hyperplane knows no others.")
    return np.asarray(y == 1).astype(np.int32)
