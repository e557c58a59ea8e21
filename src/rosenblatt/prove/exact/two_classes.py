"""The choice of two classes among the labels of y."""

from typing import Any, NamedTuple

import numpy as np

from ...foundation.label_sets import refuse_label_sets
from ...foundation.labels import MAY_MISS, encode, refuse_missing_labels, refuse_mixed_labels
from ...foundation.types import Floats, Labels, Places


class TwoClassLabels(NamedTuple):
    """The negative and the positive class, the rows that belong to them, and their labels -1 and 1."""

    classes: list[Any]
    numbers: Places
    labels: Floats


def select_two_classes(y: Any, rows: int, wanted: Any) -> TwoClassLabels:
    """The labels of the two classes that are wanted."""
    refuse_label_sets(y)
    y = label_array(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, not {y.ndim}.")
    if len(y) != rows:
        raise ValueError(f"X and y have inconsistent lengths: {rows} rows in X, {len(y)} labels in y.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"Row {int(np.flatnonzero(~np.isfinite(y))[0])} of y has no label: drop such rows first.")
    present, codes = encode(y)
    known = present.tolist()
    negative, positive = chosen = check_classes(known, wanted)
    if len(known) == 2 or negative is None:
        numbers = np.arange(rows)
    else:
        numbers = np.flatnonzero(np.isin(codes, [known.index(label) for label in chosen]))
        codes = codes[numbers]
    return TwoClassLabels(chosen, numbers, np.where(codes == known.index(positive), 1.0, -1.0))


def label_array(y: Any) -> Labels:
    """Labels as an array; missing values among texts or dates are refused, and texts among other labels."""
    labels = np.asarray(y)
    if labels.dtype.kind in MAY_MISS and labels.ndim == 1:
        refuse_missing_labels(y if isinstance(y, list | tuple) else labels, "y")
        refuse_mixed_labels(labels, "y")
    return labels


def check_classes(known: list[Any], wanted: Any) -> list[Any]:
    """The negative and the positive class. None as the negative class means all labels except the positive one."""
    if len(known) < 2:
        raise ValueError(f"y must have two classes, but all its labels are {known}.")
    if wanted is None:
        if len(known) == 2:
            return known
        raise ValueError(
            f"y has {len(known)} classes, {known[:5]}: choose two with classes=(a, b), or one against the rest with "
            "classes=(None, a); separability takes all of them with multi_class='ovr' or 'ovo'."
        )
    chosen = list(wanted)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise ValueError(f"classes must be two different labels, not {wanted!r}.")
    missing = [label for place, label in enumerate(chosen) if label not in known and (place or label is not None)]
    if missing:
        raise ValueError(f"classes names {missing[0]!r}, which is not among the labels of y, {known[:5]}.")
    return [None if label is None else known[known.index(label)] for label in chosen]
