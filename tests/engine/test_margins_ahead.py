"""Margins that several threads compute ahead of the visits leave the bits of one thread."""

import warnings

import numpy as np
import pytest

from rosenblatt import Perceptron


@pytest.mark.parametrize("options", [{"eta0": 1e-170}, {"eta0": 1e170, "fit_intercept": False}])
def test_threads_leave_the_same_bits_where_squares_underflow(options):
    """Margins computed ahead are trusted by lengths, whose squares are 0 here."""
    random = np.random.default_rng(0)
    X = random.standard_normal((40_000, 8))
    y = X @ np.arange(1, 9) > 0
    y[::1000] ^= True
    X = X if "fit_intercept" not in options else X * 1e-170
    one, two = (Perceptron(order="cyclic", max_iter=3, n_iter_no_change=3, n_jobs=jobs, **options) for jobs in (1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mistakes are left
        one.fit(X, y)
        two.fit(X, y)
    assert (one.n_updates_, one.n_mistakes_) == (two.n_updates_, two.n_mistakes_)
    assert np.array_equal(one.coef_, two.coef_)
