"""Training over blocks: the optimum that one machine finds, with the same bits for every executor."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from killed_driver import Killed, Mortal
from scipy import sparse

from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.train_blocks import train_blocks
from rosenblatt.foundation.errors import InputError
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe
from rosenblatt.solvers.penalised_plan import penalised_plan
from rosenblatt.solvers.training_plan import TrainingPlan


def problem(rows, columns, classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    scores = X @ rng.standard_normal((columns, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1).astype(np.int32), classes


def plan_of(loss="logistic", **parameters):
    return penalised_plan("logistic" if loss == "logistic" else "svm", loss=loss, **parameters)


def trained(executor, plan, X, codes, classes, weights=None, factors=None, rows=64, **options):
    cluster = Cluster(executor, list(blocks_of_arrays(X, codes, weights, rows)))
    return train_blocks(plan, cluster, classes, class_factors=factors, **options)


def digest(learned):
    return hashlib.sha256(learned.coef.tobytes() + learned.intercept.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def two_threads():
    with ThreadPoolExecutor(2) as threads:
        yield threads


WHOLE_TABLE = ("random-mistake", "batch")  # orders that choose among all rows
CASES = [
    (plan_of(tol=1e-9), problem(500, 4, 2)),
    (plan_of(tol=1e-9, multi_class="ovr"), problem(500, 4, 3)),
    (plan_of(tol=1e-9, multi_class="joint"), problem(500, 4, 3)),
    (plan_of(tol=1e-9), problem(300, 250, 2)),  # a sample of the rows preconditions
    (plan_of(tol=1e-9, C=0.01), problem(100, 2200, 2)),  # the diagonal does
    (plan_of("squared-hinge", tol=1e-9), problem(500, 4, 2)),
    (plan_of("squared-hinge", tol=1e-9, C=0.01), problem(100, 2200, 2)),
    (plan_of(tol=1e-9, features="polynomial-2"), problem(500, 4, 2)),
    (plan_of(tol=1e-9, penalty=None), problem(500, 4, 2)),
    (plan_of(tol=1e-9, fit_intercept=False), problem(500, 4, 2)),
    (plan_of(tol=1e-9, alpha=0.1, penalize_intercept=True, intercept_scaling=3.0), problem(500, 4, 2)),
]


@pytest.mark.parametrize(("plan", "rows"), CASES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_optimum_is_that_of_one_machine(two_threads, plan, rows, form):
    X, codes, classes = rows
    X = form(X)
    one = plan.train(plan.recipe.lifted(as_rows(X)), codes, classes, total=float(len(codes)))
    many = trained(two_threads, plan, X, codes, classes)
    np.testing.assert_allclose(many.coef, one.coef, atol=1e-6 * np.abs(one.coef).max())
    np.testing.assert_allclose(many.intercept, one.intercept, atol=1e-6 * np.abs(one.coef).max())
    assert many.objective == pytest.approx(one.objective, rel=1e-12)
    assert many.gradient_norm <= 1e-9
    assert (many.n_mistakes, many.status.reason, many.joint) == (one.n_mistakes, one.status.reason, one.joint)


@pytest.mark.parametrize("case", [0, 1, 2, 3])
def test_the_bits_are_the_same_for_every_number_of_workers(case):
    plan, rows = CASES[case]
    found = set()
    for workers in (1, 2, 3, 7):
        with ThreadPoolExecutor(workers) as threads:
            found.add(digest(trained(threads, plan, *rows)))
    assert len(found) == 1


def test_the_bits_are_the_same_for_threads_and_processes():
    found = set()
    for executor in (ThreadPoolExecutor(2), LocalProcesses(1), LocalProcesses(3)):
        with executor:
            found |= {digest(trained(executor, plan_of(multi_class="ovr"), *problem(900, 5, 3), rows=100))}
    assert len(found) == 1


def test_narrow_rows_take_one_pass_a_step(two_threads):
    learned = trained(two_threads, plan_of(), *problem(500, 4, 2))
    assert learned.n_visits / 500 <= learned.n_updates + 2  # the first pass, and one that compares curvatures


def test_weights_of_rows_and_classes_count(two_threads):
    X, codes, classes = problem(500, 4, 3)
    weights, factors = np.random.default_rng(1).uniform(0.5, 2, 500), np.array([1.0, 3.0, 0.5])
    plan, together = plan_of(tol=1e-9), weights * factors[codes]
    one = plan.train(as_rows(X), codes, classes, weights=together, total=float(together.sum()))
    many = trained(two_threads, plan, X, codes, classes, weights, factors)
    np.testing.assert_allclose(many.coef, one.coef, atol=1e-7)


def test_separated_classes_without_a_penalty_are_told(two_threads):
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 50)
    learned = trained(two_threads, plan_of(penalty=None), X, (X[:, 0] > 0).astype(np.int32), 2)
    assert learned.status.reason == "separated"


@pytest.mark.parametrize("plan", [plan_of(solver="gd"), *(TrainingPlan(Recipe(order=order)) for order in WHOLE_TABLE)])
def test_what_an_executor_cannot_train_is_refused(two_threads, plan):
    with pytest.raises(InputError, match="on one machine"):
        trained(two_threads, plan, *problem(100, 3, 2))


def test_numbers_that_are_not_finite_are_refused_with_their_row(two_threads):
    X, codes, classes = problem(200, 3, 2)
    X[70, 1] = np.nan
    with pytest.raises(InputError, match="row 6 of rows 64 to 127 contains NaN or infinity"):
        trained(two_threads, plan_of(), X, codes, classes)


def test_ctrl_c_between_passes_keeps_what_was_learned(two_threads):
    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    learned = trained(two_threads, plan_of(), *problem(500, 4, 2), watch=watch)
    assert (learned.interrupted, learned.n_updates) == (True, 2)


@pytest.mark.parametrize("case", [0, 1, 2, 3])
def test_a_driver_that_is_killed_again_and_again_comes_to_the_same_bits(two_threads, case):
    plan, rows = CASES[case]
    saved, deaths = None, 0
    while True:
        bookmark = Mortal(saved, saves=3)  # a driver that resumes saves once before it goes on
        try:
            learned = trained(two_threads, plan, *rows, bookmark=bookmark)
            break
        except Killed:
            saved, deaths = bookmark.tree, deaths + 1
            assert deaths < 100
    assert deaths >= 2
    assert digest(learned) == digest(trained(two_threads, plan, *rows))
