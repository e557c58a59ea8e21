"""Kernel matrices: those of the formula, with the same bits everywhere; bad kernels and matrices are named."""

import warnings

import numpy as np
import pytest
from kernel_rows import PLANES_KEPT, XOR, spirals, whole_numbers
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score

from rosenblatt import KernelPerceptron, _core
from rosenblatt.parts.kernels import Kernel, symmetric_gram

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


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
