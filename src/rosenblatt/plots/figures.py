"""Pictures of models, runs and risks, with matplotlib (`pip install "rosenblatt[plot]"`).

Each function draws on the axes given, or on new ones, and returns them, so that titles, limits and files are yours to
choose. Classes differ by colour and by shape; the colours are those of Okabe and Ito, which colour-blind readers can
tell apart.
"""

from math import isfinite
from typing import Any

import numpy as np

from ..prove.margin.distances import signed_distance
from ..prove.mistakes.audit import Audit
from .drawing import (
    RISKS,
    as_seen,
    axes,
    axis_names,
    bins_around_zero,
    check_lengths,
    colour,
    column_names,
    draw_line,
    epochs_of,
    fill_regions,
    frame,
    history_of,
    is_line,
    last_step,
    line_style,
    marker,
    named,
    predicted,
    risk_columns,
    two_columns,
    weights_of,
)


def decision_regions(
    model: Any, X: Any, y: Any, *, margin: float | None = None, ax: Any = None, steps: int = 300
) -> Any:
    """The classes that a classifier gives to the points of a plane, and the rows in it.

    X must have two columns. Misclassified rows have a black edge. A linear model of two classes has its line drawn, and
    dashed lines at the distance `margin`: by default the least margin of the rows, if all are right. Rows whose margin
    is within 1 % of it are ringed. For a `LinearSVM` the hinge's own distance is 1 / ||w||.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = decision_regions(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> ax.get_legend_handles_labels()[1]
    ['-1', '1', 'boundary', 'margin 0.707']
    """
    X, y = two_columns(X), np.asarray(y)
    check_lengths(len(X), y)
    ax = axes(ax)
    low, high = frame(X)
    classes = np.asarray(model.classes_)
    fill_regions(ax, model, classes, low, high, steps)
    right = predicted(model, X) == y
    for k, label in enumerate(classes.tolist()):
        for correct in (True, False):
            rows = X[(y == label) & (right == correct)]
            edge = "white" if correct else "black"
            style = {"c": colour(k), "marker": marker(k), "edgecolors": edge, "linewidths": 0.8 if correct else 1.6}
            ax.scatter(rows[:, 0], rows[:, 1], s=40, label=str(label) if correct else None, zorder=3, **style)
    if is_line(model):
        draw_line(ax, model, X, y, margin, low, high)
    across, up = axis_names(model)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=across, ylabel=up)
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax


def mistakes_against_bound(checked: Audit, *, ax: Any = None) -> Any:
    """The two curves of Novikoff's proof: what w has along w*, and its length, between the lines that must meet.

    `checked` is the answer of `audit`. After k mistakes w.w* is at least k eta gamma and ||w|| at most sqrt(k) eta R.
    Both lines are drawn up to where they cross: the bound. Rows that cannot be separated have no w*, and only the upper
    line.

    >>> from rosenblatt import Perceptron, audit
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = mistakes_against_bound(audit(Perceptron(order="cyclic").fit(X, y, trace=True), X, y))
    >>> ax.get_title()
    '7 mistakes, at most 117 possible'
    """
    if not isinstance(checked, Audit):
        raise TypeError(f"mistakes_against_bound draws the answer of audit(model, X, y), not {checked!r}.")
    ax = axes(ax)
    record, bound = checked.record, checked.bound.bound
    k = np.asarray(record["mistake"], dtype=np.float64)
    if not len(k):
        raise ValueError("There is nothing to plot: the run made no mistake.")
    end = bound if isfinite(bound) else float(k[-1])
    ahead = np.geomspace(1, max(end, k[-1]), 100)
    longest = np.sqrt(record["most_squared_norm"][0])
    ax.plot(ahead, longest * np.sqrt(ahead), "--", color=colour(1), label="||w|| at most: sqrt(k) eta R")
    ax.plot(k, np.sqrt(record["squared_norm"]), color=colour(1), label="||w||")
    if isfinite(bound):
        least = record["least_progress"][0]
        ax.plot(k, record["progress"], color=colour(0), label="w.w*")
        ax.plot(ahead, least * ahead, "--", color=colour(0), label="w.w* at least: k eta gamma")
        ax.axvline(bound, color="black", linestyle=":", label=f"bound (R / gamma)^2 = {bound:.4g}")
    ax.set(xscale="log", yscale="log", xlabel="mistakes k", ylabel="length")
    limit = f"at most {bound:.4g} possible" if isfinite(bound) else "no bound: not separable"
    ax.set_title(f"{checked.mistakes} mistakes, {limit}")
    ax.legend(loc="upper left")
    return ax


def learning_curves(models: Any, what: str = "mistakes", *, against: str = "epochs", ax: Any = None) -> Any:
    """An entry of `history_`, epoch by epoch, of one model or of several: {name: model}.

    `what` is a key of `history_`: "mistakes", "loss", "objective", "updates", "held_out", ...; `against` is "epochs",
    "visits" or "seconds".

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = learning_curves(Perceptron(order="cyclic").fit(X, y))
    >>> ax.lines[0].get_ydata().tolist()
    [2, 1, 1, 2, 1, 0]
    """
    ax = axes(ax)
    for place, (name, model) in enumerate(named(models).items()):
        values = history_of(model, what, name)
        ax.plot(epochs_of(model, against, len(values), name), values, label=name, **line_style(place))
    ax.set(xlabel=against, ylabel=what.replace("_", " "))
    ax.legend(loc="best")
    return ax


def descents(models: Any, *, optimum: float | None = None, ax: Any = None) -> Any:
    """The objective after each pass of gradient descent, plain and stochastic: {name: model}.

    Fit the models with `criterion="loss"`, or their history has no objective. With `optimum`, that of a model that went
    there, the height above it is drawn, as a share of it and on a logarithmic scale: straight lines are fast.

    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    >>> best = LogisticRegression().fit(X, y).objective_
    >>> runs = {kind: LogisticRegression(solver=kind, criterion="loss", tol=3.0, random_state=0).fit(X, y)
    ...         for kind in ("gd", "sgd")}
    >>> descents(runs, optimum=best).get_ylabel()
    'objective above the optimum'
    """
    ax = axes(ax)
    for place, (name, model) in enumerate(named(models).items()):
        values = history_of(model, "objective", name)
        if optimum is not None:
            values = values / optimum - 1
        ax.plot(np.arange(1, len(values) + 1), values, label=name, **line_style(place))
    ax.set(xlabel="passes over the rows", ylabel="objective" if optimum is None else "objective above the optimum")
    if optimum is not None:
        ax.set_yscale("log")
    ax.legend(loc="best")
    return ax


def risk_against_capacity(record: Any, *, ax: Any = None) -> Any:
    """Training risk, the bound on the true risk and the risk held out, over the capacity of nested classes.

    `record` is the `record_` of a `StructuralRisk`, or maps names to equally long lists: `capacity` (VC dimensions),
    `training`, and those there are of `confidence` (the VC term), `bound`, `held_out` and `true`. The least of each of
    the last three is ringed: the training risk goes on falling where they have turned.

    >>> ax = risk_against_capacity({"capacity": [2, 3, 4], "training": [0.3, 0.1, 0.05], "confidence": [0.2, 0.3, 0.5]})
    >>> [line.get_label() for line in ax.lines]
    ['training risk', 'VC confidence', 'bound: training + confidence']
    """
    columns = risk_columns(record)
    ax = axes(ax)
    capacity = columns.pop("capacity")
    for place, (name, values) in enumerate(columns.items()):
        ax.plot(capacity, values, marker=marker(place), markersize=5, label=RISKS[name], **line_style(place))
        if name in ("bound", "held_out", "true"):
            least = int(np.nanargmin(values))
            ring = {"s": 160, "facecolors": "none", "edgecolors": colour(place), "linewidths": 1.5}
            ax.scatter(capacity[least], values[least], **ring)
    if "bound" in columns and np.nanmax(columns["bound"]) >= 1:
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":", label="from here on a bound says nothing")
    ax.set(xlabel="capacity (VC dimension)", ylabel="risk")
    ax.legend(loc="best")
    return ax


def signed_distances(model: Any, X: Any, y: Any, *, bins: int = 40, ax: Any = None) -> Any:
    """A histogram, class by class, of the rows' distances from the hyperplane of a linear model of two classes.

    Distances of a pipeline are those in the space of its last step.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = signed_distances(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> ax.get_legend_handles_labels()[1]
    ['-1: 0 of 1 on the wrong side', '1: 0 of 2 on the wrong side']
    """
    distances, y = signed_distance(last_step(model), as_seen(model, X)), np.asarray(y)
    if distances.ndim != 1:
        raise ValueError(f"signed_distances is for two classes; this model has {distances.shape[1]} hyperplanes.")
    check_lengths(len(distances), y)
    ax = axes(ax)
    edges = bins_around_zero(distances, bins)
    for k, label in enumerate(np.asarray(model.classes_).tolist()):
        own = distances[y == label]
        wrong = int(((own < 0) if k else (own >= 0)).sum())
        name = f"{label}: {wrong} of {len(own)} on the wrong side"
        ax.hist(own, bins=edges, color=colour(k), alpha=0.55, hatch=("//", "\\\\")[k], edgecolor="white", label=name)
    ax.axvline(0, color="black")
    ax.set(xlabel="signed distance from the hyperplane", ylabel="rows")
    ax.legend(loc="best")
    return ax


def weights(model: Any, *, names: Any = None, top: int = 20, label: Any = None, ax: Any = None) -> Any:
    """The largest weights of a linear model as bars, the largest on top; `label` chooses a class if there are several.

    Names are those given, those the model has (the terms, if it lifts its rows), or x1, x2, ... Weights can be compared
    only where columns have the same scale. Of a pipeline, such as `fit` returns, the last step has the weights.

    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> [text.get_text() for text in weights(model, names=["height", "width"]).get_yticklabels()]
    ['width', 'height']
    """
    w, upper = weights_of(last_step(model), label)
    names = column_names(model, len(w), names)
    largest = np.argsort(-np.abs(w), kind="stable")[:top][::-1]
    ax = axes(ax)
    ax.barh(np.arange(len(largest)), w[largest], color=[colour(int(value > 0)) for value in w[largest]])
    ax.set_yticks(np.arange(len(largest)), [names[column] for column in largest])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel(f"weight: to the right speaks for {upper}")
    return ax
