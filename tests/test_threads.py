"""Threads live on between calls: they must survive forks, and callers who come at the same time."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rosenblatt import LogisticRegression


def large_enough_for_threads():
    random = np.random.default_rng(0)
    X = random.normal(size=(40_000, 4))
    return X, X @ random.normal(size=4) + random.normal(size=len(X)) > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # pytest has threads, too
def test_both_processes_go_on_after_a_fork():
    X, y = large_enough_for_threads()
    expected = LogisticRegression(n_jobs=2).fit(X, y).coef_
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if (LogisticRegression(n_jobs=2).fit(X, y).coef_ == expected).all() else 1
        finally:
            os._exit(status)
    assert (LogisticRegression(n_jobs=2).fit(X, y).coef_ == expected).all()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_fits_side_by_side_return_the_same_bits():
    X, y = large_enough_for_threads()
    expected = LogisticRegression(n_jobs=1).fit(X, y).coef_
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: LogisticRegression(n_jobs=2).fit(X, y), range(12)))
    assert all((model.coef_ == expected).all() for model in models)
