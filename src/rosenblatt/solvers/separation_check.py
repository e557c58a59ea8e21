"""Whether an unpenalised loss has an optimum: only where no hyperplane separates the classes, even partly."""

from typing import Any

import numpy as np

from ..engine.class_problems import ClassProblem
from ..foundation.matrices import is_sparse
from ..parts.features import IDENTITY, Features

TIME_LIMIT = 20.0  # seconds for a proof within a fit


def kind_of_separation(X: Any, fit_intercept: bool, problem: ClassProblem, features: Features = IDENTITY) -> str:
    """The kind that `separability` proves of the lifted rows: "complete", "quasi", "overlap" or "undecided".

    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> X = np.array([[1.0], [2.0], [3.0], [3.0]])
    >>> kind_of_separation(X, True, whole_problem(np.array([0, 0, 1, 0], np.int32), classes=2))
    'quasi'
    >>> kind_of_separation(X[:3], True, whole_problem(np.array([0, 1, 2], np.int32), classes=3))
    'complete'
    """
    from ..prove.separability.separability import separability

    X = features.transform(X)
    if problem.signs is not None:
        return separability(X, problem.signs, fit_intercept, TIME_LIMIT).kind
    rows = kesler_rows(X, problem.codes, fit_intercept)
    turned = np.where(np.arange(rows.shape[0]) % 2, 1.0, -1.0)
    return separability(rows.multiply(turned[:, None]).tocsr(), turned, False, TIME_LIMIT).kind


def kesler_rows(X: Any, codes: Any, fit_intercept: bool) -> Any:
    """Joint classes as one problem through the origin (Kesler's construction), with one row per row and rival class.

    Such a row holds x in the block of its own class and -x in the block of the rival. Its product with the stacked
    planes is the score of its class minus that of the rival. The last class has no block: a plane added to all planes
    changes no difference, so its plane can be 0.
    """
    from scipy import sparse

    lifted = sparse.csr_matrix(X) if not is_sparse(X) else X.tocsr()
    if fit_intercept:
        lifted = sparse.hstack([lifted, np.ones((lifted.shape[0], 1))]).tocsr()
    classes = int(codes.max()) + 1
    blocks = []
    for own in range(classes):
        some = lifted[np.flatnonzero(codes == own)]
        for rival in range(classes):
            if rival == own:
                continue
            places: list[Any] = [sparse.csr_matrix(some.shape)] * classes
            places[own], places[rival] = some, -some
            blocks.append(sparse.hstack(places[:-1]))
    return sparse.vstack(blocks).tocsr()
