"""The space that a learner works in, for recipes whose boundary is no straight line.

A lifted learner is linear in other coordinates: the page is told these, for the points and for a grid of cells, and
needs no rule to make them. Those of a kernel are the similarities to every point, and its weights the alphas.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..classifiers.kernel import KernelClassifier
from ..classifiers.linear import LinearClassifier
from ..foundation.types import Floats
from ..parts.features import IDENTITY, Polynomial, features_of
from ..parts.kernels import Support
from .packed_arrays import packed
from .run_request import Request

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


class Space(NamedTuple):
    """The points as the learner sees them; `lift` is what the page is told of it, None where there is no lift."""

    rows: Floats
    lift: Content | None


def space_of(model: LinearClassifier, request: Request) -> Space:
    features = features_of(model)
    if isinstance(model, KernelClassifier):
        names = [f"K{k}" for k in range(1, len(request.X) + 1)]
        return _space(request, partial(_similarities, model, request.X), names, False)
    if features == IDENTITY:
        return Space(request.X, None)
    return _space(request, features.transform, features.named(request.X.shape[1]), isinstance(features, Polynomial))


def _space(request: Request, transform: Callable[[Floats], Any], names: list[str], flat: bool) -> Space:
    rows = np.asarray(transform(request.X), dtype=np.float64)
    side = FINE if rows.shape[1] <= FEW else COARSE
    lift = {
        "names": names,
        "rows": packed(rows),
        "cells": packed(transform(cells_of(request, side)), "<f4"),
        "side": side,
        "reach": list(request.reach),
        "flat": flat,  # whether the first coordinates are those of the picture
    }
    return Space(rows, lift)


def _similarities(model: KernelClassifier, points: Floats, X: Floats) -> Floats:
    """K of each row of X with every point."""
    count = len(points)
    return Support(model._kernel(points), points).scores(X, np.eye(count), np.zeros(count), 1)


def weights_of(model: LinearClassifier, count: int) -> Floats:
    """The weights returned, one row a plane; those of a kernel are the alphas of all `count` points."""
    if not isinstance(model, KernelClassifier):
        return model.coef_
    alphas = np.zeros((len(model.dual_coef_), count))
    alphas[:, model.support_] = model.dual_coef_
    return alphas
