"""Kernel perceptrons: the definition, the linear kernel, known shapes, budgets and streams."""

import pickle
import signal
import threading
import time

import numpy as np
import pytest
from kernel_rows import PLANES_KEPT, XOR, spirals, whole_numbers
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

from rosenblatt import KernelPerceptron, Perceptron, _core, reference
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.kernels import Kernel, fill_gram
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# The definition


PARTS = [(order, keep) for order in ORDERS for keep in PLANES_KEPT if (order, keep) != ("working-set", "best")]
BUDGETED = [(order, keep) for order, keep in PARTS if order != "batch" and keep != "average"]
PARTS_AND_BUDGETS = [(*parts, None) for parts in PARTS] + [(*parts, budget) for parts in BUDGETED for budget in (1, 7)]


def dense_alphas(model, rows):
    """alpha of every row of fit."""
    alphas = np.zeros((len(model.dual_coef_), rows))
    alphas[:, model.support_] = model.dual_coef_
    return alphas


@pytest.mark.parametrize(("order", "keep", "budget"), PARTS_AND_BUDGETS)
def test_the_core_agrees_with_the_definition(order, keep, budget):
    X, y = whole_numbers(rows=40)
    K = ((1 + X @ X.T) ** 2).tolist()
    recipe = Recipe(order=order, keep=keep, intercept_scaling=2.0, stops=Stops(max_iter=5))
    model = KernelPerceptron(
        "polynomial", order=order, keep=keep, budget=budget, fit_intercept=True, intercept_scaling=2.0, max_iter=5
    )
    model.random_state = 5
    model.fit(X, y)
    seed = model._seed()
    learner = reference.train_kernel(K, np.where(y == 1, 1, -1).tolist(), recipe, seed=seed, budget=budget)
    assert (model.n_visits_, model.n_mistakes_) == (learner.visits, learner.mistakes)
    [returned] = np.array(learner.returned())
    np.testing.assert_allclose(dense_alphas(model, 40)[0], returned[:-1], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, 2.0 * returned[-1:], rtol=1e-12)


@pytest.mark.parametrize("budget", [None, 5])
def test_joint_classes_agree_with_the_definition(budget):
    X, y = whole_numbers(classes=3)
    recipe = Recipe(order="shuffle", stops=Stops(max_iter=4))
    model = KernelPerceptron("linear", multi_class="joint", budget=budget, max_iter=4, random_state=2).fit(X, y)
    learner = reference.train_kernel(
        (X @ X.T).tolist(), y.tolist(), recipe, planes=3, seed=model._seed(), budget=budget
    )
    assert model.n_mistakes_ == learner.mistakes
    np.testing.assert_array_equal(dense_alphas(model, 60), np.array(learner.returned())[:, :-1])


@pytest.mark.parametrize("form", [np.float64, np.float32, sparse.csr_array])
@pytest.mark.parametrize(("order", "keep"), PARTS)
def test_the_linear_kernel_makes_the_mistakes_of_the_perceptron(order, keep, form):
    X, y = whole_numbers()
    shared = {"order": order, "keep": keep, "max_iter": 8, "random_state": 1}
    plain = Perceptron(**shared).fit(X, y, trace=True)
    X = X.astype(form) if isinstance(form, type) and issubclass(form, np.floating) else form(X)
    lifted = KernelPerceptron("linear", **shared).fit(X, y, trace=True)
    for name in ("visit", "row", "margin", "change"):
        np.testing.assert_array_equal(lifted.trace_[name], plain.trace_[name])
    if order != "batch":
        np.testing.assert_allclose(lifted.trace_["norm"], plain.trace_["norm"], rtol=1e-9)
    assert lifted.status_ == plain.status_
    np.testing.assert_allclose(lifted.decision_function(X), plain.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_several_classes_make_the_mistakes_of_the_perceptron(multi_class):
    X, y = whole_numbers(classes=4)
    shared = {"multi_class": multi_class, "max_iter": 8, "random_state": 1}
    plain, lifted = (m.fit(X, y, trace=True) for m in (Perceptron(**shared), KernelPerceptron("linear", **shared)))
    np.testing.assert_array_equal(lifted.trace_["row"], plain.trace_["row"])
    np.testing.assert_allclose(lifted.trace_["norm"], plain.trace_["norm"], rtol=1e-9)
    np.testing.assert_array_equal(lifted.decision_function(X), plain.decision_function(X))


def test_the_trace_has_the_norm_of_w():
    X, y = spirals()
    model = KernelPerceptron(gamma=0.2, max_iter=3, random_state=0).fit(X, y, trace=True)
    alphas = dense_alphas(model, len(X))[0]
    assert model.trace_["norm"][-1] == pytest.approx(np.sqrt(alphas @ rbf_kernel(X, gamma=0.2) @ alphas), rel=1e-5)
    budgeted = KernelPerceptron(gamma=0.2, budget=9, max_iter=3, random_state=0).fit(X, y, trace=True)
    assert np.isnan(budgeted.trace_["norm"]).all()


# Shapes


@pytest.mark.parametrize(
    ("kernel", "keep"),
    [(k, keep) for k in ("gaussian", "polynomial") for keep in ("last", "best")] + [("gaussian", "average")],
)
def test_exclusive_or(kernel, keep):
    model = KernelPerceptron(kernel, keep=keep, random_state=0).fit(*XOR)
    assert (model.predict(XOR[0]) == XOR[1]).all()
    assert model.status_.mistakes == 0


@pytest.mark.parametrize(
    ("X", "y", "kernel"),
    [
        (*spirals(), {"gamma": 0.5}),
        (*make_circles(300, noise=0.05, factor=0.5, random_state=0), {}),
        (*make_circles(300, noise=0.05, factor=0.5, random_state=0), {"kernel": "polynomial"}),
        (*make_circles(300, noise=0.05, factor=0.5, random_state=0), {"kernel": "polynomial", "coef0": 0.0}),
    ],
    ids=["spirals", "circles-gaussian", "circles-polynomial", "circles-homogeneous"],
)
def test_curved_classes_are_learned_without_a_mistake(X, y, kernel):
    model = KernelPerceptron(**kernel, random_state=0).fit(X, y)
    assert model.status_.reason == "mistakes"
    assert (model.predict(X) == y).all()


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    for multi_class in ("ovr", "joint"):
        model = KernelPerceptron(keep="average", multi_class=multi_class, max_iter=50, random_state=0)
        assert cross_val_score(model, X, y, cv=5).mean() > 0.92
    assert model.fit(X, y).decision_function(X).shape == (150, 3)


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    X, y = whole_numbers()
    weight = np.arange(60) % 3
    some = np.flatnonzero(weight)
    K = X @ X.T
    for kernel, all_rows, few in (("linear", X, X[some]), ("precomputed", K, K[np.ix_(some, some)])):
        model = KernelPerceptron(kernel, random_state=0, max_iter=5)
        whole = clone(model).fit(all_rows, y, sample_weight=weight)
        part = clone(model).fit(few, y[some], sample_weight=weight[some])
        np.testing.assert_array_equal(whole.support_, some[part.support_])
        np.testing.assert_array_equal(whole.dual_coef_, part.dual_coef_)


# Budgets and streams


@pytest.mark.parametrize("keep", ["last", "best"])
@pytest.mark.parametrize("budget", [1, 2, 20])
def test_a_budget_holds(budget, keep):
    X, y = spirals()
    for classes in (y, np.arange(len(y)) % 3):
        model = KernelPerceptron(gamma=0.5, budget=budget, keep=keep, max_iter=5, random_state=0).fit(X, classes)
        assert (np.count_nonzero(model.dual_coef_, axis=1) <= budget).all()
        stream = KernelPerceptron(gamma=0.5, budget=budget, keep=keep, random_state=0)
        for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 7):
            stream.partial_fit(X[part], classes[part], classes=np.unique(classes))
            assert (np.count_nonzero(stream.dual_coef_, axis=1) <= budget).all()


def test_a_budget_that_is_never_reached_changes_nothing():
    X, y = spirals()
    plain, budgeted = (KernelPerceptron(gamma=0.5, budget=b, random_state=0).fit(X, y) for b in (None, len(X)))
    np.testing.assert_array_equal(plain.dual_coef_, budgeted.dual_coef_)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("keep", PLANES_KEPT)
def test_streams_of_the_linear_kernel_are_those_of_the_perceptron(keep, multi_class):
    X, y = whole_numbers(rows=90, classes=3)
    plain = Perceptron(keep=keep, multi_class=multi_class)
    lifted = KernelPerceptron("linear", keep=keep, multi_class=multi_class)
    for part in np.array_split(np.arange(90), 8):  # classes turn up on the way
        for model in (plain, lifted):
            model.partial_fit(X[part], y[part])
        lifted = pickle.loads(pickle.dumps(lifted))
    assert lifted.n_mistakes_ == plain.n_mistakes_
    assert lifted.status_ == plain.status_
    np.testing.assert_allclose(lifted.decision_function(X), plain.decision_function(X), rtol=1e-9, atol=1e-9)


def test_a_stream_goes_on_from_a_fit_and_only_with_its_kernel():
    X, y = spirals()
    model = KernelPerceptron(gamma=0.5, random_state=0).fit(X, y)
    before = model.decision_function(X)
    model.partial_fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), before, atol=1e-9)  # nothing was wrong, so nothing moved
    model.set_params(gamma=0.1)
    with pytest.raises(ValueError, match="another kernel"):
        model.partial_fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), before, atol=1e-9)


def test_a_failed_call_leaves_the_stream_as_it_was():
    X, y = whole_numbers()
    model = KernelPerceptron("polynomial", degree=4, random_state=0).partial_fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="scale them down"):
        model.partial_fit(X * 1e200, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


# Interruptions and limits


@pytest.mark.usefixtures("ctrl_c_amid_training")
def test_ctrl_c_leaves_what_was_learned():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((3000, 3)), random.integers(0, 2, 3000)
    model = KernelPerceptron("linear", max_iter=10**6, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_.reason == "interrupted"
    assert len(model.predict(X)) == 3000


def test_ctrl_c_is_heard_while_the_matrix_is_made():
    X = np.random.default_rng(0).standard_normal((4000, 600))

    def make_many():
        threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
        while True:
            packed = _core.Packed(as_rows(X), 1)
            fill_gram(_core.Gram(Kernel("gaussian").native(), packed, packed, 4000, 0, 0), 1)

    with pytest.raises(KeyboardInterrupt):
        make_many()


def test_max_seconds_counts_the_matrix():
    X, y = whole_numbers(rows=2000)
    model = KernelPerceptron("linear", max_iter=10**6, max_seconds=0.3, random_state=0)
    began = time.perf_counter()
    model.fit(X, y)
    assert model.status_.reason == "max_seconds"
    assert time.perf_counter() - began < 60  # 10^6 epochs would take hours
