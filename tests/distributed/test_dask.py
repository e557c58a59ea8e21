"""Dask as the executor: real clusters of processes on this machine, whose workers are killed."""

import hashlib
import operator
import os
import re
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("distributed", reason="dask and distributed are not installed")
import dask
import dask.array as da
import dask.bag as bag
import dask.dataframe as dd
import distributed
import pandas as pd
from distributed import Client, LocalCluster
from sklearn.base import clone
from typer.testing import CliRunner

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    audit,
    fit,
    save,
    separability,
)
from rosenblatt.cli.app import app
from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.collection_executor import collection_executor
from rosenblatt.distributed.dask_executor import DaskExecutor, live
from rosenblatt.distributed.dask_rows import Chunks, DaskRows
from rosenblatt.distributed.executors import open_executor
from rosenblatt.distributed.pair_rows import take_rows
from rosenblatt.distributed.worker_failures import ClusterError

ROWS = 40_000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((ROWS, 4))
SCORES = X @ RNG.standard_normal((4, 3)) + RNG.gumbel(size=(ROWS, 3))
Y = np.array(["a", "b", "c"])[SCORES.argmax(axis=1)]
FRAME = pd.DataFrame(X, columns=list("pqrs")).assign(kind=Y)


@pytest.fixture(scope="module")
def two_workers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask itself, about ports and memory
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "silence_logs": 50}
        with LocalCluster(n_workers=2, **options) as cluster:
            yield cluster


@pytest.fixture
def client(two_workers):
    with Client(two_workers, timeout=300) as client:
        client.wait_for_workers(2, timeout=300)
        yield client


def digest(model):
    return hashlib.sha256(model.coef_.tobytes() + model.intercept_.tobytes()).hexdigest()


def chunked(rows, form=np.asarray):
    return da.from_array(X, chunks=(rows, -1)).map_blocks(form), da.from_array(Y, chunks=7_000)


@pytest.fixture(scope="module")
def by_threads():
    return LogisticRegression().fit(*chunked(30_000))


def test_chunks_and_threads_do_not_change_the_bits(by_threads):
    for n_jobs, rows in ((1, 7_000), (3, ROWS)):
        assert digest(LogisticRegression(n_jobs=n_jobs).fit(*chunked(rows))) == digest(by_threads)
    columns_apart = da.from_array(X, chunks=(9_000, 3))
    assert digest(LogisticRegression().fit(columns_apart, Y)) == digest(by_threads)


def test_workers_give_the_bits_of_threads(client, by_threads):
    assert digest(LogisticRegression().fit(*chunked(11_000))) == digest(by_threads)


def test_the_model_is_that_of_rows_in_memory(by_threads):
    """dask-ml learns several classes wrongly (#859) and gives probabilities of the wrong shape (#386)."""
    expected = LogisticRegression().fit(X, Y)
    np.testing.assert_allclose(by_threads.coef_, expected.coef_, atol=1e-6)
    lazy, _ = chunked(9_000)
    chances = by_threads.predict_proba(lazy)
    assert chances.shape == (ROWS, 3)
    np.testing.assert_array_equal(chances.compute(), by_threads.predict_proba(X))
    np.testing.assert_array_equal(by_threads.predict(lazy).compute(), by_threads.predict(X))
    np.testing.assert_array_equal(by_threads.decision_function(lazy).compute(), by_threads.decision_function(X))


def test_sparse_chunks_weights_and_the_squared_hinge(client):
    lazy, labels = chunked(9_000, sparse.csr_matrix)
    weights = RNG.integers(0, 3, ROWS).astype(float)
    weights[:17_000] = 0.0  # no row of the first block counts
    model = LinearSVM(loss="squared-hinge", class_weight="balanced", tol=1e-9)
    model.fit(lazy, labels, sample_weight=da.from_array(weights, chunks=5_000))
    expected = LinearSVM(loss="squared-hinge", class_weight="balanced", tol=1e-9).fit(X, Y, weights)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-6)
    np.testing.assert_array_equal(model.predict(lazy).compute(), model.predict(X))


def test_the_hinge_and_its_gap(client):
    lazy, _ = chunked(9_000)
    model = LinearSVM(loss="hinge", tol=1e-4).fit(lazy, da.from_array(Y == "a", chunks=7_000))
    expected = LinearSVM(loss="hinge").fit(X, Y == "a")
    assert model.duality_gap_ <= 1e-4
    assert expected.objective_ * (1 - 1e-7) <= model.objective_ <= expected.objective_ / (1 - model.duality_gap_)
    with pytest.raises(ValueError, match="choose multi_class='ovr'"):
        LinearSVM(loss="hinge").fit(*chunked(9_000))


def test_data_frames_keep_the_names_of_their_columns(client, by_threads):
    frame = dd.from_pandas(FRAME, npartitions=5)
    model = LogisticRegression().fit(frame[list("pqrs")], frame["kind"])
    assert digest(model) == digest(by_threads)
    assert model.feature_names_in_.tolist() == list("pqrs")
    np.testing.assert_array_equal(model.predict(frame[list("pqrs")]).compute(), model.predict(FRAME[list("pqrs")]))


def test_fit_of_a_table_by_a_client_and_by_its_address(client, tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet")
    asked = {"target": "kind", "cache": tmp_path / "cache"}
    found = {digest(fit(tmp_path / "rows.parquet", executor=given, **asked)[-1]) for given in (client, 1)}
    found.add(digest(fit(tmp_path / "rows.parquet", executor=client.scheduler.address, **asked)[-1]))
    found.add(digest(fit(FRAME, executor=client, **asked)[-1]))  # rows in memory travel once
    assert len(found) == 1


FAMILY = [
    Perceptron(max_iter=3, random_state=0),
    AveragedPerceptron(max_iter=3, multi_class="joint", order="cyclic"),
    PocketPerceptron(max_iter=4, order="shuffle-once", random_state=0),
    PassiveAggressive(max_iter=3, random_state=0),
    LinearSVM(solver="sgd", max_iter=3, random_state=0),
    LogisticRegression(solver="sgd", max_iter=3, random_state=0),
]


def mixed_digests(*chunks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes overlap
        return [digest(clone(model).fit(*chunks)) for model in FAMILY]


@pytest.fixture(scope="module")
def mixed_by_threads():
    return [mixed_digests(*chunked(ROWS)), mixed_digests(*chunked(30_000, sparse.csr_matrix))]


def test_mixed_shards_have_the_bits_of_threads_on_workers_too(mixed_by_threads, client):
    assert mixed_digests(*chunked(11_000)) == mixed_by_threads[0]
    assert mixed_digests(*chunked(7_000, sparse.csr_matrix)) == mixed_by_threads[1]
    assert len({*mixed_by_threads[0]}) == len(FAMILY)


def test_mixed_perceptrons_are_audited():
    y = X @ [1.0, -1.0, 0.5, 0.0] > 0.3
    apart = X + np.outer(np.where(y, 0.1, -0.1), [1.0, -1.0, 0.5, 0.0])
    model = Perceptron(random_state=0).fit(da.from_array(apart, chunks=(9_000, 2)), y, trace=True)
    assert model.status_.reason == "mistakes"
    assert set(model.trace_["shard"].tolist()) == {0, 1, 2}
    report = audit(model, apart, y)
    assert report, report.why_not


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_separability_is_decided_where_the_rows_are(client, form):
    y = np.where(X[:, 0] + X[:, 1] > 0.5, "in", "out")
    y[np.abs(X[:, 2]) > 4] = "odd"
    numbers = np.rint(X * 4)
    found, options = [], {"classes": ("out", "in")}
    for rows in (9_000, ROWS):
        lazy = da.from_array(numbers, chunks=(rows, -1)).map_blocks(form)
        found.append(separability(lazy, da.from_array(y, chunks=7_000), **options))
    assert found[0].certificate == found[1].certificate
    assert found[0].kind == separability(numbers, y, **options).kind
    assert found[0].verify(numbers, y), found[0].why_not


def test_separability_of_data_frames_names_columns_and_classes(client):
    frame = dd.from_pandas(FRAME, npartitions=5)
    found = separability(frame[list("pqrs")], frame["kind"], multi_class="ovr")
    expected = separability(FRAME[list("pqrs")], FRAME["kind"], multi_class="ovr")
    assert {label: each.kind for label, each in found.items()} == {label: each.kind for label, each in expected.items()}
    assert all(each.verify(FRAME[list("pqrs")], FRAME["kind"]) for each in found.values())
    assert found["a"].certificate["names"] == list("pqrs")


@pytest.mark.parametrize(
    ("rows", "labels", "options", "sentence"),
    [
        (X, Y, {"fingerprint": True}, "fingerprint=True does not go with Dask"),
        (X, Y, {"features": "polynomial-2"}, "does not go with Dask"),
        (X, Y, {}, "y has 3 classes"),
        (X, Y, {"classes": ("a", "d")}, "which is not among the labels"),
        (X, Y, {"classes": ("a", "b"), "multi_class": "ovr"}, "give only one of them"),
        (X, Y, {"time_limit": 0}, "time_limit must be"),
        (X, np.where(Y == "a", np.nan, 1.0), {}, "y has no label in row"),
        (np.full((ROWS, 1), 2**53 + 1), Y == "a", {}, "that no float64 equals"),
    ],
)
def test_what_separability_of_collections_refuses(rows, labels, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        separability(da.from_array(rows, chunks=(9_000, -1)), labels, **options)


ODD_LABELS = {
    "a number that is no class": (X[:, 0], r"y holds numbers instead of classes, such as .* in row (0|16384|32768)"),
    "NaN": (np.where(np.arange(ROWS) == ROWS - 1, np.nan, 1.0), f"y has no label in row {ROWS - 1}, but nan"),
    "None": (np.where(np.arange(ROWS) == 7, None, "a"), "y has no label in row 7, but None"),
    "NaT": (np.where(np.arange(ROWS) == 7, "NaT", "2024-01-01").astype("M8[ns]"), "y has no label in row 7, but NaT"),
    "texts and numbers": (np.where(np.arange(ROWS) == 7, 1, np.array("a", object)), "'a' in row 0 and 1 in row 7"),
    "texts and numbers in other blocks": (np.where(np.arange(ROWS) >= 32_768, 1, np.array("a", object)), "all text or"),
    "two columns": (np.ones((ROWS, 2)), "y must hold one label a row, not 2"),
}


@pytest.mark.parametrize("name", ODD_LABELS)
def test_what_is_no_class_is_refused(name):
    labels, sentence = ODD_LABELS[name]
    with pytest.raises(ValueError, match=sentence):
        LogisticRegression().fit(da.from_array(X, chunks=(9_000, -1)), labels)


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="X holds complex numbers"):
        LogisticRegression().fit(da.from_array(X + 1j, chunks=(9_000, -1)), Y)


def test_chunks_of_any_sparse_form_are_read():
    lazy = da.from_array(X, chunks=(9_000, -1))
    found = [
        digest(LogisticRegression().fit(lazy.map_blocks(form), Y)) for form in (sparse.csr_matrix, sparse.coo_matrix)
    ]
    assert found[0] == found[1]


def test_a_pass_takes_few_tasks_where_workers_hold_many_blocks(client, monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.block.BLOCK_ROWS", 500)  # 80 blocks
    lazy, labels = dask.persist(*chunked(1_700))
    with ThreadPoolExecutor(1) as thread, collection_executor() as workers:
        cluster = Cluster(workers, list(DaskRows.of(workers, lazy, labels).blocks(workers)))
        first, second = (cluster.reduce(column_sums, operator.add) for _ in range(2))
        here = Cluster(thread, list(blocks_of_arrays(X, np.zeros(ROWS, np.int32), rows=500)))
        np.testing.assert_array_equal(first, here.reduce(column_sums, operator.add))
        np.testing.assert_array_equal(second, first)
        places = [79, 3, 40]
        taken = cluster.gather(take_rows, {place: np.array([0]) for place in places})
    assert {place: chosen.rows.X[0, 0] for place, chosen in taken.items()} == {k: X[500 * k, 0] for k in places}
    assert cluster.traffic.by_kind["column sums"].tasks <= 24 + 4  # one for each chunk, then two for each worker


def test_chunks_in_memory_are_cut_before_they_travel_and_others_where_they_are():
    lazy, _ = chunked(9_000)
    with ThreadPoolExecutor(1) as thread:
        rows, codes = Chunks.of(thread, lazy), Chunks.of(thread, np.arange(ROWS))
    [(own, *_), (other, *wanted)] = rows.between(8_000, 12_000, home=0)
    assert own is rows.parts[0]
    np.testing.assert_array_equal(other.compute(), X[9_000:12_000])
    assert wanted == [0, 3_000]
    [(sent, start, stop)] = codes.between(8_000, 12_000)
    assert (sent.tolist(), start, stop) == (list(range(8_000, 12_000)), 0, 4_000)


def test_dasks_own_executor_is_replaced_by_ours(client):
    """Its futures may never end after a worker's death."""
    workers = list(client.nthreads())[:1]
    with client.get_executor(pure=False, workers=workers) as given, open_executor(given) as pool:
        assert isinstance(pool, DaskExecutor)
        assert pool.client is client
        assert pool.workers == 2
        here = {pool.submit(lambda k: distributed.get_worker().address, k).result() for k in range(6)}
        assert here == set(workers)


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


def column_sums(block):
    return block.X.sum(axis=0)


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


TEXTS = np.array([["1.5", "red"], ["2.5", "blue"]] * 10)


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (da.from_array(TEXTS, chunks=(5, 1)), "Input X contains text in column 1. Encode or drop such columns first."),
        (da.from_array(TEXTS.astype(object), chunks=7), "Input X contains text in column 1. Encode"),
        (
            dd.from_pandas(pd.DataFrame({"size": [1.0, 2.0] * 10, "colour": ["red", "blue"] * 10}), npartitions=2),
            "Input X contains text in column 'colour'. Encode",
        ),
        (da.from_array(TEXTS[:, 1], chunks=7), "X must have two dimensions, rows and columns, not 1."),
    ],
    ids=["texts", "objects", "frame", "one dimension"],
)
def test_texts_in_dask_collections_are_refused_in_one_sentence(texts, sentence):
    model = LogisticRegression()
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        model.fit(texts, np.arange(20) % 2)
    assert not hasattr(model, "coef_")


WITH_GAP = np.where(np.arange(ROWS)[:, None] + np.arange(4) == 20_003, np.nan, X)  # in row 20,000, column 3
NULLABLE = pd.DataFrame({"p": pd.array(range(ROWS), dtype="Int64"), "q": X[:, 1]})
ODD_ROWS = {
    "NaN": (da.from_array(WITH_GAP[:20_001], chunks=(7_000, -1)), "NaN in column 3, row 20000. Fill in"),
    "NA": (dd.from_pandas(NULLABLE.mask(NULLABLE.p == 9), npartitions=3), "NaN in column 'p', row 9. Fill in"),
    "dates": (
        dd.from_pandas(FRAME[["p"]].assign(day=pd.Timestamp("2024-01-01")), npartitions=2),
        "Input X contains dates in column 'day'. Turn them into numbers",
    ),
    "bag": (bag.from_sequence(X[:9].tolist()), "X is a Dask Bag: make it a Dask array or data frame first."),
    "delayed": (dask.delayed(X[:9]), "make it a Dask array or data frame first."),
}


@pytest.mark.parametrize("fitted", [LogisticRegression().fit, separability], ids=["fit", "separability"])
@pytest.mark.parametrize("name", ODD_ROWS)
def test_rows_that_are_no_numbers_are_refused_by_row_and_column(name, fitted):
    rows, sentence = ODD_ROWS[name]
    count = 9 if name in ("bag", "delayed") else len(rows)
    with pytest.raises(ValueError, match=sentence):
        fitted(rows, np.arange(count) % 2)


@pytest.mark.parametrize("labels", [None, bag.from_sequence([0, 1])], ids=["None", "bag"])
def test_what_holds_no_labels_is_refused(labels):
    with pytest.raises(ValueError, match=r"y is None: give the label of each row|y is a Dask Bag"):
        LogisticRegression().fit(chunked(9_000)[0], labels)


def test_rows_of_weight_0_keep_the_numbers_of_others():
    rows = da.from_array(WITH_GAP, chunks=(9_000, -1))
    weights = np.where(np.arange(ROWS) % 3 == 0, 0.0, 1.0)
    with pytest.raises(ValueError, match="NaN in column 3, row 20000"):
        LogisticRegression().fit(rows, Y, sample_weight=weights)
    LogisticRegression().fit(rows, Y, sample_weight=np.where(np.arange(ROWS) // 4 == 5_000, 0.0, weights))


def test_one_weight_for_all_rows_and_chunks_of_both_forms(by_threads):
    rows, labels = chunked(10_000)
    both = da.concatenate([rows[:10_000], rows[10_000:].map_blocks(sparse.csr_matrix)])
    found = LogisticRegression().fit(both, labels, sample_weight=1.0)
    np.testing.assert_allclose(found.coef_, by_threads.coef_, atol=1e-6)


def test_scores_of_collections_are_those_of_rows_in_memory(by_threads):
    frame = dd.from_pandas(FRAME, npartitions=3)
    named = LogisticRegression().fit(FRAME[list("pqrs")], Y)
    weights = RNG.random(ROWS)
    assert named.score(frame[list("pqrs")], frame["kind"]) == named.score(FRAME[list("pqrs")], Y)
    assert named.score(frame[list("pqrs")], Y, weights) == named.score(FRAME[list("pqrs")], Y, weights)
    assert by_threads.score(*chunked(9_000)) == by_threads.score(X, Y)


def test_a_dask_table_is_no_table_in_memory():
    with pytest.raises(ValueError, match="the table is a Dask DataFrame, which is not in memory: write it to Parquet"):
        fit(dd.from_pandas(FRAME, npartitions=2), target="kind")


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


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (LogisticRegression(), {"trace": True}, "trace=True does not go with Dask"),
        (LinearSVM(loss="squared-hinge", calibration="platt"), {}, "calibration does not go with Dask"),
        (PocketPerceptron(), {}, "'random-mistake' chooses among all rows"),
        (KernelPerceptron(), {}, "KernelPerceptron does not go with Dask collections"),
        (Perceptron(), {"trace": True, "sample_weight": np.ones(ROWS)}, "trace=True does not go with Dask"),
        (LogisticRegression(solver="sgd", early_stopping=True), {}, "early_stopping does not go with Dask"),
        (LogisticRegression(solver="gd"), {}, "solver='gd' does not run on an executor"),
        (LogisticRegression(), {"sample_weight": -np.ones(ROWS)}, "sample_weight must hold finite numbers"),
        (LogisticRegression(), {"sample_weight": np.zeros(ROWS)}, "nothing to learn from"),
        (LogisticRegression(), {"sample_weight": np.ones(7)}, "inconsistent lengths"),
    ],
)
def test_what_dask_collections_do_not_go_with_is_refused(model, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(*chunked(ROWS), **options)
    assert not hasattr(model, "coef_")


class ForgottenFuture:
    """What a client leaves of a future that it forgot when a worker died."""

    status = "error"

    def retry(self):
        raise KeyError("key")


def test_a_block_that_the_client_forgot_is_made_anew():
    assert live(ForgottenFuture(), lambda: "new") == "new"
