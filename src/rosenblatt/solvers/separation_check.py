"""Questions of training to `prove/`: does an unpenalised loss have an optimum, can a perceptron end without mistakes?

An unpenalised loss has one only where no hyperplane separates the classes, even partly. A perceptron can end without
mistakes only where a hyperplane separates them completely.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..foundation.matrices import is_sparse, written_rows
from ..foundation.types import Places
from ..parts.features import IDENTITY, Features

TIME_LIMIT = 20.0  # seconds for a proof within a fit
# A proof takes about 70 ns times the cube of the columns, 1,000 epochs about 0.5 us times rows and columns. On wider
# tables the epochs take less time than the proof.
COLUMNS_SQUARED_PER_ROW = 4
MAX_NUMBERS = 1 << 20  # of the rows that are to prove an overlap: evenly spread ones, if there are more


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

    return separability(*_two_classes(features.transform(X), problem, fit_intercept), TIME_LIMIT).kind


def is_proved_inseparable(rows: _core.Rows, fit_intercept: bool, problem: ClassProblem) -> bool:
    """Whether some of the rows prove that no weights classify every row correctly; False if that is not known.

    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> from rosenblatt.foundation.matrices import as_rows
    >>> rows = as_rows(np.array([[1.0], [2.0], [3.0]]))
    >>> is_proved_inseparable(rows, True, whole_problem(np.array([0, 1, 0], np.int32), classes=2))
    True
    """
    from ..prove.separability.overlap import MAX_COLUMNS, proves_overlap

    classes = 1 if problem.codes is None else problem.plane_count
    columns = rows.columns * classes
    if columns > MAX_COLUMNS or columns**2 > COLUMNS_SQUARED_PER_ROW * rows.count:
        return False
    step = rows.stored_values * classes * classes // MAX_NUMBERS + 1
    chosen = np.arange(0, rows.count, step)
    return proves_overlap(*_two_classes(written_rows(rows, chosen), problem.every(step), fit_intercept))


def _two_classes(X: Any, problem: ClassProblem, fit_intercept: bool) -> tuple[Any, Any, bool]:
    """Rows, signs and offset of a problem of two classes that is separable where this one is."""
    if problem.signs is not None:
        return X, problem.signs, fit_intercept
    rows = kesler_rows(X, problem.codes, fit_intercept)
    turned = np.where(np.arange(rows.shape[0]) % 2, 1.0, -1.0)
    return rows.multiply(turned[:, None]).tocsr(), turned, False


def kesler_rows(X: Any, codes: Any, fit_intercept: bool, base: int = -1, classes: int | None = None) -> Any:
    """Joint classes as one problem through the origin (Kesler's construction), with one row per row and rival class.

    Such a row holds x in the block of its own class and -x in the block of the rival. Its product with the stacked
    planes is the score of its class minus that of the rival. The base, which is the last class if none is named, has no
    block: a plane added to all planes changes no difference, so its plane can be 0.
    """
    from scipy import sparse

    lifted = sparse.csr_matrix(X) if not is_sparse(X) else X.tocsr()
    if fit_intercept:
        lifted = sparse.hstack([lifted, np.ones((lifted.shape[0], 1))]).tocsr()
    classes = int(codes.max()) + 1 if classes is None else classes
    blocks = []
    for rows, own, rival in _rivalries(codes, classes):
        some = lifted[rows]
        places: list[Any] = [sparse.csr_matrix(some.shape)] * classes
        places[own], places[rival] = some, -some
        del places[base]
        blocks.append(sparse.hstack(places))
    return sparse.vstack(blocks).tocsr()


def kesler_pairs(codes: Any, classes: int) -> tuple[Places, Places]:
    """The row and the rival class of each of Kesler's rows.

    >>> [each.tolist() for each in kesler_pairs(np.array([0, 2, 0]), 3)]
    [[0, 2, 0, 2, 1, 1], [1, 1, 2, 2, 0, 1]]
    """
    blocks = list(_rivalries(codes, classes))
    rivals = [np.full(len(rows), rival) for rows, _, rival in blocks]
    return np.concatenate([rows for rows, _, _ in blocks]), np.concatenate(rivals)


def _rivalries(codes: Any, classes: int) -> Iterator[tuple[Places, int, int]]:
    """The rows of each class, that class, and a rival of it."""
    for own in range(classes):
        rows = np.flatnonzero(codes == own)
        yield from ((rows, own, rival) for rival in range(classes) if rival != own)
