"""The hinge over blocks: the optimum of one machine, with a gap that is true, and the same bits for every executor."""

import hashlib
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from killed_driver import Killed, Mortal
from scipy import sparse

from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.hinge_rows import HingeProblem
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.train_blocks import train_blocks
from rosenblatt.foundation.errors import InputError, TooLarge
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.penalised_plan import penalised_plan


@pytest.fixture(scope="module")
def two_threads():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def problem(rows=400, columns=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    scores = X @ rng.standard_normal((columns, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1).astype(np.int32), classes


def plan_of(**parameters):
    return penalised_plan("svm", loss="hinge", **parameters)


def trained(executor, plan, X, codes, classes, weights=None, factors=None, rows=64, **options):
    cluster = Cluster(executor, list(blocks_of_arrays(X, codes, weights, rows)))
    return train_blocks(plan, cluster, classes, class_factors=factors, **options)


def digest(learned):
    return hashlib.sha256(learned.coef.tobytes() + learned.intercept.tobytes()).hexdigest()


def check_against_one_machine(many, plan, X, codes, classes, weights=None, is_unique=True):
    """Both objectives lie between the optimum and the optimum plus their own gap."""
    total = float(len(codes) if weights is None else weights.sum())
    one = plan.train(plan.recipe.lifted(as_rows(X)), codes, classes, weights=weights, total=total)
    assert many.status.reason == "gap"
    assert many.duality_gap <= (plan.tol or 1e-8)
    slack = 1e-12 * one.objective
    assert many.objective * (1 - classes * many.duality_gap) <= one.objective + slack  # the gap is that of one problem
    assert one.objective * (1 - classes * one.duality_gap) <= many.objective + slack
    if is_unique:
        assert many.n_mistakes == pytest.approx(one.n_mistakes, abs=0.01 * len(codes) + 1)


PLANS = [
    plan_of(),
    plan_of(C=1000.0, tol=1e-6),
    plan_of(alpha=0.1, penalize_intercept=True, intercept_scaling=3.0),
    plan_of(fit_intercept=False),
    plan_of(features="polynomial-2"),
]


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_optimum_is_that_of_one_machine(two_threads, plan, form):
    X, codes, classes = problem()
    many = trained(two_threads, plan, form(X), codes, classes)
    check_against_one_machine(many, plan, form(X), codes, classes)


def test_the_objective_and_the_gap_are_those_of_the_weights(two_threads):
    X, codes, classes = problem()
    plan = plan_of(tol=1e-3, C=0.7)
    many = trained(two_threads, plan, X, codes, classes)
    margins = np.where(codes == 1, 1, -1) * (X @ many.coef[0] + many.intercept[0])
    own = 0.7 * np.maximum(1 - margins, 0).sum() + 0.5 * many.coef[0] @ many.coef[0]
    best = plan_of(tol=1e-10, C=0.7).train(as_rows(X), codes, classes, total=400.0).objective
    assert many.objective == pytest.approx(own, rel=1e-12)
    assert best * (1 - 1e-12) <= own <= best / (1 - many.duality_gap)


def test_classes_one_against_the_rest_and_weights(two_threads):
    X, codes, classes = problem(classes=3)
    weights, factors = np.random.default_rng(1).uniform(0.5, 2, 400), np.array([1.0, 3.0, 0.5])
    plan = plan_of(multi_class="ovr")
    many = trained(two_threads, plan, X, codes, classes, weights, factors)
    check_against_one_machine(many, plan, X, codes, classes, weights * factors[codes])


def test_many_columns_go_by_conjugate_gradients(two_threads):
    X, codes, classes = problem(rows=60, columns=1100)
    many = trained(two_threads, plan_of(C=0.001), sparse.csr_matrix(X), codes, classes)
    check_against_one_machine(many, plan_of(C=0.001), X, codes, classes)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([0.01, 1.0, 50.0]), st.booleans())
def test_ties_equal_rows_and_lopsided_classes(two_threads, seed, columns, C, fit_intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (int(rng.integers(2, 50)), columns)).astype(float)
    codes = (rng.random(len(X)) < rng.choice([0.1, 0.5])).astype(np.int32)
    codes[[0, -1]] = 0, 1
    plan = plan_of(C=C, fit_intercept=fit_intercept)
    many = trained(two_threads, plan, X, codes, 2, rows=8)
    check_against_one_machine(many, plan, X, codes, 2, is_unique=False)  # w = 0, where all rows are wrong, may be one


def test_the_bits_are_the_same_for_every_executor():
    found = set()
    for executor in (*(ThreadPoolExecutor(workers) for workers in (1, 2, 3, 7)), LocalProcesses(2)):
        with executor:
            found.add(digest(trained(executor, plan_of(tol=1e-6), *problem())))
    assert len(found) == 1


def test_a_task_names_past_weights_and_no_row(two_threads):
    problems = []

    class Listening(Cluster):
        def reduce(self, function, combine, *args):
            problems.extend(arg for arg in args if isinstance(arg, HingeProblem))
            return super().reduce(function, combine, *args)

    X, codes, classes = problem(rows=2000)
    train_blocks(plan_of(), Listening(two_threads, list(blocks_of_arrays(X, codes, rows=64))), classes)
    assert 100 < len(pickle.dumps(problems[0])) <= len(pickle.dumps(problems[-1])) < 4000  # and 2,000 rows in all
    assert 3 <= len(problems[-1].past) == len(problems[-1].sharpnesses) - 1


def test_a_driver_that_is_killed_again_and_again_comes_to_the_same_bits(two_threads):
    plan = plan_of(tol=1e-6, multi_class="ovr")
    saved, deaths = None, 0
    while True:
        bookmark = Mortal(saved, saves=6)
        try:
            learned = trained(two_threads, plan, *problem(classes=3), bookmark=bookmark)
            break
        except Killed:
            saved, deaths = bookmark.tree, deaths + 1
            assert deaths < 100
    assert deaths >= 2
    assert digest(learned) == digest(trained(two_threads, plan, *problem(classes=3)))


def test_ctrl_c_between_passes_keeps_what_was_learned(two_threads):
    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == 8:
            raise KeyboardInterrupt

    learned = trained(two_threads, plan_of(), *problem(), watch=watch)
    assert learned.interrupted
    assert 0 < learned.duality_gap < 1


def test_rows_whose_squares_overflow_are_refused(two_threads):
    X, codes, classes = problem()
    with pytest.raises(TooLarge, match="so large that sums with them overflow: scale them down"):
        trained(two_threads, plan_of(), X * 1e160, codes, classes)


def test_the_joint_hinge_is_refused(two_threads):
    with pytest.raises(InputError, match="choose multi_class='ovr'"):
        trained(two_threads, plan_of(multi_class="joint"), *problem(classes=3))
