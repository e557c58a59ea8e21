"""The objective of blocks: it answers as that of rows in memory does, and its sample is drawn block by block."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rosenblatt.distributed import block_objective
from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.block_objective import BlockObjective
from rosenblatt.distributed.block_problem import BlockProblem, BlockRecipe
from rosenblatt.distributed.block_survey import survey_blocks
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.train_blocks import train_blocks
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.newton.convergence import is_optimal_at_zero
from rosenblatt.solvers.newton.preconditioner import Preconditioner
from rosenblatt.solvers.newton.rows_objective import RowsObjective
from rosenblatt.solvers.newton.start import subsample_stride
from rosenblatt.solvers.objective import Objective
from rosenblatt.solvers.penalised_plan import penalised_plan

COLUMNS, RARE = 40, 7  # the rare column is 0 in all rows but three


@pytest.fixture(scope="module")
def two_threads():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def problem(classes):
    rng = np.random.default_rng(classes)
    X, codes = rng.standard_normal((6000, COLUMNS)), rng.integers(0, classes, 6000).astype(np.int32)
    X[:, RARE] = 0
    X[[100, 2001, 5555], RARE] = 70.0
    return X, codes


def both(executor, X, codes, classes, weights=None):
    """The objective of rows in memory, and that of the same rows in blocks."""
    labels, cluster = whole_problem(codes, classes), Cluster(executor, list(blocks_of_arrays(X, codes, weights, 512)))
    parts = BlockProblem(BlockRecipe(classes), labels, Objective("logistic", 0.7, intercept_scaling=2.0))
    one = RowsObjective(as_rows(X), labels, "logistic", 0.7, weights, offset_value=2.0)
    return one, BlockObjective(cluster, survey_blocks(cluster, classes), parts)


@pytest.mark.parametrize("classes", [2, 3])
def test_damped_derivatives_are_those_of_rows_in_memory(two_threads, classes):
    rng = np.random.default_rng(1)
    objectives = both(two_threads, *problem(classes), classes, rng.uniform(0.5, 2, 6000))
    z, p = 0.1 * rng.standard_normal((2, objectives[0].size))
    found = []
    for objective in objectives:
        iterate = objective.at(z)
        damped = objective.damped(iterate, 0.3 if classes > 2 else 0.0)
        found.append([
            objective.gradient(iterate),
            objective.hessian_product(damped, p, objective.take_buffer()),
            objective.hessian_diagonal(damped),
            objective.total_pull(iterate),
            objective.least_margin(iterate),
        ])  # fmt: skip
    for one, many in zip(*found, strict=True):
        np.testing.assert_allclose(many, one, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_together_draw_a_sample_that_stands_for_all_rows(two_threads, classes):
    _, many = both(two_threads, *problem(classes), classes)
    assert many.sample_size < many.count
    iterate = many.damped(many.at(0.1 * np.random.default_rng(2).standard_normal(many.size)), 0.5)
    diagonal = many.hessian_diagonal(iterate)
    sample = many.sample(iterate, diagonal)
    hessians = many.sampled_plane_hessians(sample) if classes > 2 else many.sampled_hessian(sample)[None]
    sampled = np.diagonal(hessians, axis1=1, axis2=2)
    columns = np.column_stack([diagonal[: -many.planes].reshape(many.planes, -1), diagonal[-many.planes :]])
    np.testing.assert_allclose(sampled, columns, rtol=0.25)  # the rare column, too: its rows matter most
    assert many.sample_ratio(many.at(iterate.z), many.sample(many.at(iterate.z), diagonal)) == 1


def test_a_sample_of_all_rows_is_that_of_rows_in_memory(two_threads):
    X, codes = problem(3)
    one, many = both(two_threads, X[:900], codes[:900], 3)
    z, r = np.random.default_rng(3).standard_normal((2, one.size))
    made = [Preconditioner.at(objective, objective.damped(objective.at(z), 0.2)) for objective in (one, many)]
    np.testing.assert_allclose(made[1].inverse(r), made[0].inverse(r), rtol=1e-8, atol=1e-10)


def test_a_restored_preconditioner_is_the_same(two_threads):
    _, many = both(two_threads, *problem(3), 3)
    made = Preconditioner.at(many, many.damped(many.at_zero(), 1.0))
    again = Preconditioner.restored(many, made.saved())
    r = np.random.default_rng(4).standard_normal(many.size)
    np.testing.assert_array_equal(again.inverse(r), made.inverse(r))


@pytest.mark.parametrize(("classes", "columns"), [(2, 200), (4, 30)])
def test_the_bits_of_drawn_rows_do_not_depend_on_the_workers(classes, columns):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((3000, columns)) * (rng.random((3000, columns)) < np.linspace(0.01, 0.5, columns))
    codes = (X @ rng.standard_normal((columns, classes)) + rng.gumbel(size=(3000, classes))).argmax(axis=1)
    plan, found = penalised_plan("logistic", loss="logistic", multi_class="joint", tol=1e-8), []
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as threads:
            cluster = Cluster(threads, list(blocks_of_arrays(X, codes.astype(np.int32), rows=256)))
            found.append(train_blocks(plan, cluster, classes))
    digests = {hashlib.sha256(learned.coef.tobytes() + learned.intercept.tobytes()).hexdigest() for learned in found}
    assert len(digests) == 1
    one = plan.train(as_rows(X), codes.astype(np.int32), classes, total=3000.0)
    np.testing.assert_allclose(found[0].coef, one.coef, atol=1e-6 * np.abs(one.coef).max())


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_every_seventh_block_finds_a_start_that_saves_passes(monkeypatch, two_threads, loss, by_class):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((16_000, 5))
    codes = (X @ rng.standard_normal(5) + rng.logistic(size=16_000) > 0).astype(np.int32)
    if by_class:  # the worst order of rows: most blocks have one class
        X, codes = X[np.argsort(codes, kind="stable")], np.sort(codes)
    algorithm = "logistic" if loss == "logistic" else "svm"
    plan, found = penalised_plan(algorithm, loss=loss, multi_class="ovr", tol=1e-8), []
    for least in (4, 1000):
        monkeypatch.setattr(block_objective, "MIN_SAMPLED_BLOCKS", least)
        cluster = Cluster(two_threads, list(blocks_of_arrays(X, codes, rows=256)))
        found.append(train_blocks(plan, cluster, 2))
    np.testing.assert_allclose(found[0].coef, found[1].coef, rtol=1e-6)
    assert found[0].n_visits < found[1].n_visits + by_class  # then blocks are poor samples, but cost nothing


def test_a_start_needs_several_blocks_and_a_penalty(two_threads):
    X, codes = problem(2)
    many = both(two_threads, X, codes, 2)[1]
    assert subsample_stride(many) is None  # 12 blocks
    assert many.may_subsample(3)
    some = many.subsample(3)
    assert (some.count, some.survey.block_rows) == (4 * 512, (512,) * 4)
    assert some.C * some.count == pytest.approx(many.C * many.count)
    each = [
        both(two_threads, X[first : first + 512], codes[first : first + 512], 2)[1] for first in (0, 1536, 3072, 4608)
    ]
    z = np.random.default_rng(8).standard_normal(many.size)
    penalty = many.penalty(z)
    losses = sum((part.at(z).value - penalty) / part.C for part in each)
    assert some.at(z).value == pytest.approx(some.C * losses + penalty, rel=1e-9)


def test_weights_0_that_rounding_hides_are_seen(two_threads):
    X = np.random.default_rng(6).standard_normal((500, 3))
    twice, codes = np.concatenate([X, X]), np.repeat([0, 1], 500).astype(np.int32)  # each row in both classes
    one, many = both(two_threads, twice, codes, 2)
    assert is_optimal_at_zero(one)
    assert is_optimal_at_zero(many)
    assert not is_optimal_at_zero(both(two_threads, twice + 0.1 * codes[:, None], codes, 2)[1])
