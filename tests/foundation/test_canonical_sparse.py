"""The same rows however a sparse matrix stores them: a column twice, too much data, any order, flags that lie."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
)
from rosenblatt.foundation.matrices import as_canonical_csr, as_csr, as_rows, check_finite

ROWS, COLUMNS = 9, 3
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def shuffled(X, rng):
    """The columns of every row in another order."""
    rows = [sp.csr_array(row[None, :]) for row in X]
    orders = [rng.permutation(row.nnz) for row in rows]
    indices = np.concatenate([row.indices[order] for row, order in zip(rows, orders, strict=True)])
    values = np.concatenate([row.data[order] for row, order in zip(rows, orders, strict=True)])
    starts = np.cumsum([0] + [row.nnz for row in rows])
    return sp.csr_matrix((values, indices, starts), shape=X.shape)


def repeated(X, rng):
    """Every number as a sum of three whole ones, zeros too, in any order."""
    parts = rng.integers(-9, 10, (2, *X.shape))
    values = np.concatenate([X - parts.sum(axis=0), *parts], axis=1)
    indices = np.tile(np.arange(X.shape[1]), (len(X), 3))
    order = rng.permuted(np.tile(np.arange(values.shape[1]), (len(X), 1)), axis=1)
    starts = np.arange(len(X) + 1) * values.shape[1]
    values, indices = (np.take_along_axis(part, order, axis=1).reshape(-1) for part in (values, indices))
    return sp.csr_matrix((values, indices, starts), shape=X.shape)


def lying(X, rng):
    matrix = repeated(X, rng)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def shuffled_but_called_sorted(X, rng):
    matrix = shuffled(X, rng)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def too_long(X, rng):
    """More data and indices than indptr says."""
    matrix = sp.csr_matrix(X)
    matrix.data = np.append(matrix.data, [50.0, np.nan, -70.0])
    matrix.indices = np.append(matrix.indices, [0, 1, 0]).astype(np.int32)
    return matrix


def repeated_coordinates(X, rng):
    matrix = repeated(X, rng).tocoo()
    matrix.has_canonical_format = True
    return matrix


def repeated_columns(X, rng):
    turned = repeated(X.T, rng)
    return sp.csc_array((turned.data, turned.indices, turned.indptr), shape=X.shape)


def with_zeros(X, rng):
    starts = np.arange(len(X) + 1) * X.shape[1]
    return sp.csr_array((X.reshape(-1), np.tile(np.arange(X.shape[1]), len(X)), starts), shape=X.shape)


def of_type(form, dtype):
    """SciPy's own conversion would sum and sort."""

    def made(X, rng):
        matrix = form(X, rng)
        matrix.data = matrix.data.astype(dtype)
        return matrix

    return made


def of_64_bits(X, rng):
    matrix = repeated(X, rng)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


FORMS = {
    "canonical": lambda X, rng: sp.csr_matrix(X),
    "canonical array": lambda X, rng: sp.csr_array(X),
    "unsorted": shuffled,
    "unsorted, called sorted": shuffled_but_called_sorted,
    "repeated": repeated,
    "repeated, called canonical": lying,
    "repeated, float32": of_type(repeated, np.float32),
    "repeated, whole numbers": of_type(repeated, np.int64),
    "unsorted, whole numbers": of_type(shuffled, np.int8),
    "repeated, indices of 64 bits": of_64_bits,
    "repeated, COO called canonical": repeated_coordinates,
    "repeated, CSC": repeated_columns,
    "too long": too_long,
    "zeros stored": with_zeros,
}


@st.composite
def problems(draw):
    """Small whole numbers, labels that a plane gives but for a few rows, and a source of chance."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.integers(-3, 4, (ROWS, COLUMNS)) * (rng.random((ROWS, COLUMNS)) < draw(st.sampled_from([0.4, 0.9])))
    y = (X @ rng.integers(-2, 3, COLUMNS) + 0.5 > 0).astype(int)
    y[rng.random(ROWS) < draw(st.sampled_from([0.0, 0.2]))] ^= 1
    assume(0 < y.sum() < ROWS)
    return X.astype(float), y, rng


def any_form(test):
    drawn = given(problems())(settings(max_examples=5, deadline=None)(test))
    return pytest.mark.parametrize("form", FORMS)(drawn)


@any_form
def test_the_boundary_leaves_one_form(form, problem):
    X, _, rng = problem
    matrix = FORMS[form](X, rng)
    canonical = as_canonical_csr(matrix)
    np.testing.assert_array_equal(as_csr(matrix).toarray(), X)
    np.testing.assert_array_equal(canonical.toarray(), X)
    assert canonical.format == "csr"
    assert len(canonical.data) == len(canonical.indices) == canonical.indptr[-1]
    anew = sp.csr_array((canonical.data, canonical.indices, canonical.indptr), shape=X.shape)
    assert anew.has_canonical_format
    assert not as_rows(matrix).repeats_columns


@any_form
def test_the_matrix_given_stays_as_it_was(form, problem):
    X, y, rng = problem
    matrix = FORMS[form](X, rng)
    names = ("data", "row", "col") if matrix.format == "coo" else ("data", "indices", "indptr")
    before = {name: getattr(matrix, name).copy() for name in names}
    KernelPerceptron(max_iter=3).fit(matrix, y).predict(matrix)
    rosenblatt.separability(matrix, y)
    for name in names:
        np.testing.assert_array_equal(getattr(matrix, name), before[name])


LINEAR = (Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, LinearSVM, LogisticRegression)
EXACT = (Perceptron, PocketPerceptron)  # dense rows give the same bits, too, as all sums are of whole numbers


def plainly(X, matrix):
    """X in canonical form, in the type that the matrix is read in."""
    return sp.csr_matrix(X.astype(np.float32 if matrix.dtype == np.float32 else np.float64))


def seen(model, X, y):
    return model.fit(X, y).decision_function(X)


@any_form
@pytest.mark.parametrize("classifier", LINEAR)
def test_linear_classifiers(classifier, form, problem):
    if form.startswith(("zeros stored", "unsorted")) and classifier not in EXACT:
        return  # sums of numbers that are not whole round otherwise in another order, or with zeros between them
    X, y, rng = problem
    matrix = FORMS[form](X, rng)
    found = seen(classifier(max_iter=5, random_state=0), matrix, y)
    for other in (plainly(X, matrix), X)[: 1 + (classifier in EXACT)]:
        np.testing.assert_array_equal(found, seen(classifier(max_iter=5, random_state=0), other, y))


@any_form
@pytest.mark.parametrize("kernel", ["gaussian", "polynomial", "linear", lambda A, B: A @ B.T])
def test_kernel_classifiers(kernel, form, problem):
    X, y, rng = problem
    matrix = FORMS[form](X, rng)
    model, plain, dense = (KernelPerceptron(kernel=kernel, max_iter=5, random_state=0) for _ in range(3))
    np.testing.assert_array_equal(seen(model, matrix, y), seen(plain, plainly(X, matrix), y))
    assert model.gamma_ == dense.fit(X, y).gamma_


@pytest.mark.parametrize("form", FORMS)
def test_a_gaussian_sees_what_it_sees_of_dense_rows(form):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (30, 4)) * 1.0
    y = (X @ [1, 2, -1, 1] > 0).astype(int)
    found, wanted = (seen(KernelPerceptron(random_state=0), given_, y) for given_ in (FORMS[form](X, rng), X))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@any_form
def test_streams(form, problem):
    X, y, rng = problem
    for classifier in (Perceptron, KernelPerceptron):
        model, plain = classifier(), classifier()
        for part in (slice(0, 5), slice(5, ROWS)):
            matrix = FORMS[form](X[part], rng)
            model.partial_fit(matrix, y[part], classes=[0, 1])
            plain.partial_fit(plainly(X[part], matrix), y[part], classes=[0, 1])
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


PROOFS = {
    "separability": lambda X, y: rosenblatt.separability(X, y, fingerprint=True),
    "separability, lifted": lambda X, y: rosenblatt.separability(X, y, features="polynomial-2"),
    "separating_degree": lambda X, y: rosenblatt.separating_degree(X, y),
    "max_margin": lambda X, y: rosenblatt.max_margin(X, y),
    "max_margin, lifted": lambda X, y: rosenblatt.max_margin(X, y, features="polynomial-2"),
    "mistake_bound": lambda X, y: rosenblatt.mistake_bound(X, y),
    "minimum_mistakes": lambda X, y: rosenblatt.minimum_mistakes(X, y),
    "signed_distance": lambda X, y: rosenblatt.signed_distance(PLANE, X).tolist(),
    "margins": lambda X, y: rosenblatt.margins(PLANE, X, y).tolist(),
    "polynomial": lambda X, y: np.asarray(sp.csr_array(rosenblatt.Polynomial(2).transform(X)).todense()).tolist(),
}
PLANE = Perceptron(order="cyclic").fit([[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1, 0])


@any_form
@pytest.mark.parametrize("proof", PROOFS)
def test_proofs(proof, form, problem):
    X, y, rng = problem
    assert str(PROOFS[proof](FORMS[form](X, rng), y)) == str(PROOFS[proof](sp.csr_array(X), y))


@any_form
def test_certificates_and_audits(form, problem):
    X, y, rng = problem
    matrix = FORMS[form](X, rng)
    verdict = rosenblatt.separability(X, y, fingerprint=True)
    assert verdict.verify(matrix, y)
    assert rosenblatt.separability(matrix, y, fingerprint=True).verify(X, y)
    model = Perceptron(order="cyclic", max_iter=20).fit(matrix, y, trace=True)
    assert str(rosenblatt.audit(model, matrix, y)) == str(rosenblatt.audit(model, sp.csr_array(X), y))


@any_form
def test_structural_risk(form, problem):
    X, y, rng = problem
    assume(min(y.sum(), ROWS - y.sum()) >= 2)
    found, wanted = (
        rosenblatt.StructuralRisk(degrees=(1, 2), cv=2, random_state=0).fit(given_, y)
        for given_ in (FORMS[form](X, rng), X)
    )
    np.testing.assert_array_equal(found.record_["training_risk"], wanted.record_["training_risk"])
    np.testing.assert_array_equal(found.record_["held_out_risk"], wanted.record_["held_out_risk"])


def test_a_canonical_matrix_is_not_copied():
    matrix = sp.csr_matrix(np.eye(3))
    for index in (np.int32, np.int64):
        matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
        canonical = as_canonical_csr(matrix)
        for part in ("data", "indices", "indptr"):
            assert np.shares_memory(getattr(canonical, part), getattr(matrix, part))


@pytest.mark.parametrize("dtype", ["<f2", ">f8", ">i4"])
def test_numbers_that_scipy_cannot_sum(dtype):
    matrix = sp.csr_matrix(np.array([[1.0, 2.0, 3.0]]))
    matrix.data, matrix.indices = matrix.data.astype(dtype), np.array([1, 1, 0], dtype=np.int32)
    assert as_csr(matrix).toarray().tolist() == [[3.0, 3.0, 0.0]]


def test_data_frames_of_sparse_columns():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (20, 4)) * 1.0
    y = (X[:, 0] > X[:, 1]).astype(int)
    frame = pd.DataFrame(X, columns=list("abcd")).astype(pd.SparseDtype("float64", 0.0))
    found, wanted = (KernelPerceptron(random_state=0).fit(given_, y) for given_ in (frame, X))
    assert found.gamma_ == wanted.gamma_
    np.testing.assert_allclose(found.decision_function(frame), wanted.decision_function(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["coo", "csc", "bsr", "lil", "dok"])
def test_a_number_that_is_not_finite_is_named_in_every_form(form):
    matrix = sp.csr_array(np.array([[1.0, 0.0], [0.0, np.nan]])).asformat(form)
    with pytest.raises(ValueError, match=r"contains NaN in column 1, row 1\."):
        check_finite(as_rows(matrix), matrix)


def test_a_model_file_keeps_the_rows(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (20, 3)) * 1.0
    y = (X.sum(axis=1) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KernelPerceptron(random_state=0).fit(repeated(X, rng), y)
    rosenblatt.save(model, tmp_path / "model")
    again = rosenblatt.load(tmp_path / "model")
    np.testing.assert_array_equal(again.decision_function(too_long(X, rng)), model.decision_function(sp.csr_matrix(X)))
