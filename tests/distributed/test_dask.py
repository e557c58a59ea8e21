"""Dask as the executor: workers, threads, chunks and files lead to the same bits, and to verdicts that verify."""

import operator
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

pytest.importorskip("distributed", reason="dask and distributed are not installed")
import dask
import dask.array as da
import dask.dataframe as dd
import distributed
from dask_collections import FRAME, RNG, ROWS, X, Y, chunked, column_sums, digest

from rosenblatt import (
    AveragedPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    audit,
    fit,
    separability,
)
from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.collection_executor import collection_executor
from rosenblatt.distributed.dask_executor import DaskExecutor
from rosenblatt.distributed.dask_rows import Chunks, DaskRows
from rosenblatt.distributed.executors import open_executor
from rosenblatt.distributed.pair_rows import take_rows


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
