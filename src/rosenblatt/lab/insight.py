"""What a linear model does with rows: distances, the rows that matter, weights, curves and a picture in two dimensions.

All is said in a space where weights can be compared: that of the columns centred and scaled, z = (x - centre) / scale,
or that of a table's encoder, which scales numbers itself.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats
from ..tables.encode.scaling import Scaling
from .packed_arrays import packed
from .table_rows import Rows

BINS, FEW_ROWS, FEW_COLUMNS, FEW_WEIGHTS, MOST_DOTS = 31, 15, 5, 15, 1500
MOST_MEASURED = 10_000  # rows that the widest direction is found from
Content = dict[str, Any]


class Planes(NamedTuple):
    """Weights and offsets for the columns as they are: one plane for two classes, one a class for more."""

    coef: Floats
    intercept: Floats


def insight(rows: Rows, planes: Planes, scaling: Scaling | None, shown: int) -> Content:
    """Everything about one plane; `shown` is the class whose plane it is, where there are several."""
    Z = rows.X if scaling is None else scaling.apply(rows.X)
    coef = planes.coef if scaling is None else planes.coef * scaling.scale
    scores = rows.X @ planes.coef.T + planes.intercept
    place = 0 if len(coef) == 1 else shown
    w, size = coef[place], float(np.linalg.norm(coef[place]))
    distance = scores[:, place] / size if size else np.zeros(Z.shape[0])
    lead, predicted = _leads(scores, rows.codes)
    if len(coef) == 1 and size:
        lead = lead / size  # as a distance
    heavy = np.argsort(-np.abs(w), kind="stable")
    return {
        "histogram": _histogram(distance, rows),
        "nearest": _listed(np.argsort(np.abs(lead), kind="stable"), lead, predicted, rows, heavy),
        "mistakes": _listed(_worst(lead), lead, predicted, rows, heavy),
        "wrong": int((lead <= 0).sum()),
        "weights": [{"name": rows.columns[k], "weight": float(w[k])} for k in heavy[:FEW_WEIGHTS]],
        "projection": _projection(Z, w, size, distance, rows),
    }


def _leads(scores: Floats, codes: npt.NDArray[Any]) -> tuple[Floats, npt.NDArray[np.intp]]:
    """How far each row's own class is ahead, at most 0 for a mistake, and the class that is predicted."""
    if scores.shape[1] == 1:
        lead = np.where(codes == 1, 1, -1) * scores[:, 0]
        return lead, (scores[:, 0] >= 0).astype(np.intp)
    own = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return own - others.max(axis=1), scores.argmax(axis=1)


def _worst(lead: Floats) -> npt.NDArray[np.intp]:
    order = np.argsort(lead, kind="stable")
    return order[lead[order] <= 0]


def _histogram(distance: Floats, rows: Rows) -> Content:
    """How many rows of each class lie how far from the plane; 0 is the edge of a bin."""
    far = float(np.abs(distance).max(initial=0.0)) or 1.0
    half = BINS // 2
    edges = np.linspace(-far, far, 2 * half + 1)
    counts = [np.histogram(distance[rows.codes == k], edges)[0].tolist() for k in range(len(rows.classes))]
    return {"edges": edges.tolist(), "counts": counts}


def _listed(
    order: npt.NDArray[np.intp], lead: Floats, predicted: npt.NDArray[Any], rows: Rows, heavy: npt.NDArray[np.intp]
) -> list[Content]:
    """The first few rows in an order, with the cells of the columns that weigh most."""
    columns = list(islice(dict.fromkeys(rows.owners[k] for k in heavy), FEW_COLUMNS))
    return [
        {
            "row": int(row) + 1,
            "class": rows.classes[rows.codes[row]],
            "predicted": rows.classes[predicted[row]],
            "margin": float(lead[row]),
            "values": {name: rows.cells(row, name) for name in columns},
        }
        for row in order[:FEW_ROWS].tolist()
    ]


def _projection(Z: Any, w: Floats, size: float, distance: Floats, rows: Rows) -> Content:
    """Rows by their distance from the plane and along the widest direction within it."""
    every = max(1, -(-Z.shape[0] // MOST_DOTS))
    taken = slice(None, None, every)
    some = Z[:: -(-Z.shape[0] // MOST_MEASURED)]
    across = Z[taken] @ widest_within(some, w / size if size else w)
    return {
        "distance": packed(distance[taken], "<f4"),
        "across": packed(across, "<f4"),
        "class": packed(rows.codes[taken], "<i4"),
        "every": every,
    }


def widest_within(Z: Any, unit: Floats) -> Floats:
    """The first principal direction of rows orthogonal to a unit vector, by power iteration. Z is not copied.

    >>> widest_within(np.array([[1.0, 0, 0], [0, 2.0, 0], [5.0, -2.0, 0]]), np.array([1.0, 0, 0])).tolist()[1]
    1.0
    """
    mean = np.asarray(Z.mean(axis=0), dtype=np.float64).ravel()

    def within(vector: Floats) -> Floats:
        return np.asarray(vector - unit * (unit @ vector))

    direction = _of_length_one(within(_farthest(Z, mean, unit) - mean))
    for _ in range(100):
        spread = Z @ direction - mean @ direction
        before, direction = direction, _of_length_one(within(Z.T @ spread - mean * spread.sum()))
        if float(np.abs(direction - before).max()) < 1e-9:
            break
    return direction if direction[np.argmax(np.abs(direction))] >= 0 else -direction


def _farthest(Z: Any, mean: Floats, unit: Floats) -> Floats:
    """The row farthest from the mean, as seen along the unit vector."""
    squares = (Z * Z).sum(axis=1) if isinstance(Z, np.ndarray) else Z.multiply(Z).sum(axis=1)
    far = np.asarray(squares, dtype=np.float64).ravel() - 2 * (Z @ mean) - (Z @ unit - mean @ unit) ** 2
    row = Z[int(np.argmax(far))]
    return np.asarray(row if isinstance(Z, np.ndarray) else row.toarray(), dtype=np.float64).ravel()


def _of_length_one(vector: Floats) -> Floats:
    """The vector at length 1; 0 stays 0."""
    size = float(np.linalg.norm(vector))
    return np.asarray(vector / size) if size else vector


def history_of(history: Mapping[str, npt.NDArray[Any]]) -> Content:
    """What happened in every epoch, as far as it can be plotted."""
    names = ("mistakes", "loss", "objective", "gradient", "gap", "held_out")
    return {name: np.asarray(history[name], dtype=float).tolist() for name in names if name in history}
