"""Any matrix to rows: without a copy where rows are whole, the same numbers always, broken ones refused."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import _core
from rosenblatt.foundation.matrices import as_csr, as_rows, check_finite, is_sparse
from rosenblatt.foundation.threads import thread_count, threads_for

rng = np.random.default_rng(0)
X = rng.integers(-3, 4, (12, 5)).astype(float)
WEIGHTS = rng.integers(-5, 6, (1, 5)).astype(float)


def scores(rows):
    """What the core reads: products with fixed weights."""
    return _core.scores(rows, WEIGHTS, np.zeros(1), 1)[0][:, 0]


def wide(a):
    room = np.full((2 * len(a), a.shape[1] + 3), np.nan, a.dtype)
    room[::2, 1 : 1 + a.shape[1]] = a
    return room[::2, 1 : 1 + a.shape[1]]


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def misaligned(a):
    return np.frombuffer(b"?" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape)


def with_int64(a):
    a = sp.csr_array(a)
    a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    return a


def unsorted(a):
    a = sp.csr_array(a)
    for i in range(a.shape[0]):
        part = slice(a.indptr[i], a.indptr[i + 1])
        a.indices[part], a.data[part] = a.indices[part][::-1].copy(), a.data[part][::-1].copy()
    return a


def with_repeats(a):
    a = sp.csr_array(a)
    return sp.csr_array((np.repeat(a.data / 2, 2), np.repeat(a.indices, 2), a.indptr * 2), shape=a.shape)


FORMS = {
    "as it is": lambda a: a,
    "Fortran": np.asfortranarray,
    "rows backwards": lambda a: a[::-1].copy()[::-1],
    "columns backwards": lambda a: a[:, ::-1].copy()[:, ::-1],
    "rows and columns of a wider array": wide,
    "read-only": read_only,
    "misaligned": misaligned,
    "subclass": lambda a: np.ma.array(a),
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "lists": lambda a: a.tolist(),
    **{name: lambda a, name=name: a.astype(name) for name in ("f2", "f4", "g", "i1", "i8", "O")},
    **{
        name: lambda a, name=name: sp.csr_array(a).asformat(name) for name in ("csr", "csc", "coo", "bsr", "lil", "dok")
    },
    "csr_matrix": sp.csr_matrix,
    "dia": sp.dia_array,
    "csr float32": lambda a: sp.csr_array(a.astype(np.float32)),
    "csr int8": lambda a: sp.csr_array(a.astype(np.int8)),
    "csr with int64 indices": with_int64,
    "csr unsorted": unsorted,
    "csr with repeats": with_repeats,
}
COPIED = {"misaligned", "Fortran", "rows backwards", "columns backwards"}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_the_same(form):
    matrix = FORMS[form](X)
    if form == "O":
        matrix = matrix.astype(np.float64)  # objects are for scikit-learn's checks
    np.testing.assert_array_equal(scores(as_rows(matrix)), X @ WEIGHTS[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", ["as it is", "rows and columns of a wider array"])
def test_whole_rows_are_not_copied(form, dtype):
    matrix = FORMS[form](X.astype(dtype))
    rows = as_rows(matrix)
    matrix[3] *= 2
    assert scores(rows)[3] == 2 * (X @ WEIGHTS[0])[3]


def test_csr_is_not_copied():
    matrix = sp.csr_array(X)
    rows = as_rows(matrix)
    matrix.data *= 2
    np.testing.assert_array_equal(scores(rows), 2 * X @ WEIGHTS[0])


def test_memory_mapped_rows_are_not_copied(tmp_path):
    matrix = np.memmap(tmp_path / "rows", dtype=float, mode="w+", shape=X.shape)
    rows = as_rows(matrix)
    matrix[:] = X
    np.testing.assert_array_equal(scores(rows), X @ WEIGHTS[0])


@given(st.integers(1, 6), st.integers(1, 6), st.integers(-3, 3), st.integers(-3, 3), st.booleans())
def test_any_view_reads_the_same(height, width, down, right, mirror):
    down, right = down or 1, right or 1
    base = rng.normal(size=(40, 40))[20 : 20 + height * down : down, 20 : 20 + width * right : right]
    view = base.T if mirror else base
    assert view.size == height * width
    weights = np.ones((1, view.shape[1]))
    result = _core.scores(as_rows(view), weights, np.zeros(1), 1)[0]
    np.testing.assert_array_equal(result, _core.scores(as_rows(view.copy()), weights, np.zeros(1), 1)[0])


def test_a_sparse_matrix_is_left_as_it_was():
    for form in (unsorted, with_repeats):
        matrix = form(X)
        before = matrix.indices.copy(), matrix.data.copy()
        as_rows(matrix)
        np.testing.assert_array_equal(matrix.indices, before[0])
        np.testing.assert_array_equal(matrix.data, before[1])


@pytest.mark.parametrize("bad", [np.array([["a"]]), np.array([[1j]]), np.array([["2020-01-01"]], "M8[D]")])
def test_what_is_no_number_is_refused(bad):
    advice = "" if bad.dtype.kind == "c" else ": turn texts, dates and objects into numbers by a TableEncoder first"
    with pytest.raises(ValueError, match=rf"must hold numbers, not values of type \S+{advice}\.$"):
        as_rows(bad)


def test_complex_sparse_is_refused():
    with pytest.raises(ValueError, match="must hold numbers, not values of type complex128"):
        as_rows(sp.csc_array(X + 1j))


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), ()])
def test_other_than_two_dimensions_are_refused(shape):
    with pytest.raises(ValueError, match=f"two dimensions, rows and columns, not {len(shape)}"):
        as_rows(np.zeros(shape))


def test_a_sparse_vector_is_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        as_csr(sp.coo_array(np.ones(3)))


# Broken sparse matrices


def changed(part, at, value):
    def change(matrix):
        values = getattr(matrix, part).copy()
        values[at] = value
        setattr(matrix, part, values)

    return change


def shorter(part):
    return lambda matrix: setattr(matrix, part, getattr(matrix, part)[:-2])


BREAKS = {
    "negative index": changed("indices", 3, -1),
    "index beyond": changed("indices", 3, 10**6),
    "indptr falls": changed("indptr", 2, 0),
    "indptr leaps": changed("indptr", 2, 10**6),
    "indptr below 0": changed("indptr", 1, -7),
    "indptr begins late": changed("indptr", 0, 1),
    "indptr ends beyond": changed("indptr", -1, 10**6),
    "short data": shorter("data"),
    "short indices": shorter("indices"),
    "short indptr": shorter("indptr"),
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("break_", BREAKS)
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_broken_compressed_matrices_are_refused(form, break_, index):
    matrix = sp.csr_array(X + 5).asformat(form)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    BREAKS[break_](matrix)
    with pytest.raises(ValueError, match=r"The sparse X is broken: .*Build it again"):
        as_rows(matrix)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("value", [-1, 10**6])
def test_broken_coordinates_are_refused(axis, value):
    matrix = sp.coo_array(X)
    coords = [at.copy() for at in matrix.coords]
    coords[axis][2] = value
    matrix.coords = tuple(coords)
    with pytest.raises(ValueError, match=r"The sparse X is broken: .*Build it again"):
        as_rows(matrix)


def test_broken_lists_are_refused():
    matrix = sp.lil_array(X)
    matrix.rows[0][-1] = 77
    with pytest.raises(ValueError, match="broken: row 0 has column index 77"):
        as_rows(matrix)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_largest_size_of_each_column(form, dtype, threads):
    X = (np.random.default_rng(0).normal(size=(300_000, 5)) * [1, 0, 1e-30, 1e30, -3]).astype(dtype)
    assert (as_rows(form(X)).largest(threads) == np.abs(X).max(axis=0)).all()
    X[77_777, 2] = np.nan
    assert np.isfinite(as_rows(form(X)).largest(threads)).tolist() == [True, True, False, True, True]


# Finite numbers


@given(
    st.integers(1, 40),
    st.integers(1, 9),
    st.data(),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.sampled_from([np.float64, np.float32]),
    st.sampled_from([np.asarray, sp.csr_array]),
    st.sampled_from([1, 2]),
)
def test_the_first_bad_number_is_named(height, width, data, bad, dtype, form, threads):
    row, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    matrix = np.ones((height, width), dtype)
    matrix[row, column] = bad
    matrix[row + 1 :, :] = np.nan
    matrix = form(matrix)
    what = "NaN" if np.isnan(bad) else "infinity"
    names = [f"c{j}" for j in range(width)]
    with pytest.raises(ValueError, match=re.escape(f"contains {what} in column {column}, row {row}. ")):
        check_finite(as_rows(matrix), matrix, None, threads)
    with pytest.raises(ValueError, match=re.escape(f"contains {what} in column 'c{column}', row {row + 100}. ")):
        check_finite(as_rows(matrix), matrix, names, threads, np.arange(height) + 100)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_huge_numbers_are_finite(dtype, form):
    info = np.finfo(dtype)
    matrix = form(np.array([[info.max, -info.max, info.tiny, 0]], dtype))
    check_finite(as_rows(matrix), matrix)


# Threads


def test_thread_count(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = thread_count(-1)
    assert cores >= 1
    assert thread_count(None) == cores
    assert thread_count(3) == thread_count(np.int64(3)) == 3
    assert thread_count(-cores - 5) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(None) == 1
    assert thread_count(2) == 2


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_thread_count_refuses(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads, -1 for all cores, or None, not"):
        thread_count(n_jobs)


def test_little_is_read_by_one_thread():
    assert threads_for(as_rows(X), 8) == 1
    assert threads_for(as_rows(np.zeros((1 << 10, 1 << 8))), 8) == 8


def test_is_sparse():
    assert is_sparse(sp.csr_array(X))
    assert is_sparse(sp.coo_matrix(X))
    assert not is_sparse(X)
    assert not is_sparse(None)
