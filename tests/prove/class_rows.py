"""Rows of two classes times their signs, as the search for nearest points takes them."""

import numpy as np
import pytest

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])


def signed_rows(seed, count=30, columns=3, gap=0.5, fit_intercept=True):
    """The rows y_i x_i of two classes, and their sides: None without an intercept."""
    rng = np.random.default_rng(seed)
    sides = np.where(np.arange(count) % 2, 1.0, -1.0)
    X = rng.standard_normal((count, columns))
    X[:, 0] = sides * (gap / 2 + np.abs(X[:, 0]))
    return sides[:, None] * X, sides if fit_intercept else None
