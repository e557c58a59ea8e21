"""The empirical risk: the mean loss of decisions, (1 / L) sum W(decision, truth)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.labels import codes_of, extend_classes
from ..foundation.types import Codes, Floats, Labels
from .loss_matrix import REJECT, is_named, loss_array, named_losses


def empirical_risk(
    y: Any, decision: Any, loss_matrix: Any = None, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """The mean loss of decisions on rows whose classes y are known.

    Without a loss matrix it is the share of wrong decisions. `loss_matrix[decision, truth]` has a row and a column for
    each class, in the order of `classes` (by default the sorted labels of y and the decisions). A last row may be for
    the decision "reject". A dict names them: {decision: {truth: loss}}. `sample_weight` holds weights of the rows.

    >>> truth = ["ham", "ham", "ham", "spam"]
    >>> empirical_risk(truth, ["ham", "spam", "ham", "spam"])
    0.25
    >>> empirical_risk(truth, ["ham", "spam", "ham", "ham"], [[0, 1], [10, 0]])  # ham called spam costs 10
    2.75
    >>> empirical_risk(truth, ["ham", "reject", "ham", "ham"], [[0, 1], [10, 0], [0.5, 0.5]])
    0.375
    """
    losses, counts = count_losses(y, decision, loss_matrix, classes, sample_weight)
    return float((losses * counts).sum() / counts.sum())


def count_losses(
    y: Any, decision: Any, loss_matrix: Any, classes: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats]:
    """The loss of each decision and truth, and the number of rows (or their weight) that meet it."""
    truths, decisions = _label_array(y, "y"), _label_array(decision, "decision")
    if len(truths) != len(decisions):
        raise ValueError(f"y has {len(truths)} labels, but there are {len(decisions)} decisions.")
    if not len(truths):
        raise ValueError("There are no rows to take the risk of.")
    rejected = _find_rejected(truths, decisions, classes)
    names, true, decided = _encode_labels(truths, decisions, rejected, loss_matrix, classes)
    losses = loss_array(loss_matrix, names)
    if rejected.any() and len(losses) == len(names):
        raise ValueError(
            f"Row {int(np.flatnonzero(rejected)[0])} is rejected, but loss_matrix has no row that says what "
            f"{REJECT!r} costs: add it as the last one."
        )
    weights = None if sample_weight is None else _check_weights(sample_weight, len(truths))
    places = decided.astype(np.intp) * len(names) + true
    counts = np.bincount(places, weights=weights, minlength=losses.size).astype(np.float64)
    return losses, counts.reshape(losses.shape)


def _find_rejected(truths: Labels, decisions: Labels, classes: Any) -> npt.NDArray[np.bool_]:
    """Which decisions are "reject", unless that is the name of a class."""
    if (
        decisions.dtype.kind not in "OU"
        or REJECT in truths.tolist()
        or (classes is not None and REJECT in list(classes))
    ):
        return np.zeros(len(decisions), dtype=bool)
    return np.asarray(decisions == REJECT, dtype=bool)


def _check_weights(sample_weight: Any, rows: int) -> Floats:
    weights: Floats = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight must have one weight a row: {rows}, not an array of shape {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be finite and not negative, and not 0 for all rows.")
    return weights


def _label_array(labels: Any, name: str) -> Labels:
    """Labels as an array: of objects, unless they are an array already."""
    plain: Labels = labels if isinstance(labels, np.ndarray) else np.array(labels, dtype=object)
    if plain.ndim != 1:
        raise ValueError(f"{name} must be one label a row, not an array of shape {plain.shape}.")
    missing = np.zeros(len(plain), dtype=bool)
    if plain.dtype.kind == "f":
        missing = np.isnan(plain)
    elif plain.dtype == object:
        missing = np.array([_is_missing(label) for label in plain.tolist()], dtype=bool)
    if missing.any():
        raise ValueError(f"{name} has no label in row {int(np.flatnonzero(missing)[0])}.")
    return plain


def _is_missing(label: Any) -> bool:
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _typed_labels(labels: Labels) -> Labels:
    """Labels as an array of numbers or of text."""
    if labels.dtype != object:
        return labels
    if len({isinstance(label, str) for label in labels.tolist()}) > 1:
        raise ValueError("Labels must be all text or all numbers, not both.")
    return np.array(labels.tolist())


def _encode_labels(
    truths: Labels, decisions: Labels, rejected: npt.NDArray[np.bool_], loss_matrix: Any, classes: Any
) -> tuple[Labels, Codes, Codes]:
    """The classes in the order of the loss matrix, and the class numbers of truths and decisions; "reject" is last."""
    true, kept = _typed_labels(truths), _typed_labels(decisions[~rejected])
    known = _named_classes(loss_matrix, classes)
    found = extend_classes(known, true, kept).classes
    names = known if len(known) else found
    unknown = [label for label in found.tolist() if label not in set(names.tolist())]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is among the labels, but not among the classes {names.tolist()!r}.")
    order = np.argsort(names, kind="stable")
    decided = np.full(len(truths), len(names), dtype=np.int32)
    decided[~rejected] = _codes(kept, names, order)
    return names, _codes(true, names, order), decided


def _named_classes(loss_matrix: Any, classes: Any) -> Labels:
    """The given classes, or those that a loss matrix names; empty if there are neither."""
    if classes is not None:
        names = _typed_labels(_label_array(classes, "classes"))
    elif is_named(loss_matrix):
        names = np.array([name for name in named_losses(loss_matrix) if name != REJECT])
    else:
        return np.array([])
    if len(set(names.tolist())) < len(names):
        raise ValueError(f"classes must differ from each other, not {names.tolist()!r}.")
    return names


def _codes(labels: Labels, names: Labels, order: Any) -> Codes:
    if not len(labels):
        return np.zeros(0, dtype=np.int32)
    codes = codes_of(labels, names[order])
    assert codes is not None
    return order[codes].astype(np.int32)  # type: ignore[no-any-return]
