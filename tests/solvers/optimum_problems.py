"""Problems whose optimum is looked for, and the solver's answer."""

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import StandardScaler

from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.optimum import find_optimum

SMOOTH = ["logistic", "squared-hinge"]


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), np.where(y == 1, 1, -1).astype(np.int8)


def overlapping(rows, columns, seed=0):
    X, y = make_classification(rows, columns, n_redundant=0, flip_y=0.2, random_state=seed)
    return X, np.where(y == 1, 1, -1).astype(np.int8)


def solve(X, signs, loss="logistic", C=1.0, **options):
    return find_optimum(
        as_rows(X), whole_problem((signs > 0).astype(np.int32), 2), loss, C, **{"tol": 1e-10, **options}
    )
