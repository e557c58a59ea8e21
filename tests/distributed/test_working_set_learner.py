"""The working-set order with its set on the driver: what the reference defines, the same bits for every executor."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from killed_driver import Killed, Mortal
from mixed_shards import digest, overlapping, plan_of, separable, stacked, trained
from scipy import sparse

from rosenblatt.distributed import working_set_learner
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.prove.mistakes.mistake_bound import mistake_bound
from rosenblatt.reference.learner import Learner
from rosenblatt.reference.visit_orders import train_on_apart_set


def plan(**parameters):
    return plan_of(parameters.pop("name", "perceptron"), order="working-set", **parameters)


def defined(plan, X, codes, size, **options):
    learner = Learner(X.tolist(), [1 if code else -1 for code in codes], plan.recipe, seed=7, **options)
    train_on_apart_set(learner, size)
    return learner


def ends(learner, keep):
    planes = [np.mean(learner.path, axis=0)[0] if keep == "average" else learner.w[0]]
    return np.array(planes)


@pytest.mark.parametrize(
    ("keep", "rows", "size"), [("last", 90, 90), ("last", 1_200, 300), ("last", 5_000, 1_250), ("average", 90, 90)]
)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=4, deadline=None)
def test_the_bits_are_those_of_the_reference(keep, rows, size, seed):
    """With two columns the core adds in the order of the reference; averages are summed otherwise."""
    X, codes = separable(seed, rows, margin=0.05)
    learned, learner = trained(plan(keep=keep), X, codes, rows=100), defined(plan(keep=keep), X, codes, size)
    assert learned.status.reason in ("mistakes", *["average-errs"][: keep == "average"])
    assert learner.clean
    if keep == "last":
        np.testing.assert_array_equal(stacked(learned), ends(learner, keep))
        assert (learned.n_visits, learned.n_mistakes) == (learner.visits, learner.mistakes)
    else:
        np.testing.assert_allclose(stacked(learned), ends(learner, keep), rtol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_bits_are_the_same_for_every_number_of_workers(make, classes):
    X, _ = overlapping(5_000, columns=6, classes=classes)
    codes = (X @ np.random.default_rng(3).standard_normal((6, classes))).argmax(axis=1).astype(np.int32)
    weights = np.random.default_rng(0).uniform(0.5, 2, 5_000)
    for multi_class in ("ovr", "joint")[: classes - 1]:
        found = set()
        for workers in (1, 2, 3, 7):
            with ThreadPoolExecutor(workers) as threads:
                given = {"executor": threads, "rows": 300, "weights": weights}
                found.add(digest(trained(plan(multi_class=multi_class, max_iter=3), make(X), codes, classes, **given)))
        assert len(found) == 1


def test_processes_give_the_same_bits():
    X, codes = separable(1, 3_000, columns=5)
    with LocalProcesses(2) as processes:
        many = trained(plan(), X, codes, executor=processes, rows=500)
    assert digest(many) == digest(trained(plan(), X, codes, rows=500))


def test_a_small_set_ends_without_mistakes_too(monkeypatch):
    """As where a quarter of all rows is too large for the driver."""
    monkeypatch.setattr(working_set_learner, "MAX_NUMBERS", 1_000)
    X, codes = separable(2, 5_000, margin=0.05)
    learned = trained(plan(), X, codes, rows=300)
    assert learned.status.reason == "mistakes"
    w, b = learned.coef[0], learned.intercept[0]
    assert ((2 * codes - 1) * (X @ w + b) > 0).all()


@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_mistakes_never_exceed_novikoffs_bound_and_a_trace_names_global_rows(seed):
    X, codes = separable(seed, 2_000, columns=3, margin=0.1)
    learned = trained(plan(), X, codes, rows=300, trace=True)
    assert learned.n_mistakes <= float(mistake_bound(X, codes).bound)
    w = np.zeros(4)
    for row in learned.trace["row"]:
        x, sign = np.append(X[row], 1.0), 2 * codes[row] - 1
        assert sign * (w @ x) <= 1e-12
        w += sign * x
    np.testing.assert_allclose(w, stacked(learned)[0], rtol=1e-12)


def test_an_overlap_of_the_rows_on_the_driver_ends_the_run():
    X, codes = overlapping(4_000, classes=2)
    learned = trained(plan(max_iter=200), X, codes, rows=300)
    assert learned.status.reason == "overlap"


def test_a_driver_that_is_killed_again_and_again_comes_to_the_same_bits():
    X, codes = separable(3, 20_000, margin=0.002)
    saved, deaths = None, 0
    while True:
        bookmark = Mortal(saved, saves=2)
        try:
            learned = trained(plan(), X, codes, bookmark=bookmark, rows=300)
            break
        except Killed:
            saved, deaths = bookmark.tree, deaths + 1
            assert deaths < 1_000
    assert deaths >= 2
    assert digest(learned) == digest(trained(plan(), X, codes, rows=300))


def test_a_saved_state_of_other_columns_is_refused():
    bookmark = Mortal(None, saves=1)
    with pytest.raises(Killed):
        trained(plan(), *overlapping(columns=3, classes=2), bookmark=bookmark)
    with pytest.raises(ValueError, match="not of these columns"):
        trained(plan(), *overlapping(columns=5, classes=2), bookmark=Mortal(bookmark.tree, saves=9))
