"""Labels that are plainly classes: `fit` skips scikit-learn's checks, which take as long as a small training."""

from typing import Any

import numpy as np

from ..foundation.types import Labels

READY_LABELS = "iubU"  # kinds of arrays whose entries are classes
PLAIN_TYPES = ({int}, {bool}, {str})


def plain_classes(y: Any) -> Labels | None:
    """Labels as an array, if they are whole numbers, truth values or texts without gaps; else they must be checked.

    >>> plain_classes([3, 1]), plain_classes(np.array([0.0, 2.0])), plain_classes(np.array([0.5, 2.0]))
    (array([3, 1]), array([0., 2.]), None)
    """
    if type(y) is list:
        labels = np.array(y) if set(map(type, y)) in PLAIN_TYPES else None
        return labels if labels is not None and labels.dtype.kind in READY_LABELS else None
    if type(y).__module__.partition(".")[0] == "pandas" and hasattr(y, "to_numpy"):
        y = y.to_numpy()
    return y if type(y) is np.ndarray and y.ndim == 1 and y.size and _holds_classes(y) else None


def _holds_classes(labels: Labels) -> bool:
    kind = labels.dtype.kind
    if kind == "f":
        return bool(np.isfinite(labels).all() and (labels == np.floor(labels)).all())
    return kind in READY_LABELS or (kind == "O" and set(map(type, labels.tolist())) == {str})
