"""Fingerprints are those of the documented bytes, whatever holds the numbers."""

import hashlib
import struct

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rosenblatt import separability
from rosenblatt.prove.certificates import fingerprint as fingerprints


def documented(X, y):
    rows = [[(column, float(value)) for column, value in enumerate(row) if value != 0] for row in X.tolist()]
    text = b"".join(struct.pack("<BQ", label, len(row)) for row, label in zip(rows, y, strict=True))
    text += b"".join(struct.pack("<Q", column) for row in rows for column, _ in row)
    return hashlib.sha256(text + b"".join(struct.pack("<d", value) for row in rows for _, value in row)).hexdigest()


def data():
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (30, 4)) * 0.25
    X[0, 0] = -0.0
    return X, rng.integers(0, 2, 30)


@pytest.mark.parametrize(
    "convert",
    [np.asarray, np.float32, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.coo_matrix, pd.DataFrame],
)
@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_the_bytes_are_as_documented(convert, at_once, monkeypatch):
    monkeypatch.setattr(fingerprints, "NUMBERS_PER_BLOCK", at_once)
    X, y = data()
    assert separability(convert(X), y, fingerprint=True).certificate["sha256"] == documented(X, y)


def test_only_rows_that_take_part_count():
    X, y = data()
    y[:5] = 2
    answer = separability(X, y, classes=(0, 1), fingerprint=True)
    assert answer.certificate["sha256"] == documented(X[y < 2], y[y < 2])
    rest = separability(X, y, classes=(None, 1), fingerprint=True)
    assert rest.certificate["sha256"] == documented(X, (y == 1).astype(int))


def test_other_data_are_refused_by_name():
    X, y = data()
    answer = separability(X, y, fingerprint=True)
    assert answer.verify(X, y)
    other = X.copy()
    other[7, 2] = np.nextafter(other[7, 2], 9)
    assert not answer.verify(other, y)
    assert answer.why_not.startswith("It was made for other data: their SHA-256 is ")
    assert separability(X, y).certificate["sha256"] is None


def test_other_columns_are_refused_by_name():
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abcd"))
    answer = separability(frame, y)
    assert answer.certificate["names"] == list("abcd")
    assert answer.verify(frame, y)
    assert answer.verify(X, y)
    assert not answer.verify(frame.rename(columns={"b": "e"}), y)
    assert "with columns ['a', 'b', 'c', 'd'], not ['a', 'e', 'c', 'd']" in answer.why_not
