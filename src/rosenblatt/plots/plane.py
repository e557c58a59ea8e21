"""The plane of two columns: its frame, the regions of the predicted classes, and the line of a linear model."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..foundation.matrices import as_floats, is_sparse
from ..foundation.types import Floats, Labels
from ..parts.features import IDENTITY, features_of
from ..prove.margin.distances import margins
from .style import colour, ring_style

REGION_ALPHA = 0.18
MARGIN_TOLERANCE = 0.01  # a row on the margin may be this share of it away


class Frame(NamedTuple):
    """The lower left and the upper right corner of a picture."""

    low: Floats
    high: Floats


def frame_around(X: Floats) -> Frame:
    """A frame with some space around the rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    space = np.where(high > low, (high - low) * 0.1, 1.0)
    return Frame(low - space, high + space)


def two_columns(X: Any) -> Floats:
    """X as floats, refused if it does not have two columns."""
    X = X if is_sparse(X) else as_floats(X)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"A plane has two columns: X has the shape {X.shape}. Choose two, or project onto two.")
    return as_floats(X)


def predict(model: Any, X: Floats) -> Labels:
    """Predictions for rows whose columns are in the model's order, with or without names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(model.predict(X))


def fill_regions(ax: Any, model: Any, classes: Labels, frame: Frame, steps: int) -> None:
    """Colour each point of the frame by its predicted class."""
    from matplotlib.colors import ListedColormap

    (left, bottom), (right, top) = frame.low, frame.high
    across, up = np.meshgrid(np.linspace(left, right, steps), np.linspace(bottom, top, steps))
    predicted = predict(model, np.column_stack([across.ravel(), up.ravel()]))
    codes = np.full(predicted.shape, np.nan)
    for k, label in enumerate(classes.tolist()):
        codes[predicted == label] = k  # a decision that is no class, such as "reject", stays white
    ax.imshow(
        np.ma.masked_invalid(codes.reshape(across.shape)),
        origin="lower",
        extent=(left, right, bottom, top),
        aspect="auto",
        cmap=ListedColormap([colour(k) for k in range(len(classes))]),
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        alpha=REGION_ALPHA,
        interpolation="nearest",
        zorder=0,
    )


def has_line(model: Any) -> bool:
    """Whether a model of two classes has a line in the plane: it is linear, and its features are the columns."""
    w = np.asarray(getattr(model, "coef_", ()))
    return w.shape == (1, 2) and bool(w.any()) and features_of(model) == IDENTITY


def draw_line(ax: Any, model: Any, X: Floats, y: Labels, margin: float | None, frame: Frame) -> None:
    """The line of a linear model, its margin on both sides, and rings around the rows on the margin."""
    w, b = np.asarray(model.coef_, dtype=np.float64)[0], float(np.ravel(model.intercept_)[0])
    ax.plot(*_segment(w, b, frame), color="black", label="boundary", zorder=2)
    row_margins = margins(model, X, y)
    distance = float(row_margins.min()) if margin is None else margin
    if distance <= 0:
        return
    for side in (distance, -distance):
        name = f"margin {distance:.3g}" if side > 0 else None
        ax.plot(*_segment(w, b - side * float(np.linalg.norm(w)), frame), "k--", linewidth=1, label=name, zorder=2)
    on_margin = X[np.abs(row_margins - distance) <= MARGIN_TOLERANCE * distance]
    ax.scatter(on_margin[:, 0], on_margin[:, 1], zorder=3, **ring_style())


def _segment(w: Floats, b: float, frame: Frame) -> Floats:
    """Two points of the line w.x + b = 0, outside the frame on both sides."""
    middle = (frame.low + frame.high) / 2
    foot = middle - w * (w @ middle + b) / (w @ w)
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w) * 2 * np.linalg.norm(frame.high - frame.low)
    ends: Floats = np.column_stack([foot - along, foot + along])
    return ends


def axis_names(model: Any) -> list[str]:
    """The names of the two columns of the plane."""
    return [str(name) for name in getattr(model, "feature_names_in_", ["x1", "x2"])]
