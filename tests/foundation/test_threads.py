"""Threads live on between calls: they must survive forks, and callers who come at the same time."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rosenblatt import LogisticRegression, _core


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_amid_looks_at_mapped_files_leaves_no_lock_behind(tmp_path):
    path, ended = str(tmp_path / "numbers"), threading.Event()
    np.arange(1000.0).tofile(path)

    def map_and_let_go():
        while not ended.is_set():
            _core.mapped(path, 1 << 20)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(map_and_let_go)
        try:
            for _ in range(100):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)  # which ends it where it waits for ever
                    os._exit(0 if _core.mapped(path, 1 << 20).view(float).sum() == 499_500 else 1)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            ended.set()


def test_fits_side_by_side_return_the_same_bits():
    X, y = large_enough_for_threads()
    expected = LogisticRegression(n_jobs=1).fit(X, y).coef_
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: LogisticRegression(n_jobs=2).fit(X, y), range(12)))
    assert all((model.coef_ == expected).all() for model in models)
