"""Kernel perceptrons: the definition, the linear kernel, known shapes, budgets, streams, and bad kernels."""

import json
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from typer.testing import CliRunner

from rosenblatt import KernelPerceptron, Perceptron, _core, load, reference, save
from rosenblatt.cli.app import app
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.kernels import Kernel, fill_gram, symmetric_gram
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
PLANES_KEPT = [keep for keep in KEEPS if keep != "vote"]
PARTS = [(order, keep) for order in ORDERS for keep in PLANES_KEPT if (order, keep) != ("working-set", "best")]
BUDGETED = [(order, keep) for order, keep in PARTS if order != "batch" and keep != "average"]
PARTS_AND_BUDGETS = [(*parts, None) for parts in PARTS] + [(*parts, budget) for parts in BUDGETED for budget in (1, 7)]


def whole_numbers(seed=0, rows=60, columns=4, classes=2):
    """Small whole numbers, so that every sum is exact, with labels that no plane gets right."""
    random = np.random.default_rng(seed)
    return random.integers(-3, 4, (rows, columns)).astype(float), random.integers(0, classes, rows)


def spirals(rows=200, turns=1.75):
    """Two arms, one the other turned half round."""
    t = np.sqrt(np.linspace(0.02, 1.0, rows // 2)) * turns * 2 * np.pi
    arm = np.column_stack([t * np.cos(t), t * np.sin(t)])
    return np.vstack([arm, -arm]), np.repeat([0, 1], rows // 2)


def dense_alphas(model, rows):
    """alpha of every row of fit."""
    alphas = np.zeros((len(model.dual_coef_), rows))
    alphas[:, model.support_] = model.dual_coef_
    return alphas


# The definition


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


# Kernel matrices


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@pytest.mark.parametrize("name", ["linear", "polynomial", "gaussian"])
@pytest.mark.parametrize("shape", [(1, 1), (15, 3), (16, 16), (17, 1), (70, 33), (200, 50)])
def test_matrices_are_those_of_the_formula_on_every_instruction_set(shape, name, form):
    X = np.random.default_rng(0).standard_normal(shape) * (np.random.default_rng(1).random(shape) < 0.5)
    if form == "float32":
        X = X.astype(np.float32)
    kernel = Kernel(name, gamma=0.3, degree=3, coef0=0.5)
    wide = X.astype(float)
    expected = {
        "linear": wide @ wide.T,
        "polynomial": polynomial_kernel(wide, degree=3, gamma=0.3, coef0=0.5),
        "gaussian": rbf_kernel(wide, gamma=0.3),
    }[name]
    rows = sparse.csr_array(X) if form == "csr" else X
    seen = {}
    target = _core.target()
    try:
        for each in _core.targets():
            _core.set_target(each)
            for threads in (1, 3):
                seen[each, threads] = matrix_of(symmetric_gram(kernel, rows, 0, 100, threads), len(X))
    finally:
        _core.set_target(target)
    first = seen[_core.targets()[0], 1]
    assert all(np.array_equal(first, other) for other in seen.values())
    np.testing.assert_array_equal(first, first.T)
    np.testing.assert_allclose(first, expected, rtol=3e-6, atol=3e-6)


def matrix_of(gram, size):
    """All of a kernel matrix, read by products with the unit vectors."""
    return _core.scores(gram.rows(), np.eye(size), np.zeros(size), 1)[0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, np.float32])
def test_rows_without_room_in_the_cache_are_made_with_the_same_bits(form):
    X, y = spirals(150)
    X = form(X)
    models = [
        KernelPerceptron(gamma=0.3, keep=keep, cache_size=megabytes, random_state=0, max_iter=20).fit(X, y)
        for keep in PLANES_KEPT
        for megabytes in (1000, 0.03, 0)
    ]
    for whole, *others in (models[:3], models[3:6], models[6:]):
        for other in others:
            np.testing.assert_array_equal(other.dual_coef_, whole.dual_coef_)
            assert other.status_ == whole.status_


def test_the_distance_of_a_row_from_itself_is_0():
    X = (np.random.default_rng(0).random((50, 30)) * 1e3).astype(np.float32)
    K = matrix_of(symmetric_gram(Kernel("gaussian", 10.0), X, 0, 10, 1), 50)
    np.testing.assert_array_equal(np.diag(K), 1.0)


@pytest.mark.parametrize("jobs", [2, 5])
def test_bits_do_not_depend_on_the_threads(jobs):
    X, y = whole_numbers(rows=700, columns=20, classes=3)
    X = X + np.random.default_rng(0).standard_normal(X.shape)
    models = [KernelPerceptron(keep="average", n_jobs=n, max_iter=3, random_state=0).fit(X, y) for n in (1, jobs)]
    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)
    np.testing.assert_array_equal(models[0].decision_function(X), models[1].decision_function(X))


def test_prediction_reads_rows_of_any_kind():
    X, y = whole_numbers(rows=150)
    for kind in (np.asarray, sparse.csr_matrix):
        model = KernelPerceptron("polynomial", random_state=0, max_iter=5).fit(kind(X), y)
        scores = model.decision_function(X)
        for other in (sparse.csr_array(X), X.astype(np.float32), np.asfortranarray(X), sparse.csc_matrix(X)):
            np.testing.assert_array_equal(model.decision_function(other), scores)


def test_precomputed_and_callable_kernels_are_the_named_one():
    X, y = spirals(120)
    shared = {"keep": "average", "random_state": 0, "fit_intercept": False, "max_iter": 30}
    named = KernelPerceptron(gamma=0.5, **shared).fit(X, y)
    called = KernelPerceptron(lambda a, b: rbf_kernel(a, b, gamma=0.5), **shared).fit(X, y)
    given = KernelPerceptron("precomputed", **shared).fit(rbf_kernel(X, gamma=0.5), y)
    Z = X + 0.1
    for model, rows in ((called, Z), (given, rbf_kernel(Z, X, gamma=0.5))):
        np.testing.assert_array_equal(model.support_, named.support_)
        np.testing.assert_allclose(model.dual_coef_, named.dual_coef_, rtol=1e-9)
        np.testing.assert_allclose(model.decision_function(rows), named.decision_function(Z), atol=1e-4)
        np.testing.assert_array_equal(model.predict(rows), named.predict(Z))
    assert cross_val_score(clone(given), rbf_kernel(X, gamma=0.5), y, cv=3).shape == (3,)


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


# What is refused


def shifted(a, b):
    return a @ b.T + np.arange(len(b))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"budget": 0}, "budget must be a whole number of at least 1, not 0."),
        ({"budget": 2.5}, "budget must be a whole number of at least 1, not 2.5."),
        ({"budget": 3, "order": "batch"}, "budget does not go with order='batch'"),
        ({"budget": 3, "keep": "average"}, "budget does not go with keep='average'"),
        ({"kernel": "rbk"}, "kernel must be one of 'linear', 'polynomial', 'gaussian', 'precomputed', not 'rbk'."),
        ({"gamma": -1.0}, "gamma must be a finite number above 0, not -1.0."),
        ({"degree": 0}, "degree must be a whole number of at least 1, not 0."),
        ({"coef0": np.nan}, "coef0 must be a finite number, not nan."),
        ({"cache_size": -1}, "cache_size must be a finite number of at least 0, not -1."),
        ({"keep": "first"}, "keep must be one of 'last', 'average', 'best', 'vote', not 'first'."),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, "kernel returned NaN for rows 0 and 0"),
        ({"kernel": shifted}, "kernel is not symmetric: of rows 0 and 1 it is"),
        ({"kernel": lambda a, b: np.ones(len(a))}, r"kernel must return numbers of shape \(60, 60\)"),
        ({"kernel": lambda a, b: a @ b.T, "cache_size": 0.001}, "takes 0 MB, more than cache_size=0.001"),
        ({"kernel": "precomputed"}, "needs K of all rows with all, not a matrix of 60 x 4"),
    ],
)
def test_bad_parameters_are_named(parameters, sentence):
    X, y = whole_numbers()
    with pytest.raises(ValueError, match=sentence):
        KernelPerceptron(**parameters).fit(X, y)


def test_bad_matrices_are_named():
    X, y = whole_numbers()
    K = X @ X.T
    for i, j, value, sentence in ((3, 5, np.nan, "NaN in column 5, row 3"), (3, 5, 99.0, "rows 3 and 5 it is 99.0")):
        bad = K.copy()
        bad[i, j] = value
        with pytest.raises(ValueError, match=sentence):
            KernelPerceptron("precomputed").fit(bad, y)
    with pytest.raises(ValueError, match="dense matrix"):
        KernelPerceptron("precomputed").fit(sparse.csr_matrix(K), y)
    with pytest.raises(ValueError, match="partial_fit does not go with kernel='precomputed'"):
        KernelPerceptron("precomputed").partial_fit(K, y)


@pytest.mark.parametrize("X", [np.full((4, 2), 1e200), np.full((4, 2), 1e30, np.float32)], ids=["float64", "float32"])
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "gaussian"])
def test_numbers_that_overflow_are_refused(kernel, X):
    with pytest.raises(ValueError, match="scale them down"):
        KernelPerceptron(kernel).fit(X, XOR[1])
    if kernel == "polynomial":  # a Gaussian is 0 so far away
        model = KernelPerceptron(kernel).fit(*XOR)
        with pytest.raises(ValueError, match="scale them down"):
            model.predict(np.full((4, 2), 1e300))


def test_there_is_no_coef():
    model = KernelPerceptron(random_state=0).fit(*XOR)
    assert not hasattr(model, "coef_")
    assert not hasattr(model.partial_fit(*XOR), "support_")
    assert not hasattr(KernelPerceptron(), "dual_coef_")


def test_mistakes_left_are_told_with_what_to_do():
    X, y = whole_numbers()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        KernelPerceptron("linear", max_iter=3, random_state=0).fit(X, y)
        KernelPerceptron("linear", max_iter=3, budget=4, random_state=0).fit(X, y)
    assert "Raise max_iter" in str(told[0].message)
    assert "Raise budget=4" in str(told[1].message)


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


# Files


@pytest.mark.parametrize("keep", PLANES_KEPT)
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_models_come_back_from_files(form, keep, tmp_path):
    X, y = spirals(120)
    labels = np.array(["inner", "outer"])[y]
    Z = X + 0.1
    path = tmp_path / "model.safetensors"
    fitted = KernelPerceptron(gamma=0.5, keep=keep, random_state=0, max_iter=10).fit(form(X), labels)
    stream = KernelPerceptron(keep=keep, random_state=0).partial_fit(form(X), labels)
    for model in (fitted, stream):
        save(model, path)
        back = load(path)
        np.testing.assert_array_equal(back.decision_function(Z), model.decision_function(Z))
        np.testing.assert_array_equal(back.predict(Z), model.predict(Z))
        assert (back.status_, back.gamma_, back.n_features_in_) == (model.status_, model.gamma_, 2)
    np.testing.assert_array_equal(load_again(fitted, path).support_, fitted.support_)
    back = load_again(stream, path)
    for model in (stream, back):
        model.partial_fit(form(Z), labels)
    np.testing.assert_array_equal(back.decision_function(X), stream.decision_function(X))


def test_the_command_line_predicts(tmp_path):
    X, y = spirals(120)
    table, path = tmp_path / "rows.csv", tmp_path / "model.safetensors"
    frame = pd.DataFrame(X, columns=["across", "up"])
    frame.to_csv(table, index=False)
    model = KernelPerceptron(gamma=0.5, random_state=0).fit(frame, y)
    save(model, path)
    answer = CliRunner().invoke(app, ["predict", str(path), str(table)])
    assert answer.stdout.split() == ["prediction", *map(str, y)]


def load_again(model, path):
    save(model, path)
    return load(path)


def test_a_precomputed_model_comes_back_and_a_callable_is_refused(tmp_path):
    X, y = whole_numbers()
    path = tmp_path / "model.safetensors"
    model = KernelPerceptron("precomputed", max_iter=5, random_state=0).fit(X @ X.T, y)
    back = load_again(model, path)
    np.testing.assert_array_equal(back.decision_function(X @ X.T), model.decision_function(X @ X.T))
    np.testing.assert_array_equal(back.support_, model.support_)
    with pytest.raises(ValueError, match="cannot be saved"):
        save(KernelPerceptron(lambda a, b: a @ b.T, max_iter=5).fit(X, y), path)


def test_a_function_may_return_a_sparse_matrix():
    X, y = XOR
    model = KernelPerceptron(kernel=lambda A, B: (A @ B.T).power(2) + A @ B.T, random_state=0)
    plain = KernelPerceptron(kernel=lambda A, B: (A @ B.T) ** 2 + A @ B.T, random_state=0)
    rows = sparse.csr_matrix(X, dtype=float)
    model.fit(rows, y), plain.fit(np.asarray(X, float), y)
    np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
    np.testing.assert_array_equal(model.predict(rows), y)


@pytest.mark.parametrize("parameters", [{"cache_size": 1e300}, {"budget": 10**30}])
def test_limits_above_all_rows_change_nothing(parameters):
    X, y = XOR
    model, plain = (KernelPerceptron(random_state=0, **more).fit(X, y) for more in (parameters, {}))
    np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)


@pytest.mark.parametrize(
    ("name", "value"),
    [("degree", -1), ("degree", 0), ("degree", 10**30), ("gamma", -1.0), ("gamma", 0.0), ("coef0", 1e999)],
)
def test_a_file_with_an_impossible_kernel_is_refused(tmp_path, name, value):
    path = tmp_path / "model"
    save(KernelPerceptron(random_state=0).fit(*XOR), path)
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    inner = json.loads(header["__metadata__"]["rosenblatt"])
    inner["support"][name] = value
    header["__metadata__"]["rosenblatt"] = json.dumps(inner)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + size :])
    with pytest.raises(ValueError, match="model"):
        load(path)
