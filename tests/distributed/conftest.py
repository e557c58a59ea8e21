"""A Dask cluster of two processes on this machine, what threads learn without it, and few shards."""

import warnings

import pytest

from rosenblatt import LogisticRegression
from rosenblatt.distributed import shards as shards_module


@pytest.fixture(scope="module")
def two_workers():
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask itself, about ports and memory
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "silence_logs": 50}
        with LocalCluster(n_workers=2, **options) as cluster:
            yield cluster


@pytest.fixture
def client(two_workers):
    from distributed import Client

    with Client(two_workers, timeout=300) as client:
        client.wait_for_workers(2, timeout=300)
        yield client


@pytest.fixture(scope="module")
def by_threads():
    from dask_collections import chunked

    return LogisticRegression().fit(*chunked(30_000))


@pytest.fixture
def few_shards(monkeypatch):
    """Shards of two blocks of ten rows."""
    monkeypatch.setattr(shards_module, "MAX_SHARDS", 5)
