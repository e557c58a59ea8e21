"""Loss matrices: `loss_matrix[decision, truth]` is the cost of a decision.

Rows and columns are in the order of the classes. A last row may be for "reject". A matrix with names is a dict of
dicts, {decision: {truth: loss}}, or a pandas table with the decisions as its index. Right decisions that it leaves out
cost 0. Without a matrix a wrong decision costs 1 and a right one 0.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.types import Floats, Labels

REJECT = "reject"
MAX_LOSS = 1e200  # sums over any number of rows stay finite


def loss_array(loss_matrix: Any, classes: Labels) -> Floats:
    """The checked losses as an array with one row per decision and one column per class.

    >>> loss_array(None, np.array(["ham", "spam"]))
    array([[0., 1.],
           [1., 0.]])
    >>> loss_array({"ham": {"spam": 1}, "spam": {"ham": 10}, "reject": {"ham": 0.5, "spam": 0.5}},
    ...           np.array(["ham", "spam"]))
    array([[ 0. ,  1. ],
           [10. ,  0. ],
           [ 0.5,  0.5]])
    """
    if loss_matrix is None:
        return 1.0 - np.eye(len(classes))
    names = classes.tolist()
    losses = _from_names(named_losses(loss_matrix), names) if is_named(loss_matrix) else _from_array(loss_matrix, names)
    _check(losses, names)
    return losses


def is_named(loss_matrix: Any) -> bool:
    return isinstance(loss_matrix, Mapping) or _is_table(loss_matrix)


def named_losses(loss_matrix: Any) -> Mapping[Any, Any]:
    """A matrix with names, as {decision: {truth: loss}}."""
    return loss_matrix.to_dict("index") if _is_table(loss_matrix) else loss_matrix  # type: ignore[no-any-return]


def _is_table(value: Any) -> bool:
    return type(value).__name__ == "DataFrame" and type(value).__module__.partition(".")[0] == "pandas"


def _from_array(loss_matrix: Any, names: list[Any]) -> Floats:
    try:
        losses = np.array(loss_matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"loss_matrix must be numbers in rows of equal length, not {loss_matrix!r}.") from None
    k = len(names)
    if losses.shape not in ((k, k), (k + 1, k)):
        raise ValueError(
            f"loss_matrix has the shape {losses.shape}, but there are {k} classes, {_listed(names)}: it must be "
            f"{k} x {k}, a row a decision and a column a class, or {k + 1} x {k} with a last row for {REJECT!r}."
        )
    return losses


def _from_names(loss_matrix: Mapping[Any, Mapping[Any, Any]], names: list[Any]) -> Floats:
    decisions = [*names, REJECT] if REJECT in loss_matrix and REJECT not in names else names
    unknown = [name for name in loss_matrix if name not in decisions]
    if unknown or any(name not in loss_matrix for name in names):
        raise ValueError(
            f"loss_matrix must have a row for each class, {_listed(names)}, and may have one for {REJECT!r}: it has "
            f"rows for {_listed(list(loss_matrix))}."
        )
    losses = np.zeros((len(decisions), len(names)))
    for row, decision in enumerate(decisions):
        given = loss_matrix[decision]
        if not isinstance(given, Mapping) or not set(given) <= set(names):
            raise ValueError(f"loss_matrix[{decision!r}] must say {{class: loss}} for {_listed(names)}, not {given!r}.")
        for column, truth in enumerate(names):
            if truth not in given and truth != decision:
                raise ValueError(f"loss_matrix[{decision!r}] lacks the loss where {truth!r} is true.")
            losses[row, column] = given.get(truth, 0.0)
    return losses


def _check(losses: Floats, names: list[Any]) -> None:
    decisions = [*names, REJECT]
    bad = np.argwhere(~np.isfinite(losses))
    if len(bad):
        d, k = bad[0]
        raise ValueError(
            f"loss_matrix must be finite, but deciding {decisions[d]!r} where {names[k]!r} is true costs "
            f"{losses[d, k]}: give what it costs, as a large number if it must not happen."
        )
    if np.abs(losses).max() > MAX_LOSS:
        raise ValueError(
            f"loss_matrix has losses beyond {MAX_LOSS:g}, whose sums overflow: give them in a larger unit."
        )
    right = np.diagonal(losses[: len(names)])
    cheap = np.argwhere(losses < right)
    if len(cheap):
        d, k = cheap[0]
        raise ValueError(
            f"loss_matrix makes a wrong decision cheaper than the right one: where {names[k]!r} is true, deciding "
            f"{decisions[d]!r} costs {losses[d, k]:g}, and deciding {names[k]!r} {right[k]:g}. Rows are decisions and "
            "columns are truths; a gain is a loss with a minus sign."
        )


def _listed(names: list[Any]) -> str:
    shown = [repr(name) for name in names[:5]]
    return ", ".join([*shown, "..."] if len(names) > 5 else shown)
