"""Passes over blocks: the same bits for every executor, and a result or a sentence whatever happens to workers."""

import operator
import os
import signal
import sys
import time
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from rosenblatt.distributed import task_groups
from rosenblatt.distributed.block import ArrayBlock, Block, LoadedBlock, blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster, Task, run_task
from rosenblatt.distributed.executors import open_executor
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.task_queue import MAX_ATTEMPTS
from rosenblatt.distributed.worker_failures import ClusterError

RNG = np.random.default_rng(0)
X, CODES = RNG.standard_normal((1000, 3)) * 10.0 ** RNG.integers(-8, 8, (1000, 1)), np.zeros(1000, np.int32)


def blocks(rows=64):
    return list(blocks_of_arrays(X, CODES, rows=rows))


def column_sums(block):
    time.sleep(float(abs(block.X[0, 0])) % 0.002)  # workers end in any order
    return block.X.sum(axis=0)


def scaled_sums(block, factor):
    return factor * block.X.sum(axis=0)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_sums_have_the_same_bits_for_every_number_of_threads(workers):
    with ThreadPoolExecutor(workers) as threads:
        found = Cluster(threads, blocks()).reduce(column_sums, operator.add)
    with ThreadPoolExecutor(1) as one:
        np.testing.assert_array_equal(found, Cluster(one, blocks()).reduce(column_sums, operator.add))
    np.testing.assert_allclose(found, X.sum(axis=0), rtol=1e-9)


@pytest.mark.parametrize("most", [1, 2, 5, 1000])
def test_the_number_of_tasks_does_not_change_the_bits(monkeypatch, most):
    with ThreadPoolExecutor(2) as threads:
        expected = Cluster(threads, blocks()).reduce(column_sums, operator.add)
        for limit in ("MAX_TASKS", "TASKS_PER_WORKER"):
            monkeypatch.setattr(task_groups, limit, most)
        np.testing.assert_array_equal(Cluster(threads, blocks()).reduce(column_sums, operator.add), expected)


@pytest.mark.parametrize(("workers", "many", "tasks"), [(1, 1000, 16), (2, 1000, 32), (7, 20, 20), (1, 10_000, 40)])
def test_a_worker_gets_several_tasks_however_many_blocks_there_are(workers, many, tasks):
    with ThreadPoolExecutor(workers) as threads:
        cluster = Cluster(threads, blocks(rows=1)[:1] * many)
        cluster.reduce(column_count, operator.add)
    sent = cluster.traffic.by_kind["column count"].tasks
    assert tasks / 2 <= sent <= tasks


@pytest.mark.parametrize("threads", [{}, {"a": 1}, {"a": 1, "b": 4, "c": 2}])
def test_leaves_that_workers_hold_are_grouped_by_worker_and_none_is_lost(threads):
    leaves = [task_groups.Leaf(number, (number,)) for number in range(1000)]
    holders = RNG.choice(["a", "b", "c"], len(leaves)).tolist()
    groups = task_groups.leaves_by_holder(leaves, holders, threads)
    assert sorted(leaf.number for group in groups for leaf in group) == list(range(1000))
    assert all(len({holders[leaf.number] for leaf in group}) == 1 for group in groups)
    assert len(groups) <= 2 * max(3, sum(threads.values()) + 3)


def test_dask_knows_how_large_a_block_is():
    dense, codes = np.zeros((100, 7)), np.zeros(100, np.int32)
    assert sys.getsizeof(LoadedBlock(dense, codes)) >= dense.nbytes + codes.nbytes
    values = csr_matrix(np.eye(100))
    assert sys.getsizeof(LoadedBlock(values, codes, np.ones(100))) >= values.data.nbytes + values.indices.nbytes + 800


def column_count(block):
    return block.X.shape[1]


def test_a_pass_has_its_arguments_and_processes_agree_with_threads():
    with ThreadPoolExecutor(2) as threads, LocalProcesses(2) as processes:
        found = [Cluster(pool, blocks()).reduce(scaled_sums, operator.add, 3.0) for pool in (threads, processes)]
    np.testing.assert_array_equal(*found)


def die_once(block, mark):
    """Kill this process the first time that it is called."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return block.X.sum(axis=0)
    os.kill(os.getpid(), signal.SIGKILL)


def die(block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_changes_nothing(tmp_path):
    with LocalProcesses(2) as processes:
        found = Cluster(processes, blocks()).reduce(die_once, operator.add, str(tmp_path / "died"))
    with ThreadPoolExecutor(1) as one:
        np.testing.assert_array_equal(found, Cluster(one, blocks()).reduce(scaled_sums, operator.add, 1.0))


def test_processes_that_always_die_end_with_a_sentence():
    with LocalProcesses(1) as processes, pytest.raises(ClusterError, match=r"workers died 5 times .* rows 0 to 63"):
        Cluster(processes, blocks()[:1]).reduce(die, operator.add)


def test_a_broken_executor_of_the_user_ends_with_a_sentence():
    with ProcessPoolExecutor(1) as pool, pytest.raises(ClusterError, match="the executor takes no tasks any more"):
        Cluster(pool, blocks()[:1]).reduce(die, operator.add)


DRIVER = """
import operator, sys, time
from concurrent.futures import wait
from rosenblatt.distributed.local_processes import LocalProcesses
from test_cluster import tell_and_wait

if __name__ == "__main__":
    with LocalProcesses(2) as processes:
        wait([processes.submit(tell_and_wait, sys.argv[1]) for _ in range(2)])
"""


def tell_and_wait(folder):
    """Write the number of this process into a file, and wait for ever."""
    Path(folder, str(os.getpid())).touch()
    Event().wait()


def test_processes_ignore_ctrl_c_and_end_when_their_parent_is_killed(tmp_path, start):
    (tmp_path / "driver.py").write_text(DRIVER)
    told = tmp_path / "told"
    told.mkdir()
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    driver = start([sys.executable, tmp_path / "driver.py", told], env={**os.environ, "PYTHONPATH": path})
    while len(list(told.iterdir())) < 2:
        assert driver.poll() is None
        time.sleep(0.05)
    numbers = [int(file.name) for file in told.iterdir()]
    for number in numbers:
        os.kill(number, signal.SIGINT)
    assert all(is_running(number) for number in numbers)
    driver.kill()
    while any(is_running(number) for number in numbers):
        time.sleep(0.05)


def is_running(number):
    """Whether a process runs that has this number; one that has ended and is not yet waited for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class FailingExecutor(Executor):
    """Runs tasks at once, and fails the first `failures` with an error."""

    def __init__(self, error, failures):
        self.error, self.failures, self.calls = error, failures, 0

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        future = Future()
        if self.calls <= self.failures:
            future.set_exception(self.error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("error", [MemoryError(), CancelledError(), ConnectionResetError()])
def test_tasks_of_failed_workers_are_submitted_again(error):
    pool = FailingExecutor(error, failures=MAX_ATTEMPTS - 1)
    found = Cluster(pool, blocks()[:1]).reduce(scaled_sums, operator.add, 2.0)
    np.testing.assert_array_equal(found, 2.0 * X[:64].sum(axis=0))


def test_too_little_memory_on_every_worker_is_told():
    with pytest.raises(ClusterError, match="no worker has enough memory for rows 0 to 63"):
        Cluster(FailingExecutor(MemoryError(), MAX_ATTEMPTS), blocks()[:1]).reduce(column_sums, operator.add)


def wrong(block):
    raise ValueError("column 7 is wrong")


def test_errors_of_the_task_itself_are_raised_at_once():
    with ThreadPoolExecutor(2) as threads, pytest.raises(ValueError, match="column 7 is wrong"):
        Cluster(threads, blocks()).reduce(wrong, operator.add)


def test_a_cluster_that_never_answers_ends_with_a_sentence():
    answered = Event()

    def wait_for_ever(block):
        answered.wait()

    with ThreadPoolExecutor(1) as threads:
        try:
            with pytest.raises(ClusterError, match=r"no worker finished a task within 0.05 s"):
                Cluster(threads, blocks(), patience=0.05).reduce(wait_for_ever, operator.add)
        finally:
            answered.set()


def test_a_worker_of_another_version_is_refused():
    task = Task(("rows 0 to 63",), leaves=((0, 1, None),), version="0.0.1")
    with pytest.raises(ClusterError, match=r"a worker runs rosenblatt .*, and this program 0\.0\.1"):
        run_task(blocks()[:1], task, column_sums, operator.add)


class ChangingBlock(Block):
    """A block that gives other numbers at each load."""

    name = "rows 0 to 63"
    loads = 0

    def load(self):
        self.loads += 1
        return LoadedBlock(X[:64] + self.loads, CODES[:64])


def test_a_block_that_changes_between_passes_is_refused():
    with ThreadPoolExecutor(1) as threads:
        cluster = Cluster(threads, [ChangingBlock()])
        cluster.fingerprints = [cluster.blocks[0].load().fingerprint]
        with pytest.raises(ClusterError, match="rows 0 to 63 changed during training"):
            cluster.reduce(column_sums, operator.add)


def names_and_sums(loaded, shard, factor):
    """Text, which can be added in one order only."""
    return f"{shard}:" + ",".join(f"{factor * block.X[0, 0]:.3g}" for block in loaded) + ";"


@pytest.mark.parametrize("workers", [1, 3])
def test_shards_take_their_blocks_in_the_order_given_and_are_added_in_theirs(workers):
    shards = [("a", [1, 0]), ("b", [5]), ("c", [2, 4, 3])]
    with ThreadPoolExecutor(workers) as threads:
        found = Cluster(threads, blocks()).reduce_shards(names_and_sums, operator.add, shards, 2.0)
    first = [f"{2.0 * block.loaded.X[0, 0]:.3g}" for block in blocks()]
    assert found == f"a:{first[1]},{first[0]};b:{first[5]};c:{first[2]},{first[4]},{first[3]};"


def test_a_block_of_a_shard_that_changes_is_refused():
    with ThreadPoolExecutor(1) as threads:
        cluster = Cluster(threads, [ChangingBlock()])
        cluster.fingerprints = [cluster.blocks[0].load().fingerprint]
        with pytest.raises(ClusterError, match="rows 0 to 63 changed during training"):
            cluster.reduce_shards(names_and_sums, operator.add, [("a", [0])], 1.0)


def test_fingerprints_tell_every_number_label_and_weight():
    base = LoadedBlock(X[:4], CODES[:4], np.ones(4))
    other = [LoadedBlock(X[:4] + 1e-3, CODES[:4], np.ones(4)), LoadedBlock(X[:4], CODES[:4] + 1, np.ones(4))]
    other += [LoadedBlock(X[:4], CODES[:4], 2 * np.ones(4)), LoadedBlock(X[:4].reshape(6, 2), CODES[:4], np.ones(4))]
    assert len({block.fingerprint for block in (base, *other)}) == 5
    assert base.fingerprint == ArrayBlock(0, LoadedBlock(X[:4].copy(), CODES[:4], np.ones(4))).load().fingerprint


@pytest.mark.parametrize("given", ["three", 0, True, 1.5, None])
def test_what_is_no_executor_is_refused(given):
    with pytest.raises(ValueError, match="executor must be a number of processes"), open_executor(given):
        pass
