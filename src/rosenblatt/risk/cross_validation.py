"""The risk by cross-validation, with an interval that is a rule of thumb and says so."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import column_or_1d

from ..foundation.notebook_html import ShownInNotebooks, interval_picture
from ..foundation.types import Floats, Labels
from .empirical_risk import count_losses
from .held_out_risk import estimate_risk
from .loss_matrix import is_named
from .vc import check_share


@dataclass(frozen=True)
class CrossValidatedRisk(ShownInNotebooks):
    """The result of `cross_validated_risk`.

    `folds` has the risk of each fold, `decisions` the decision for each row while it was held out. `risk` estimates the
    mean risk of classifiers trained on (K - 1) / K of the rows. A classifier trained on all rows is mostly a little
    better. The interval from `lower` to `upper` has no guarantee, because the folds share training rows and no estimate
    of their variance is unbiased for every distribution.
    """

    risk: float
    lower: float
    upper: float
    n: int
    level: float
    folds: Floats
    decisions: Labels

    def __float__(self) -> float:
        return self.risk

    def __str__(self) -> str:
        return (
            f"risk {self.risk:.4g} by {len(self.folds)}-fold cross-validation of {self.n:,} rows, "
            f"about {self.level:.6g} sure between {self.lower:.4g} and {self.upper:.4g} "
            "(no guarantee: folds share training rows)"
        )

    def _picture(self) -> str:
        return interval_picture(self.risk, self.lower, self.upper, "The risk and its interval")


def cross_validated_risk(
    estimator: Any,
    X: Any,
    y: Any,
    loss_matrix: Any = None,
    *,
    cv: Any = 5,
    groups: Any = None,
    classes: Any = None,
    level: float = 0.95,
) -> CrossValidatedRisk:
    """The mean loss of rows that are held out fold by fold, while a classifier is trained on the others.

    `cv` is a number of stratified folds, or a splitter of scikit-learn that holds out each row once. If rows belong
    together (one patient, one day), give `groups` and a splitter that uses them; otherwise the risk comes out too low.

    The interval is the corrected t of Nadeau and Bengio: the variance of the folds is multiplied by 1 / K + (rows held
    out) / (rows trained on), which allows for the rows they share. It is never shorter than the interval of
    `held_out_risk` for as many rows. See `CrossValidatedRisk` for its limits.

    >>> from sklearn.datasets import load_iris
    >>> from rosenblatt import LogisticRegression
    >>> print(cross_validated_risk(LogisticRegression(), *load_iris(return_X_y=True)))  # doctest: +ELLIPSIS
    risk 0.02667 by 5-fold cross-validation of 150 rows, about 0.95 sure between 0 and 0.07861 (no guarantee: ...)
    """
    level = check_share("level", level)
    X, y = indexable(X, column_or_1d(y))
    names = np.unique(y) if classes is None and not is_named(loss_matrix) else classes
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    _check_each_held_out_once(splits, len(y))
    decisions: list[Any] = [None] * len(y)
    folds = []
    for train, test in splits:
        model = clone(estimator).fit(_safe_indexing(X, train), y[train])
        decided = model.predict(_safe_indexing(X, test))
        losses, counts = count_losses(y[test], decided, loss_matrix, names)
        folds.append(float((losses * counts).sum() / len(test)))
        for row, label in zip(test.tolist(), np.asarray(decided).tolist(), strict=True):
            decisions[row] = label
    whole = estimate_risk(*count_losses(y, decisions, loss_matrix, names), level, None, zero_one=loss_matrix is None)
    half = _half_width(np.array(folds), splits, level)
    least, greatest = float(losses.min()), float(losses.max())
    lower, upper = max(min(whole.lower, whole.risk - half), least), min(max(whole.upper, whole.risk + half), greatest)
    return CrossValidatedRisk(whole.risk, lower, upper, len(y), level, np.array(folds), _as_labels(decisions))


def _check_each_held_out_once(splits: list[Any], rows: int) -> None:
    held_out = np.bincount(np.concatenate([test for _, test in splits]), minlength=rows)
    if not (held_out == 1).all():
        row = int(np.flatnonzero(held_out != 1)[0])
        raise ValueError(f"cv must hold out each row once, but row {row} is held out {held_out[row]} times.")


def _half_width(folds: Floats, splits: list[Any], level: float) -> float:
    k = len(folds)
    shared = float(np.mean([len(test) / len(train) for train, test in splits]))
    return float(stdtrit(k - 1, (1 + level) / 2)) * sqrt((1 / k + shared) * float(folds.var(ddof=1)))


def _as_labels(decisions: list[Any]) -> Labels:
    kinds = {isinstance(label, str) for label in decisions}
    return np.array(decisions, dtype=object if len(kinds) > 1 else None)
