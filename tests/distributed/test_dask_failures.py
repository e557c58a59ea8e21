"""Workers of Dask that are killed, schedulers that go away, and graphs that change or break."""

import operator
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("distributed", reason="dask and distributed are not installed")
import dask
import dask.array as da
from dask_collections import FRAME, ROWS, X, Y, chunked, column_sums, digest
from distributed import Client, LocalCluster

from rosenblatt import AveragedPerceptron, LogisticRegression, fit, save
from rosenblatt.cli.app import app
from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.dask_executor import live
from rosenblatt.distributed.executors import open_executor
from rosenblatt.distributed.worker_failures import ClusterError


@pytest.mark.parametrize("killed", [False, True])
def test_tables_are_predicted_and_evaluated_by_a_scheduler(two_workers, client, tmp_path, killed):
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=5_000)
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    save(fit(FRAME.head(5_000), target="kind"), tmp_path / "model")
    files, address = [tmp_path / "rows.parquet", tmp_path / "rows.csv"], client.scheduler.address
    for command in (["predict", "--probabilities"], ["evaluate", "--json"]):
        words = [command[0], tmp_path / "model", *files, *command[1:]]
        expected = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
        killer = threading.Thread(target=kill_a_worker if killed else len, args=([] if not killed else two_workers,))
        killer.start()
        found = CliRunner().invoke(app, list(map(str, [*words, "--scheduler", address])), catch_exceptions=False)
        killer.join()
        assert (found.exit_code, found.stdout) == (0, expected.stdout), found.stderr


def kill_a_worker(cluster):
    """Kill -9 one worker that has started; its nanny starts another."""
    running = [nanny for nanny in cluster.workers.values() if nanny.worker_address in cluster.scheduler.workers]
    os.kill(running[0].process.pid, signal.SIGKILL)


@pytest.mark.parametrize("kind", ["array", "frame in memory", "files", "mixed shards"])
def test_a_killed_worker_changes_nothing(two_workers, client, by_threads, tmp_path, kind):
    if kind == "files":
        FRAME.to_parquet(tmp_path / "rows.parquet")
    source = FRAME if kind == "frame in memory" else tmp_path / "rows.parquet"
    asked = {"target": "kind", "cache": tmp_path / "cache"}

    def train():
        if kind == "mixed shards":
            return AveragedPerceptron(max_iter=30, multi_class="joint", random_state=0).fit(*chunked(9_000))
        return (
            LogisticRegression().fit(*chunked(9_000)) if kind == "array" else fit(source, executor=client, **asked)[-1]
        )

    expected = digest(train())
    killer = threading.Thread(target=kill_a_worker, args=(two_workers,))
    killer.start()
    assert digest(train()) == expected
    killer.join()


def test_two_fits_at_once_and_a_worker_that_comes_later(two_workers, client, by_threads):
    two_workers.scale(3)
    try:
        with ThreadPoolExecutor(2) as drivers:
            models = list(drivers.map(lambda rows: LogisticRegression().fit(*chunked(rows)), (9_000, 20_000)))
    finally:
        two_workers.scale(2)
    assert {digest(model) for model in models} == {digest(by_threads)}


def test_a_scheduler_that_goes_away_is_a_sentence():
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "silence_logs": 50}
    blocks = list(blocks_of_arrays(X, np.zeros(ROWS, np.int32)))
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        cluster = LocalCluster(n_workers=1, **options)
        client = Client(cluster, timeout=300, set_as_default=False)
        try:
            with open_executor(client) as workers:
                placed = Cluster(workers, blocks)
                placed.reduce(column_sums, operator.add)
                cluster.close()
                placed.patience = 1.0
                with pytest.raises(ClusterError):
                    placed.reduce(column_sums, operator.add)
        finally:
            client.close(timeout=1)
            cluster.close()


def test_a_dask_graph_that_gives_other_numbers_is_refused():
    counter = iter(range(1000))

    def drifting(chunk):
        return chunk + next(counter)

    lazy = da.from_array(X, chunks=(ROWS, -1)).map_blocks(drifting, meta=np.empty((0, 0)))
    with pytest.raises(ClusterError, match="changed during training"):
        LogisticRegression().fit(lazy, Y)


def test_errors_of_a_graph_are_its_own(client):
    def broken(chunk):
        raise OSError("the disk is gone")

    lazy = da.from_array(X, chunks=(ROWS, -1)).map_blocks(broken, meta=np.empty((0, 0)))
    with pytest.raises(OSError, match="the disk is gone"):
        LogisticRegression().fit(lazy, Y)


def die_once(block, mark):
    """Kill this worker the first time that it is called."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return block.X.sum(axis=0)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_with_a_task_and_rows_that_it_keeps(client, tmp_path):
    blocks = list(blocks_of_arrays(X, np.zeros(ROWS, np.int32)))
    with open_executor(client) as workers, ThreadPoolExecutor(1) as thread:
        found = Cluster(workers, blocks).reduce(die_once, operator.add, str(tmp_path / "died"))
        np.testing.assert_array_equal(
            found, Cluster(thread, blocks).reduce(die_once, operator.add, str(tmp_path / "died"))
        )


def test_no_scheduler_is_a_sentence(monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.executors.CONNECT_SECONDS", 0.2)
    with pytest.raises(ClusterError, match="no Dask scheduler answers at tcp://"), open_executor("tcp://127.0.0.1:9"):
        pass


class ForgottenFuture:
    """What a client leaves of a future that it forgot when a worker died."""

    status = "error"

    def retry(self):
        raise KeyError("key")


def test_a_block_that_the_client_forgot_is_made_anew():
    assert live(ForgottenFuture(), lambda: "new") == "new"
