"""Labels to class numbers and back. `classes_` is sorted; of two classes the second is the positive one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .suggestions import did_you_mean
from .types import Codes, Floats, Labels

TEXT = "OSTU"  # kinds of arrays that hold text; labels of the other kinds are numbers, truth values or dates
MAY_MISS = TEXT + "mM"  # kinds of arrays that may hold a missing label other than NaN
CODE, LABEL = np.dtype(np.int32), np.dtype(np.int64)
MISSING = ("NAType", "NaTType")  # the types of missing values in pandas
CAN_BE_NAN = (float, np.floating, np.datetime64, np.timedelta64)
LIST_SEARCH = 100  # labels x classes below which searching a list is faster than searching an array


def refuse_missing_labels(labels: Iterable[Any], name: str, first: int = 0) -> None:
    """Refuse None, NaN and NaT among labels: NumPy would compare them with texts, write them as one, or sort them last.

    `first` is the number of the first row.

    >>> refuse_missing_labels(["ham", None], "y")
    Traceback (most recent call last):
        ...
    ValueError: y has no label in row 1, but None: fill in or drop such rows.
    """
    for row, label in enumerate(labels, first):
        if label is None or (isinstance(label, CAN_BE_NAN) and label != label) or type(label).__name__ in MISSING:
            raise ValueError(f"{name} has no label in row {row}, but {label}: fill in or drop such rows.")


def refuse_mixed_labels(labels: Labels, name: str, first: int = 0) -> None:
    """Refuse labels of which some are text and others are not: they have no order.

    >>> refuse_mixed_labels(np.array([1, "ham"], dtype=object), "y")
    Traceback (most recent call last):
        ...
    ValueError: y holds text and other labels, 'ham' in row 1 and 1 in row 0: make all labels text, or none.
    """
    if labels.dtype.kind != "O":
        return
    is_text = [isinstance(label, str) for label in labels.tolist()]
    if True in is_text and False in is_text:
        text, other = is_text.index(True), is_text.index(False)
        what = f"{labels[text]!r} in row {first + text} and {labels[other]!r} in row {first + other}"
        raise ValueError(f"{name} holds text and other labels, {what}: make all labels text, or none.")


def encode(y: Labels) -> tuple[Labels, Codes]:
    """The sorted classes of y, and the number of each row's class.

    >>> classes, codes = encode(np.array(["spam", "ham", "spam"]))
    >>> [str(c) for c in classes], codes.tolist()
    (['ham', 'spam'], [1, 0, 1])
    """
    if y.dtype is LABEL and y.flags.c_contiguous:  # the core is quicker on few labels than one call of NumPy
        found = _core.number_two_classes(y)
        if found is not None:
            return np.array(found[:2]), found[2]
    if y.dtype.kind in "iub" and y.size:
        low, high = y.min(), y.max()
        second = y == high
        if low < high and np.count_nonzero(second) + np.count_nonzero(y == low) == y.size:
            return np.array([low, high]), second.astype(np.int32)
        if int(high) - int(low) < max(256, y.size):  # counting beats sorting
            above = y.astype(np.int64) - low.astype(np.int64)  # wraps around, and back, for uint64 beyond 2^63
            present = np.bincount(above) > 0
            numbers = np.cumsum(present, dtype=np.int32) - np.int32(1)
            return np.flatnonzero(present).astype(y.dtype) + low, numbers[above]
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32).reshape(-1)


def codes_of(y: Labels, classes: Labels) -> Codes | None:
    """The numbers of y's classes among sorted known ones; None if some class is not among them.

    >>> codes_of(np.array([7, 3]), np.array([3, 5, 7]))
    array([2, 0], dtype=int32)
    >>> codes_of(np.array([4]), np.array([3, 5, 7])) is None
    True
    """
    if not len(classes):
        return None
    if len(y) * len(classes) < LIST_SEARCH:
        return codes_of_list(y.tolist(), classes)
    at = classes.searchsorted(y)
    found = classes.take(at, mode="clip") == y
    return at.astype(CODE) if found.all() else None


def codes_of_list(labels: list[Any], classes: Labels) -> Codes | None:
    """The same for a few labels that are Python's values."""
    known = classes.tolist()
    try:
        return np.array([known.index(label) for label in labels], CODE)
    except (TypeError, ValueError):  # pandas' NA cannot be compared
        return None


class Numbering(NamedTuple):
    """Sorted classes, the numbers of some labels among them, and the new numbers of the classes known before."""

    classes: Labels
    codes: Codes
    places: Codes


def extend_classes(known: Labels, labels: Labels, expected: Labels) -> Numbering:
    """Number labels among the known classes, those expected and their own. Text and numbers do not mix.

    >>> extend_classes(np.array([5, 7]), np.array([7, 4]), np.array([], int))
    Numbering(classes=array([4, 5, 7]), codes=array([2, 0], dtype=int32), places=array([1, 2], dtype=int32))
    """
    classes, codes = encode(concatenate_labels([known, expected, labels]))
    return Numbering(classes, codes[len(codes) - len(labels) :], codes[: len(known)])


def concatenate_labels(parts: Sequence[Labels]) -> Labels:
    """Labels one after the other, without a change of any: text and numbers do not mix."""
    every = [part for part in parts if len(part)]
    if len({_holds_text(part) for part in every}) > 1:
        raise ValueError(f"Labels must be all text or all numbers, not both: {[part.tolist()[0] for part in every]}.")
    together: Labels = np.concatenate(every)
    if together.dtype.kind == "f" and not any(part.dtype.kind == "f" for part in every):
        raise ValueError("Labels of types int64 and uint64 have no whole type in common: convert y to one of them.")
    return together


def _holds_text(labels: Labels) -> bool:
    """Whether labels are text. Those of an array of objects are all text, or none is."""
    return isinstance(labels[0], str) if labels.dtype.kind == "O" else labels.dtype.kind in TEXT


def check_left_out_classes(what: str, classes: Labels, codes: Codes) -> None:
    """Refuse a class with one row where rows of each class are left out in turn."""
    counts = np.bincount(codes, minlength=len(classes))
    if counts.min() < 2:
        [rare] = classes[[int(counts.argmin())]].tolist()
        raise ValueError(f"{what} needs two rows or more of each class, and {rare!r} has one.")


def class_factors(
    wanted: object, classes: Labels, codes: Codes, weights: Floats | None, whole: bool = True
) -> Floats | None:
    """What `class_weight` multiplies the rows of each class by; None for nothing.

    `whole` says that all rows are here: only then can classes be balanced, and a label in a dict be unknown.
    """
    if wanted is None:
        return None
    if isinstance(wanted, str) and wanted == "balanced":
        if whole:
            return balanced_weights(codes, len(classes), weights)
        raise ValueError("class_weight='balanced' needs all rows at once: for partial_fit give a dict of weights.")
    if not isinstance(wanted, Mapping):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {wanted!r}.")
    known = classes.tolist()
    unknown = [label for label in wanted if label not in known]
    if unknown and whole:
        hint = did_you_mean(unknown[0], known)
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not among the classes {known}{hint}")
    return np.array([_factor(label, wanted.get(label, 1.0)) for label in known])


def _factor(label: object, value: Any) -> float:
    try:
        factor = float(value)
    except (TypeError, ValueError):
        factor = np.nan
    if not 0 < factor < np.inf:
        what = f"class_weight must hold finite numbers above 0; for class {label!r} it has {value!r}"
        raise ValueError(f"{what}: leave out the rows of a class to ignore it." if factor == 0 else f"{what}.")
    return factor


def balanced_weights(codes: Codes, classes: int, weights: Floats | None = None) -> Floats:
    """rows / (classes * rows of the class), so that every class weighs the same; rows count by their weights."""
    counts = np.bincount(codes, weights, minlength=classes)
    balanced: Floats = np.divide(counts.sum(), classes * counts, out=np.zeros(classes), where=counts > 0)
    return balanced
