"""The logistic function and the softmax, with logarithms and without overflow."""

import numpy as np

from ...foundation.types import Floats


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


def normalise_logs(logs: Floats) -> Floats:
    """Subtract the logarithm of the sum, row by row."""
    above = logs - logs.max(axis=1, keepdims=True)
    less: Floats = above - np.log(np.exp(above).sum(axis=1, keepdims=True))
    return less
