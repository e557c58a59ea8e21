"""Sample weights, checked: one a row, finite and not negative. Rows of weight 0 are ignored everywhere."""

from typing import Any

import numpy as np

from .types import Floats


def checked_weights(sample_weight: Any, rows: int) -> Floats:
    """Weights as float64, one a row; a single number is the weight of every row.

    >>> checked_weights([1, 0, 2], 3).tolist(), checked_weights(2, 3).tolist()
    ([1.0, 0.0, 2.0], [2.0, 2.0, 2.0])
    """
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight holds values that are not numbers: give one number a row.") from None
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.shape != (rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({rows},): give a 1D array, one number a row."
        )
    if not np.isfinite(weights).all():
        row = int(np.flatnonzero(~np.isfinite(weights))[0])
        what = "NaN" if np.isnan(weights[row]) else "infinity"
        raise ValueError(f"sample_weight contains {what} in row {row}: give finite numbers.")
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(f"sample_weight must not be negative: row {row} has {weights[row]}.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    return np.ascontiguousarray(weights)
