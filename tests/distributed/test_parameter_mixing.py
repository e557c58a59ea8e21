"""Parameter mixing: what the reference defines, with the same bits for every executor, within its bound."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_shards import CASES, digest, overlapping, plan_of, separable, sgd, stacked, trained
from scipy import sparse

from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.shards import shards_of
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.catalogue import recipe
from rosenblatt.parts.features import as_features
from rosenblatt.parts.orders import WHOLE_PASSES
from rosenblatt.prove.mistakes.mistake_bound import mistake_bound
from rosenblatt.reference.parameter_mixing import mix_parameters
from rosenblatt.solvers.penalised_plan import penalised_plan

pytestmark = pytest.mark.usefixtures("few_shards")


def shards_in_rows(count, rows=10):
    """The numbers of the rows of each block of each shard."""
    lengths = [min(rows, count - first) for first in range(0, count, rows)]
    return [
        [list(range(first, first + lengths[k])) for k, first in zip(shard.blocks, shard.first_rows, strict=True)]
        for shard in shards_of(lengths)
    ]


# The definition


def defined(plan, X, codes, **options):
    signs = [1 if code else -1 for code in codes]
    return mix_parameters(X.tolist(), signs, shards_in_rows(len(codes)), plan.recipe, seed=7, **options)


@pytest.mark.parametrize("order", WHOLE_PASSES)
@pytest.mark.parametrize("keep", ["last", "best"])
@pytest.mark.parametrize("step", ["constant", "1/sqrt(t)"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_the_bits_are_those_of_the_reference(order, keep, step, seed):
    """With two columns the core adds in the order of the reference."""
    X, codes = separable(seed, margin=0.05)
    plan = plan_of(order=order, keep=keep, step=step, max_iter=9)
    learned, mixture = trained(plan, X, codes), defined(plan, X, codes)
    np.testing.assert_array_equal(stacked(learned), mixture.returned(keep))
    assert (learned.n_visits, learned.n_mistakes) == (mixture.visits, sum(map(sum, mixture.mistakes)))
    assert (learned.status.reason == "mistakes") == mixture.clean


@pytest.mark.parametrize(
    ("plan", "options"),
    [
        (plan_of("averaged", max_iter=4), {}),
        (plan_of("passive-aggressive", max_iter=4), {}),
        (plan_of("passive-aggressive", step="pa2", C=0.1, keep="average", max_iter=4), {}),
        (plan_of(max_iter=4, intercept_scaling=3.0), {"weights": True}),
        (plan_of(max_iter=4, fit_intercept=False, eta0=0.5), {}),
    ],
)
def test_every_member_of_the_family_is_the_reference(plan, options):
    X, codes = overlapping(90, columns=5, classes=2)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(codes)) if options else None
    learned = trained(plan, X, codes, weights=weights)
    mixture = defined(plan, X, codes, weights=None if weights is None else weights.tolist())
    expected = np.array(mixture.returned(plan.recipe.keep))
    scale = plan.recipe.intercept_scaling if plan.recipe.fit_intercept else 0.0
    np.testing.assert_allclose(stacked(learned), expected * ([1.0] * 5 + [scale]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("step", ["1/sqrt(t)", "pegasos"])
def test_descent_is_mixed_by_rows_as_in_the_reference(loss, step):
    X, codes = overlapping(95, columns=3, classes=2)
    plan = sgd(loss, max_iter=3, step=step, eta0=0.5, alpha=0.05)
    learned = trained(plan, X, codes)
    mixture = mix_parameters(
        X.tolist(),
        [1 if code else -1 for code in codes],
        shards_in_rows(95),
        recipe("averaged", loss=loss, step=step, eta0=0.5, alpha=0.05, max_iter=3),
        seed=7,
        by_rows=True,
    )
    np.testing.assert_allclose(stacked(learned), mixture.returned("average"), rtol=1e-9)


def test_joint_classes_are_the_reference():
    X, codes = overlapping(90, columns=3)
    plan = plan_of(multi_class="joint", max_iter=5)
    learned = trained(plan, X, codes, 3)
    mixture = mix_parameters(X.tolist(), codes.tolist(), shards_in_rows(90), plan.recipe, planes=3, seed=7)
    np.testing.assert_allclose(stacked(learned), mixture.w, rtol=1e-9, atol=1e-12)


def test_an_average_counts_each_visit_once():
    """Whole numbers have no roundings in the first epoch: the average is exact."""
    X, codes = np.round(10 * separable(0)[0]), separable(0)[1]
    plan = plan_of("averaged", max_iter=1)
    np.testing.assert_array_equal(stacked(trained(plan, X, codes)), defined(plan, X, codes).returned("average"))


# One machine


@pytest.mark.parametrize("name", ["perceptron", "passive-aggressive"])
def test_one_shard_has_the_bits_of_one_machine(name):
    X, codes = separable(1, rows=300, columns=7, margin=0.02)
    plan = plan_of(name, order="cyclic")
    one = plan.train(as_rows(X), codes, 2, total=300.0)
    learned = trained(plan, X, codes, rows=300)
    np.testing.assert_array_equal(stacked(learned), stacked(one))
    assert (learned.status, learned.n_visits, learned.n_updates) == (one.status, one.n_visits, one.n_updates)


def test_several_classes_each_against_the_rest_are_problems_of_two():
    X, codes = overlapping()
    plan = plan_of("averaged", max_iter=4)
    learned = trained(plan, X, codes, 3)
    for k in range(3):
        np.testing.assert_array_equal(learned.coef[k], trained(plan, X, (codes == k).astype(np.int32)).coef[0])
    assert "one-vs-rest" in learned.status
    assert learned.status.mistakes == (np.argmax(X @ learned.coef.T + learned.intercept, axis=1) != codes).sum()


def test_lifted_rows_are_lifted_by_the_workers():
    X, codes = overlapping(classes=2)
    lifted = trained(plan_of(max_iter=3), as_features("polynomial-2").transform(X), codes)
    learned = trained(plan_of(max_iter=3, features="polynomial-2"), X, codes)
    np.testing.assert_allclose(stacked(learned), stacked(lifted), rtol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "hinge"])
def test_mixed_descent_comes_near_the_optimum(loss):
    X, codes = overlapping(4000, classes=2)
    best = penalised_plan("logistic" if loss == "logistic" else "svm", loss=loss)
    least = best.train(as_rows(X), codes, 2, total=4000.0).objective
    learned = trained(sgd(loss), X, codes, rows=400)
    assert least <= learned.objective <= 1.02 * least
    expected = trained(sgd(loss, criterion="loss", tol=0.0, max_iter=3), X, codes, rows=400)
    assert expected.history["objective"][-1] == pytest.approx(expected.objective)


def test_weights_of_rows_and_classes_count_in_descent():
    X, codes = overlapping(400, classes=2)
    weights, factors = np.random.default_rng(1).integers(1, 4, 400).astype(float), np.array([1.0, 2.0])
    plan = sgd(max_iter=3, alpha=0.1)
    given = trained(plan, X, codes, weights=weights, factors=factors)
    together = trained(plan, X, codes, weights=weights * factors[codes])
    np.testing.assert_allclose(stacked(given), stacked(together), rtol=1e-12)
    assert not np.allclose(given.coef, trained(plan, X, codes).coef)


# The same bits


@pytest.mark.parametrize(("plan", "classes"), CASES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_bits_are_the_same_for_every_number_of_workers(plan, classes, form):
    X, codes = overlapping(classes=classes)
    found = set()
    for workers in (1, 2, 3, 7):
        with ThreadPoolExecutor(workers) as threads:
            found.add(digest(trained(plan, form(X), codes, classes, executor=threads, rows=70)))
    assert len(found) == 1


def test_the_bits_are_the_same_for_threads_and_processes():
    X, codes = overlapping()
    found = set()
    for executor in (ThreadPoolExecutor(2), LocalProcesses(1), LocalProcesses(3)):
        with executor:
            found |= {digest(trained(plan, X, codes, 3, executor=executor, rows=150)) for plan, _ in CASES[1:3]}
    assert len(found) == 2


@pytest.mark.parametrize(("plan", "classes"), CASES)
def test_sparse_rows_are_learned_as_dense_ones(plan, classes):
    X, codes = overlapping(classes=classes)
    dense, thin = (trained(plan, form(X), codes, classes, rows=70) for form in (np.asarray, sparse.csr_matrix))
    np.testing.assert_allclose(stacked(thin), stacked(dense), rtol=1e-9)


def test_the_seed_decides_the_order():
    X, codes = overlapping(classes=2)
    found = [
        stacked(trained(plan_of(order=order, max_iter=2), X, codes, seed=s)) for order in WHOLE_PASSES for s in (1, 2)
    ]
    assert np.array_equal(found[0], found[1])  # cyclic
    assert len({part.tobytes() for part in found}) == 5


# The bound


@given(st.integers(0, 10**6), st.sampled_from(WHOLE_PASSES), st.integers(1, 40), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=30, deadline=None)
def test_mixed_mistakes_never_exceed_the_bound(seed, order, rows, eta0):
    rng = np.random.default_rng(seed)
    X, codes = separable(seed, rows=60, columns=int(rng.integers(1, 5)), margin=float(rng.choice([0.02, 0.1, 0.5])))
    if len(set(codes.tolist())) < 2:
        return
    learned = trained(plan_of(order=order, eta0=eta0), X, codes, rows=rows, trace=True)
    counted = Fraction(0)
    for epoch in np.unique(learned.trace["epoch"]):
        made = np.bincount(learned.trace["shard"][learned.trace["epoch"] == epoch]).tolist()
        counted += Fraction(sum(k * k for k in made), sum(made))
    assert learned.status.reason == "mistakes"
    assert counted <= Fraction(mistake_bound(X, codes).bound)


def test_a_trace_names_global_rows_epochs_and_shards():
    X, codes = overlapping(100, classes=2)
    learned = trained(plan_of(order="cyclic", max_iter=2), X, codes, trace=True)
    trace, mixture = learned.trace, defined(plan_of(order="cyclic", max_iter=2), X, codes)
    for epoch in range(2):
        made = np.bincount(trace["shard"][trace["epoch"] == epoch], minlength=5)
        assert made.tolist() == mixture.mistakes[epoch]
    np.testing.assert_array_equal(trace["shard"], trace["row"] // 20)
    np.testing.assert_array_equal(trace["visit"], trace["epoch"] * 100 + trace["row"] + 1)
