"""What the plots are made of: colours, frames, lines, and the numbers that they show."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.types import Floats, Labels
from ..parts.features import IDENTITY, features_of
from ..prove.margin.distances import margins

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
FILL = 0.18  # how strongly regions are coloured
NEAR = 0.01  # how far from the margin, as a share of it, a row is said to be on it
RISKS = {
    "training": "training risk",
    "confidence": "VC confidence",
    "bound": "bound: training + confidence",
    "held_out": "risk held out",
    "true": "true risk",
}


def axes(ax: Any) -> Any:
    """The axes given, or new ones."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('rosenblatt.plots needs matplotlib: pip install "rosenblatt[plot]".') from None
    return pyplot.subplots()[1] if ax is None else ax


def colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    return MARKERS[place % len(MARKERS)]


def line_style(place: int) -> dict[str, str]:
    return {"color": colour(place), "linestyle": LINES[place % len(LINES)]}


def two_columns(X: Any) -> Floats:
    """X as floats, if it is a plane."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"A plane has two columns: X has the shape {X.shape}. Choose two, or project onto two.")
    return np.asarray(X)


def check_lengths(rows: int, y: Labels) -> None:
    if not rows or y.shape != (rows,):
        raise ValueError(f"X and y must have a label a row, and rows: X has {rows}, y the shape {y.shape}.")


def frame(X: Floats) -> tuple[Floats, Floats]:
    """The corners of a picture with some air around the rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    air = np.where(high > low, (high - low) * 0.1, 1.0)
    return low - air, high + air


def predicted(model: Any, X: Floats) -> Labels:
    """Predictions for rows whose columns are in the order that the model knows, whether or not they have names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(model.predict(X))


def fill_regions(ax: Any, model: Any, classes: Labels, low: Floats, high: Floats, steps: int) -> None:
    """Colour each point of the frame by the class it is given."""
    from matplotlib.colors import ListedColormap

    across, up = np.meshgrid(np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps))
    given = predicted(model, np.column_stack([across.ravel(), up.ravel()]))
    codes = np.full(given.shape, np.nan)
    for k, label in enumerate(classes.tolist()):
        codes[given == label] = k  # what is none of the classes, such as "reject", stays white
    shown = np.ma.masked_invalid(codes.reshape(across.shape))
    colours = ListedColormap([colour(k) for k in range(len(classes))])
    ax.imshow(
        shown,
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        aspect="auto",
        cmap=colours,
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        alpha=FILL,
        interpolation="nearest",
        zorder=0,
    )


def bins_around_zero(values: Floats, count: int) -> Floats:
    """Edges of about so many bins of one width, one of them at 0, so that no bin holds both signs.

    >>> bins_around_zero(np.array([-0.5, 2.5]), 3).tolist()
    [-1.0, 0.0, 1.0, 2.0, 3.0]
    """
    width = (float(np.ptp(values)) or 1.0) / count
    return width * np.arange(np.floor(values.min() / width), np.floor(values.max() / width) + 2)


def is_line(model: Any) -> bool:
    """Whether it is a linear model of two classes that has a line, in the plane itself and not in a lift of it."""
    w = np.asarray(getattr(model, "coef_", ()))
    return w.shape == (1, 2) and bool(w.any()) and features_of(model) == IDENTITY


def draw_line(ax: Any, model: Any, X: Floats, y: Labels, margin: float | None, low: Floats, high: Floats) -> None:
    """The line of a linear model, its margin on both sides, and rings around the rows that are just there."""
    w, b = np.asarray(model.coef_, dtype=np.float64)[0], float(np.ravel(model.intercept_)[0])
    ax.plot(*_segment(w, b, low, high), color="black", label="boundary", zorder=2)
    each = margins(model, X, y)
    distance = float(each.min()) if margin is None else margin
    if distance <= 0:
        return
    for side in (distance, -distance):
        name = f"margin {distance:.3g}" if side > 0 else None
        ax.plot(*_segment(w, b - side * float(np.linalg.norm(w)), low, high), "k--", linewidth=1, label=name, zorder=2)
    nearest = X[np.abs(each - distance) <= NEAR * distance]
    ax.scatter(nearest[:, 0], nearest[:, 1], s=160, facecolors="none", edgecolors="black", zorder=3)


def _segment(w: Floats, b: float, low: Floats, high: Floats) -> Floats:
    """Two points of the line w.x + b = 0, well outside the frame on both sides."""
    middle = (low + high) / 2
    foot = middle - w * (w @ middle + b) / (w @ w)
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w) * 2 * np.linalg.norm(high - low)
    ends: Floats = np.column_stack([foot - along, foot + along])
    return ends


def last_step(model: Any) -> Any:
    """The classifier of a pipeline, such as `fit` returns; any other model is its own."""
    return model.steps[-1][1] if getattr(model, "steps", None) else model


def as_seen(model: Any, X: Any) -> Any:
    """Rows as the classifier of a pipeline sees them."""
    return X if last_step(model) is model else model[:-1].transform(X)


def named(models: Any) -> dict[str, Any]:
    """Several models by name; one by that of its class. Of pipelines, their classifiers."""
    if isinstance(models, Mapping):
        return {str(name): last_step(model) for name, model in models.items()}
    return {type(last_step(models)).__name__: last_step(models)}


def history_of(model: Any, what: str, name: str) -> Floats:
    """One entry of a model's history, if it was written down."""
    history = model.history_
    if what not in history or not np.isfinite(np.asarray(history[what], dtype=np.float64)).any():
        hint = ' Fit it with criterion="loss".' if what in ("objective", "loss") else ""
        there = ", ".join(key for key in history if np.isfinite(np.asarray(history[key], dtype=np.float64)).any())
        raise ValueError(f"The history of {name} has no {what}; it has {there}.{hint}")
    return np.asarray(history[what])


def epochs_of(model: Any, against: str, count: int, name: str) -> Floats:
    """Where on the axis below each epoch stands."""
    if against == "epochs":
        return np.arange(1.0, count + 1)
    if against not in ("visits", "seconds"):
        raise ValueError(f'against must be "epochs", "visits" or "seconds", not {against!r}.')
    return history_of(model, against, name)


def risk_columns(record: Any) -> dict[str, Floats]:
    """What there is to draw, in the order of RISKS; the bound is worked out if it is not given.

    `StructuralRisk` says `training_risk` and `held_out_risk`, as elsewhere it would not be clear of what.
    """
    if isinstance(record, Mapping):
        record = {str(name).removesuffix("_risk"): values for name, values in record.items()}
    if not isinstance(record, Mapping) or not {"capacity", "training"} <= set(record):
        raise ValueError(f"record must map capacity and training to equally long lists, not {record!r}.")
    columns = {name: np.asarray(record[name], dtype=np.float64) for name in ("capacity", *RISKS) if name in record}
    if "confidence" in columns and "bound" not in columns:
        columns["bound"] = columns["training"] + columns["confidence"]
    if len({values.shape for values in columns.values()}) > 1 or not columns["capacity"].size:
        lengths = {name: len(values) for name, values in columns.items()}
        raise ValueError(f"The lists of record must be equally long and not empty: they have {lengths}.")
    return {name: columns[name] for name in ("capacity", *RISKS) if name in columns}


def weights_of(model: Any, label: Any) -> tuple[Floats, Any]:
    """The weights that speak for a class, and that class."""
    coef, classes = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)), np.asarray(model.classes_).tolist()
    if label is not None and label not in classes:
        raise ValueError(f"label must be one of the classes {classes}, not {label!r}.")
    if len(coef) == 1:
        return (-coef[0], label) if label == classes[0] and label is not None else (coef[0], classes[1])
    if label is None:
        raise ValueError(f"This model has weights for each of its classes: choose one by label, of {classes}.")
    return coef[classes.index(label)], label


def column_names(model: Any, columns: int, names: Any) -> list[str]:
    """The names given, those the model knows, or numbers. A lifted model has a weight for each of its terms."""
    if names is None and last_step(model) is not model:
        before = model[:-1].get_feature_names_out()
        names, model = (before if len(before) == columns else None), last_step(model)
    if names is None and callable(getattr(model, "get_feature_names_out", None)):
        names = model.get_feature_names_out()
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{column + 1}" for column in range(columns)])
    if len(names) != columns:
        raise ValueError(f"names must be {columns}, one a column, not {len(names)}.")
    return [str(name) for name in names]


def axis_names(model: Any) -> list[str]:
    """The names of the two columns of a plane."""
    return [str(name) for name in getattr(model, "feature_names_in_", ["x1", "x2"])]
