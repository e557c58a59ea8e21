"""Rows with several labels each, in the forms that labels may have."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from sklearn.base import clone

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4))
Y = (X @ RNG.standard_normal((4, 3)) + 0.3 * RNG.standard_normal((80, 3)) > 0).astype(int)
NAMES = np.array(["blue", "green", "red"])
LISTS = [NAMES[has][::-1].tolist() for has in Y.astype(bool)]
WEIGHTS = RNG.integers(0, 3, 80).astype(float)


def alone(model, k, weights=None):
    return clone(model).fit(X, Y[:, k], weights)


FORMS = {
    "int": Y,
    "bool": Y.astype(bool),
    "float": Y * 1.0,
    "csr": sp.csr_matrix(Y),
    "csc": sp.csc_array(Y),
    "lists of 0 and 1": Y.tolist(),
    "arrays of 0 and 1": list(Y),
    "data frame": pd.DataFrame(Y, columns=NAMES[::-1]),
    "lists": LISTS,
    "tuples": [tuple(has) for has in LISTS],
    "sets": [set(has) for has in LISTS],
    "series": pd.Series(LISTS),
    "polars series": pl.Series(LISTS),
    "polars frame": pl.DataFrame(Y, schema=NAMES[::-1].tolist()),
    "whole numbers": [np.flatnonzero(has).tolist() for has in Y],
}
