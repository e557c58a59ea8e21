"""The audit of mixed shards: both inequalities after every epoch, and a sentence for a trace that is not one."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import AveragedPerceptron, Perceptron, audit, mistake_bound
from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.train_blocks import train_blocks
from rosenblatt.parts.features import IDENTITY
from rosenblatt.prove.mistakes.audit_mixing import MixedAudit, audit_mixing
from rosenblatt.prove.mistakes.mistake_bound import PerceptronRows, novikoff_bound
from rosenblatt.prove.mistakes.traced_rows import TracedRows


def mixed(model, X, y, rows, weights=None):
    """A classifier that has been trained on shards of so many rows."""
    with ThreadPoolExecutor(1) as thread:
        cluster = Cluster(thread, list(blocks_of_arrays(X, y.astype(np.int32), weights, rows)))
        learned = train_blocks(model._plan(), cluster, 2, seed=3, trace=True)
    model._adopt(learned, np.array([0, 1]), X.shape[1], None, IDENTITY)
    return model


def separable(seed, rows=40, columns=3, margin=0.3, whole=False):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    X = rng.integers(-9, 10, (rows, columns)) if whole else rng.standard_normal((rows, columns))
    X = X[np.abs(X @ w) > margin].astype(np.float64)
    return X, (X @ w > 0).astype(int)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["cyclic", "shuffle-once", "shuffle"]),
    st.integers(1, 20),
    st.booleans(),
    st.sampled_from([0.3, 1.0, 7.0]),
    st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_mixtures_of_separable_rows_pass(seed, order, rows, whole, eta0, weighted):
    X, y = separable(seed, whole=whole)
    if len(set(y.tolist())) < 2:
        return
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else None
    model = mixed(Perceptron(order=order, eta0=eta0), X, y, rows, weights)
    report = audit(model, X, y, sample_weight=weights)
    assert isinstance(report, MixedAudit)
    assert report, report.why_not
    assert report.mistakes == model.n_mistakes_
    assert report.mixed_mistakes <= Fraction(mistake_bound(X, y, sample_weight=weights).bound)


THREE = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])


def test_the_table_has_an_epoch_a_line():
    report = audit(mixed(Perceptron(order="cyclic"), *THREE, rows=2), *THREE)
    lines = str(report).splitlines()
    assert len(lines) == len(report.record["epoch"]) + 2
    assert lines[-1].endswith("at most 117 were possible: both inequalities hold after every epoch")
    assert (np.diff(report.record["mistake"]) > 0).all()
    assert float(report.mixed_mistakes) == report.record["mistake"][-1]


def test_equalities_are_decided_in_fractions():
    """One row a shard: every first update is at the margin, and its length is the radius."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    report = audit(mixed(Perceptron(fit_intercept=False, order="cyclic"), X, y, rows=1), X, y)
    assert report
    assert report.record["progress"][-1] == pytest.approx(report.record["least_progress"][-1])
    assert report.record["squared_norm"][-1] == pytest.approx(report.record["most_squared_norm"][-1])


@pytest.mark.parametrize(("radius", "margin", "sentence"), [(0.9, 1.0, "above"), (1.0, 1.1, "below")])
def test_an_inequality_that_fails_is_told(radius, margin, sentence):
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    model, rows = Perceptron(fit_intercept=False, order="cyclic"), PerceptronRows(X, y, False, 1.0, None, None)
    bound = replace(novikoff_bound(rows), radius=radius, margin=margin)
    report = audit_mixing(model, TracedRows(rows, 1.0, mixed(model, X, y, rows=1).trace_), bound)
    assert f"After epoch 1, {'||w||^2' if sentence == 'above' else 'w.w*'} is {sentence}" in report.why_not


def test_sparse_rows_and_averages_are_audited():
    X, y = separable(1)
    assert audit(mixed(AveragedPerceptron(), sparse.csr_matrix(X), y, rows=7), sparse.csr_matrix(X), y)


def test_overlapping_rows_are_audited_by_the_norm_alone():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = audit(mixed(Perceptron(max_iter=20), X, y, rows=2), X, y)
    assert report
    assert "||w||^2 keeps its bound after every epoch; no bound" in str(report)


def changed(model, **columns):
    """The same model with another trace."""
    model._learned = replace(model._learned, trace={**model.trace_, **columns})
    return model


def test_what_is_not_the_trace_is_told():
    X, y = separable(2, rows=60, margin=0.05)

    def model():
        return mixed(Perceptron(order="cyclic"), X, y, rows=15)

    trace = model().trace_
    assert audit(model(), X, y)
    assert "out of order" in audit(changed(model(), shard=trace["shard"][::-1]), X, y).why_not
    assert not audit(changed(model(), shard=np.zeros_like(trace["shard"])), X, y)  # as if one shard had learned it all
    assert (
        "names row 999"
        in audit(changed(model(), row=trace["row"] + (trace["row"] == trace["row"][0]) * 999), X, y).why_not
    )
    assert "times its row" in audit(changed(model(), change=2 * trace["change"]), X, y).why_not
    assert not audit(model(), X * 1.01, y)
    fewer = {name: values[:-1] for name, values in trace.items()}
    assert "updates, but the model made" in audit(changed(model(), **fewer), X, y).why_not
    other = model()
    other._learned = replace(other._learned, coef=other.coef_ + 1e-3)
    assert "does not end in the weights" in audit(other, X, y).why_not
