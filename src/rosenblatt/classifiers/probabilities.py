"""From scores to probabilities: the logistic function, normalised over the classes, computed with logarithms."""

from typing import Any

import numpy as np

from ..foundation.types import Floats


class Probabilities:
    """`predict_proba` and `predict_log_proba`, for classifiers whose scores are log odds."""

    def predict_proba(self: Any, X: Any) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`.

        Two classes: 1 / (1 + exp(-score)) for the second. More: these of all classes, made to add up to 1 ("ovr"), or
        softmax ("joint").
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([chances(-scores), chances(scores)])
        logs: Floats = np.exp(normalised(scores if self.multi_class_ == "joint" else log_chances(scores)))
        return logs

    def predict_log_proba(self: Any, X: Any) -> Floats:
        """The logarithms of `predict_proba`, exact where the probabilities themselves are too small to tell from 0."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([log_chances(-scores), log_chances(scores)])
        return normalised(scores if self.multi_class_ == "joint" else log_chances(scores))


def chances(scores: Floats) -> Floats:
    """1 / (1 + exp(-score)), without overflow; exactly 0.5 at 0.

    >>> chances(np.array([-1e4, 0.0, 1e4])).tolist()
    [0.0, 0.5, 1.0]
    """
    small = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1.0, small) / (1.0 + small)


def log_chances(scores: Floats) -> Floats:
    """
    >>> log_chances(np.array([-1e4, 1e4])).tolist()
    [-10000.0, 0.0]
    """
    return np.minimum(scores, 0.0) - np.log1p(np.exp(-np.abs(scores)))


def normalised(logs: Floats) -> Floats:
    """Subtract the logarithm of the sum, row by row."""
    above = logs - logs.max(axis=1, keepdims=True)
    less: Floats = above - np.log(np.exp(above).sum(axis=1, keepdims=True))
    return less
