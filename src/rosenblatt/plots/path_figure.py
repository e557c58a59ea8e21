"""The figure of a regularization path: every weight against C."""

from typing import Any

import numpy as np

from ..foundation.types import Floats
from ..solvers.penalty_path import RegularizationPath
from .style import axes_or_new, line_style

MAX_LINES = 300  # drawn; with more of them the figure takes long and shows no more


def path(found: RegularizationPath, *, names: Any = None, top: int = 8, label: Any = None, ax: Any = None) -> Any:
    """The weights of all columns against C, as `regularization_path` found them. Weights of 0 throughout are left out.

    The `top` strongest columns, by the largest |w| anywhere, have colours and their names beside the last weight. Other
    lines are grey, and have their column's name as label as well. `names` defaults to those of the data frame, or x1,
    x2, ... `label` chooses a class if there are several.

    >>> from rosenblatt import LogisticRegression, regularization_path
    >>> X, y = [[0, 3], [1, 2], [2, 1], [3, 1], [4, 2]], [0, 0, 1, 0, 1]
    >>> ax = path(regularization_path(X, y, LogisticRegression(penalty="l1")), names=["height", "width"])
    >>> [text.get_text().strip() for text in ax.texts], ax.get_xlabel()
    (['height', 'width'], 'C, weaker penalty to the right')
    """
    if not isinstance(found, RegularizationPath):
        raise TypeError(f"path draws the result of regularization_path(X, y), not {found!r}.")
    weights, named = _class_weights(found, label), _names(found, names)
    largest = np.abs(weights).max(axis=0)
    strongest = np.argsort(-largest, kind="stable")[:MAX_LINES]
    drawn = strongest[largest[strongest] > 0]
    ax = axes_or_new(ax)
    for column in drawn[top:][::-1]:
        ax.plot(found.C, weights[:, column], color="0.75", linewidth=0.8, label=named[column])
    for place, column in enumerate(drawn[:top]):
        style = line_style(place)
        ax.plot(found.C, weights[:, column], label=named[column], **style)
        ax.annotate(f" {named[column]}", (found.C[-1], weights[-1, column]), va="center", color=style["color"])
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set(xscale="log", xlabel="C, weaker penalty to the right", ylabel="weight")
    return ax


def _class_weights(found: RegularizationPath, label: Any) -> Floats:
    """The weights in favour of one class, a row for each C."""
    classes, planes = found.classes.tolist(), found.coef.shape[1]
    if label is None and planes > 1:
        raise ValueError(f"This path has weights for each of its classes: choose one by label, of {classes}.")
    if label is not None and label not in classes:
        raise ValueError(f"label must be one of the classes {classes}, not {label!r}.")
    if planes > 1:
        return found.coef[:, classes.index(label)]
    return -found.coef[:, 0] if label is not None and label == classes[0] else found.coef[:, 0]


def _names(found: RegularizationPath, names: Any) -> list[str]:
    columns = found.coef.shape[2]
    if names is None:
        names = [f"x{column + 1}" for column in range(columns)] if found.names is None else found.names
    if len(names) != columns:
        raise ValueError(f"names must be {columns}, one for each column, not {len(names)}.")
    return [str(name) for name in names]
