"""What a linear model does with the rows of a table: distances, nearest rows, mistakes, weights and a 2-D projection.

Everything is measured in a space where weights are comparable: the columns centred and scaled,
z = (x - centre) / scale, or the columns of a table's encoder, which scales numbers itself.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats
from ..tables.encode.scaling import Scaling
from .packed_arrays import pack_array
from .projection import widest_direction_within
from .table_rows import TableRows

HISTOGRAM_BINS = 30  # an even number, so that 0 is an edge
MAX_LISTED_ROWS, MAX_LISTED_COLUMNS, MAX_LISTED_WEIGHTS = 15, 5, 15
MAX_PROJECTED_ROWS = 1500
MAX_MEASURED_ROWS = 10_000  # to find the widest direction
PLOTTED_HISTORY = ("mistakes", "loss", "objective", "gradient", "gap", "held_out")
Content = dict[str, Any]


class Hyperplanes(NamedTuple):
    """Weights and offsets for the unscaled columns: one plane for two classes, one for each class otherwise."""

    coef: Floats
    intercept: Floats


class Leads(NamedTuple):
    """How far the score of each row's own class is ahead (at most 0 for a mistake), and the predicted class."""

    lead: Floats
    predicted: npt.NDArray[np.intp]


def data_report(rows: TableRows, planes: Hyperplanes, scaling: Scaling | None, shown_class: int) -> Content:
    """The report on one plane: with three classes or more, the plane of `shown_class`."""
    Z = rows.X if scaling is None else scaling.apply(rows.X)
    coef = planes.coef if scaling is None else planes.coef * scaling.scale
    scores = rows.X @ planes.coef.T + planes.intercept
    place = 0 if len(coef) == 1 else shown_class
    w, norm = coef[place], float(np.linalg.norm(coef[place]))
    distance = scores[:, place] / norm if norm else np.zeros(Z.shape[0])
    leads = _leads(scores, rows.codes)
    if len(coef) == 1 and norm:
        leads = leads._replace(lead=leads.lead / norm)  # as a distance
    heaviest = np.argsort(-np.abs(w), kind="stable")
    return {
        "histogram": _histogram(distance, rows),
        "nearest": _list_rows(np.argsort(np.abs(leads.lead), kind="stable"), leads, rows, heaviest),
        "mistakes": _list_rows(_worst_mistakes(leads.lead), leads, rows, heaviest),
        "wrong": int((leads.lead <= 0).sum()),
        "weights": heaviest_weights(w, rows.columns),
        "projection": _projection(Z, w / norm if norm else w, distance, rows),
    }


def heaviest_weights(w: Floats, columns: list[str]) -> list[Content]:
    """The weights of largest size with the names of their columns."""
    heaviest = np.argsort(-np.abs(w), kind="stable")[:MAX_LISTED_WEIGHTS]
    return [{"name": columns[k], "weight": float(w[k])} for k in heaviest]


def _leads(scores: Floats, codes: npt.NDArray[Any]) -> Leads:
    if scores.shape[1] == 1:
        lead = np.where(codes == 1, 1, -1) * scores[:, 0]
        return Leads(lead, (scores[:, 0] >= 0).astype(np.intp))
    own = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return Leads(own - others.max(axis=1), scores.argmax(axis=1))


def _worst_mistakes(lead: Floats) -> npt.NDArray[np.intp]:
    order = np.argsort(lead, kind="stable")
    return order[lead[order] <= 0]


def _histogram(distance: Floats, rows: TableRows) -> Content:
    """How many rows of each class lie how far from the plane; 0 is the edge of a bin."""
    farthest = float(np.abs(distance).max(initial=0.0)) or 1.0
    edges = np.linspace(-farthest, farthest, HISTOGRAM_BINS + 1)
    counts = [np.histogram(distance[rows.codes == k], edges)[0].tolist() for k in range(len(rows.classes))]
    return {"edges": edges.tolist(), "counts": counts}


def _list_rows(
    order: npt.NDArray[np.intp], leads: Leads, rows: TableRows, heaviest: npt.NDArray[np.intp]
) -> list[Content]:
    """The first rows in an order, with their cells in the columns of largest weight."""
    columns = list(islice(dict.fromkeys(rows.owners[k] for k in heaviest), MAX_LISTED_COLUMNS))
    return [
        {
            "row": int(row) + 1,
            "class": rows.classes[rows.codes[row]],
            "predicted": rows.classes[leads.predicted[row]],
            "margin": float(leads.lead[row]),
            "values": {name: rows.cells(row, name) for name in columns},
        }
        for row in order[:MAX_LISTED_ROWS].tolist()
    ]


def _projection(Z: Any, unit: Floats, distance: Floats, rows: TableRows) -> Content:
    """Every n-th row by its distance from the plane, and along the widest direction within it."""
    every = max(1, -(-Z.shape[0] // MAX_PROJECTED_ROWS))
    taken = slice(None, None, every)
    measured = Z[:: -(-Z.shape[0] // MAX_MEASURED_ROWS)]
    across = Z[taken] @ widest_direction_within(measured, unit)
    return {
        "distance": pack_array(distance[taken], "<f4"),
        "across": pack_array(across, "<f4"),
        "class": pack_array(rows.codes[taken], "<i4"),
        "every": every,
    }


def plotted_history(history: Mapping[str, npt.NDArray[Any]]) -> Content:
    """The entries of a training history that the page plots."""
    return {name: np.asarray(history[name], dtype=float).tolist() for name in PLOTTED_HISTORY if name in history}
