"""The space that a learner works in, for recipes whose boundary is no straight line.

A lifted learner is linear in other coordinates: the page is told these, for the points and for a grid of cells, and
needs no rule to make them.
"""

from typing import Any

import numpy as np

from ..engine import Floats
from ..features import IDENTITY, Polynomial, features_of
from .packing import packed
from .request import Request

FEW = 10  # coordinates for which the grid is fine
FINE, COARSE = 61, 41  # cells a side, less one
Content = dict[str, Any]


def cells_of(request: Request, side: int) -> Floats:
    """The corners of the cells of the picture, row by row from below; along the axis in one dimension."""
    across = np.linspace(-request.reach[0], request.reach[0], side)
    if request.X.shape[1] == 1:
        return across[:, None]
    up = np.linspace(-request.reach[1], request.reach[1], side)
    return np.column_stack([np.tile(across, side), np.repeat(up, side)])


def lift(model: Any, request: Request) -> tuple[Content | None, Floats]:
    """What the page needs to draw a lifted learner, None where it is not, and the points as the learner sees them."""
    features = features_of(model)
    if features == IDENTITY:
        return None, request.X
    rows = np.asarray(features.transform(request.X))
    side = FINE if rows.shape[1] <= FEW else COARSE
    content = {
        "names": features.named(request.X.shape[1]),
        "rows": packed(rows),
        "cells": packed(features.transform(cells_of(request, side)), "<f4"),
        "side": side,
        "reach": list(request.reach),
        "flat": isinstance(features, Polynomial),  # whether the first coordinates are those of the picture
    }
    return content, rows
