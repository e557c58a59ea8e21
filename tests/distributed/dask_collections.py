"""Rows of three classes in memory, as a data frame and as Dask arrays, and what is told of them."""

import hashlib

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="dask and distributed are not installed")
import dask.array as da

ROWS = 40_000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((ROWS, 4))
SCORES = X @ RNG.standard_normal((4, 3)) + RNG.gumbel(size=(ROWS, 3))
Y = np.array(["a", "b", "c"])[SCORES.argmax(axis=1)]
FRAME = pd.DataFrame(X, columns=list("pqrs")).assign(kind=Y)


def digest(model):
    return hashlib.sha256(model.coef_.tobytes() + model.intercept_.tobytes()).hexdigest()


def chunked(rows, form=np.asarray):
    return da.from_array(X, chunks=(rows, -1)).map_blocks(form), da.from_array(Y, chunks=7_000)


def column_sums(block):
    return block.X.sum(axis=0)
