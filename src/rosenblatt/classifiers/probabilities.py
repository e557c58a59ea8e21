"""Probabilities of classifiers whose scores are log odds: the logistic function, normalised over the classes."""

from typing import Any

import numpy as np

from ..foundation.types import Floats
from .calibration.log_probabilities import chances, log_chances, normalise_logs
from .dask_collections import lazy_on_dask


class Probabilities:
    """`predict_proba` and `predict_log_proba`, for classifiers whose scores are log odds."""

    @lazy_on_dask
    def predict_proba(self: Any, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`.

        Two classes: 1 / (1 + exp(-score)) for the second. More: these of all classes, made to add up to 1 ("ovr"), or
        softmax ("joint"). Where rows may have several labels: one column a label, the probability of having it.
        """
        scores = self.decision_function(X)
        if self.multilabel_:
            return chances(scores)
        if scores.ndim == 1:
            return np.column_stack([chances(-scores), chances(scores)])
        logs: Floats = np.exp(normalise_logs(scores if self.multi_class_ == "joint" else log_chances(scores)))
        return logs

    @lazy_on_dask
    def predict_log_proba(self: Any, X: Any) -> Floats:
        """The logarithms of `predict_proba`, exact where the probabilities themselves are too small to tell from 0."""
        scores = self.decision_function(X)
        if self.multilabel_:
            return log_chances(scores)
        if scores.ndim == 1:
            return np.column_stack([log_chances(-scores), log_chances(scores)])
        return normalise_logs(scores if self.multi_class_ == "joint" else log_chances(scores))
