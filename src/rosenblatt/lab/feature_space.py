"""The feature space of a classifier whose boundary is not a straight line.

A lifted classifier is linear in other coordinates. The page receives these coordinates for the points and for a grid of
the picture, so it needs no formula for them. The coordinates of a kernel are its similarities to every point, and its
weights are the alphas.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..classifiers.kernel import KernelClassifier
from ..classifiers.linear import LinearClassifier
from ..classifiers.training_problem import KernelProblem, TrainingProblem
from ..foundation.types import Floats
from ..parts.features import IDENTITY, Polynomial, as_features
from ..parts.kernels import Kernel, Support
from .packed_arrays import pack_array
from .run_request import RunRequest

MAX_FINE_COLUMNS = 10  # with more coordinates the grid is coarse
FINE_GRID, COARSE_GRID = 61, 41  # grid points a side
Content = dict[str, Any]


class FeatureSpace(NamedTuple):
    """The points in the classifier's coordinates; `lift` is the content for the page, None if nothing is lifted."""

    rows: Floats
    lift: Content | None


def feature_space(problem: TrainingProblem, request: RunRequest) -> FeatureSpace:
    """The space in which the classifier of a problem is linear, for the points of a request."""
    features = as_features(problem.plan.recipe.features)
    if isinstance(problem, KernelProblem):
        names = [f"K{k}" for k in range(1, len(request.X) + 1)]
        return _lifted_space(request, partial(_similarities, problem.kernel, request.X), names, False)
    if features == IDENTITY:
        return FeatureSpace(request.X, None)
    names = features.named(request.X.shape[1])
    return _lifted_space(request, features.transform, names, isinstance(features, Polynomial))


def _lifted_space(
    request: RunRequest, transform: Callable[[Floats], Any], names: list[str], flat: bool
) -> FeatureSpace:
    rows = np.asarray(transform(request.X), dtype=np.float64)
    side = FINE_GRID if rows.shape[1] <= MAX_FINE_COLUMNS else COARSE_GRID
    lift = {
        "names": names,
        "rows": pack_array(rows),
        "cells": pack_array(transform(grid_points(request, side)), "<f4"),
        "side": side,
        "reach": list(request.reach),
        "flat": flat,  # whether the first coordinates are those of the picture
    }
    return FeatureSpace(rows, lift)


def grid_points(request: RunRequest, side: int) -> Floats:
    """A grid over the picture, row by row from below; in one dimension, points along the axis."""
    across = np.linspace(-request.reach[0], request.reach[0], side)
    if request.X.shape[1] == 1:
        return across[:, None]
    up = np.linspace(-request.reach[1], request.reach[1], side)
    return np.column_stack([np.tile(across, side), np.repeat(up, side)])


def _similarities(kernel: Kernel, points: Floats, X: Floats) -> Floats:
    """The kernel of each row of X with every point."""
    count = len(points)
    return Support(kernel, points).scores(X, np.eye(count), np.zeros(count), 1)


def returned_weights(model: LinearClassifier, count: int) -> Floats:
    """The weights that the model returns, one row a plane; for a kernel, the alphas of all `count` points."""
    if not isinstance(model, KernelClassifier):
        return model.coef_
    alphas = np.zeros((len(model.dual_coef_), count))
    alphas[:, model.support_] = model.dual_coef_
    return alphas
