"""What a model does with rows, in pictures: signed distances, weights, and a projection onto two dimensions.

Weights and distances are measured in a space where weights are comparable (`weight_space.py`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.splitting import TEST
from ..foundation.types import Floats, Mask, Places
from .packed_arrays import pack_array
from .projection import widest_direction_within
from .row_lists import part_of_rows
from .seen_model import SeenModel
from .weight_space import WeightSpace

HISTOGRAM_BINS = 30  # an even number, so that 0 is an edge
OUTLIER_SHARE = 0.01  # of the rows may lie beyond the histogram's last edges; they count in the last bins
MAX_LISTED_WEIGHTS = 15
MAX_PROJECTED_ROWS = 1500
PLOTTED_HISTORY = ("mistakes", "loss", "objective", "gradient", "gap", "held_out")
Content = dict[str, Any]


def data_report(seen: SeenModel, shown_class: int, part: object = "measured") -> Content:
    """The pictures of one plane, of the rows of a part; with three classes or more, the plane of `shown_class`."""
    wanted = part_of_rows(seen, part)
    plane = plane_of(seen, shown_class)
    norm = 0.0 if seen.space is None else float(np.linalg.norm(seen.space.weights(plane)))
    distance = seen.scores[:, plane] / norm if norm else seen.scores[:, plane]
    return {
        "histogram": _histogram(distance[wanted], seen.codes[wanted], len(seen.classes)),
        "is_distance": bool(norm),
        "weights": None if seen.space is None else heaviest_weights(seen.space, plane),
        "projection": _projection(seen, plane, distance, wanted) if norm else None,
    }


def plane_of(seen: SeenModel, shown_class: int) -> int:
    """The plane that is shown for a class: the only one of two classes, or its own."""
    return 0 if seen.scores.shape[1] == 1 else shown_class


def heaviest_weights(space: WeightSpace, plane: int) -> list[Content]:
    """The weights of largest size with the names of their columns."""
    w = space.weights(plane)
    heaviest = np.argsort(-np.abs(w), kind="stable")[:MAX_LISTED_WEIGHTS]
    return [{"name": space.names[k], "weight": float(w[k])} for k in heaviest]


def _histogram(distance: Floats, codes: npt.NDArray[Any], classes: int) -> Content:
    """How many rows of each class lie how far from the plane; 0 is the edge of a bin.

    The few rows farthest away are counted in the outermost bins, so that they do not squash the others.
    """
    size = np.abs(distance)
    reach = float(np.quantile(size, 1 - OUTLIER_SHARE)) if len(size) else 0.0
    most = float(size.max(initial=0.0))
    reach = most if most <= 2 * reach or not reach else reach
    edges = np.linspace(-(reach or 1.0), reach or 1.0, HISTOGRAM_BINS + 1)
    inside = np.clip(distance, edges[0], edges[-1])
    counts = [np.histogram(inside[codes == k], edges)[0].tolist() for k in range(classes)]
    return {"edges": edges.tolist(), "counts": counts, "beyond": int((size > edges[-1]).sum())}


def _projection(seen: SeenModel, plane: int, distance: Floats, wanted: Mask) -> Content:
    """Some rows by their distance from the plane, and along the widest direction within it."""
    assert seen.space is not None
    every = np.flatnonzero(wanted)
    step = max(1, -(-len(every) // MAX_PROJECTED_ROWS))
    places: Places = every[::step]
    rows, w = seen.space.rows(places), seen.space.weights(plane)
    across = rows @ widest_direction_within(rows, w / np.linalg.norm(w))
    return {
        "distance": pack_array(distance[places], "<f4"),
        "across": pack_array(across, "<f4"),
        "class": pack_array(seen.codes[places], "<i4"),
        "wrong": pack_array(seen.decided[places] != seen.codes[places], "<i4"),
        "held_out": pack_array(seen.uses[places] == TEST, "<i4"),
        "row": pack_array(seen.numbers[places], "<i4"),
        "every": step,
    }


def plotted_history(history: Mapping[str, npt.NDArray[Any]]) -> Content:
    """The entries of a training history that the page plots."""
    return {name: np.asarray(history[name], dtype=float).tolist() for name in PLOTTED_HISTORY if name in history}
