"""Figures of models: their decision regions, the distances of rows, and their weights."""

from typing import Any

import numpy as np

from ..foundation.label_sets import refuse_several_labels
from ..foundation.types import Floats
from ..prove.margin.distances import signed_distance
from .model_values import check_lengths, class_weights, column_names, last_step, transform_for_last_step
from .plane import axis_names, draw_line, fill_regions, frame_around, has_line, predict, two_columns
from .style import axes_or_new, colour, marker


def decision_regions(
    model: Any, X: Any, y: Any, *, margin: float | None = None, ax: Any = None, steps: int = 300
) -> Any:
    """The classes that a classifier predicts for the points of a plane, and the rows.

    X must have two columns. Misclassified rows have a black edge. For a linear model of two classes, the line is drawn,
    with dashed lines at the distance `margin`: by default the least margin of the rows, if no row is misclassified.
    Rows whose margin is within 1 % of it are ringed. For a `LinearSVM` the distance of the hinge is 1 / ||w||.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = decision_regions(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> ax.get_legend_handles_labels()[1]
    ['-1', '1', 'boundary', 'margin 0.707']
    """
    refuse_several_labels(last_step(model), "decision_regions")
    X, y = two_columns(X), np.asarray(y)
    check_lengths(len(X), y)
    ax = axes_or_new(ax)
    frame = frame_around(X)
    classes = np.asarray(model.classes_)
    fill_regions(ax, model, classes, frame, steps)
    right = predict(model, X) == y
    for k, label in enumerate(classes.tolist()):
        for correct in (True, False):
            rows = X[(y == label) & (right == correct)]
            edge = "white" if correct else "black"
            style = {"c": colour(k), "marker": marker(k), "edgecolors": edge, "linewidths": 0.8 if correct else 1.6}
            ax.scatter(rows[:, 0], rows[:, 1], s=40, label=str(label) if correct else None, zorder=3, **style)
    if has_line(model):
        draw_line(ax, model, X, y, margin, frame)
    across, up = axis_names(model)
    (left, bottom), (right, top) = frame.low, frame.high
    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel=across, ylabel=up)
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax


def signed_distances(model: Any, X: Any, y: Any, *, bins: int = 40, ax: Any = None) -> Any:
    """A histogram for each class of the rows' distances from the hyperplane of a linear model of two classes.

    For a pipeline, distances are measured in the space of its last step.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> ax = signed_distances(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> ax.get_legend_handles_labels()[1]
    ['-1: 0 of 1 on the wrong side', '1: 0 of 2 on the wrong side']
    """
    distances, y = signed_distance(last_step(model), transform_for_last_step(model, X)), np.asarray(y)
    if distances.ndim != 1:
        raise ValueError(f"signed_distances is for two classes; this model has {distances.shape[1]} hyperplanes.")
    check_lengths(len(distances), y)
    ax = axes_or_new(ax)
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


def bins_around_zero(values: Floats, count: int) -> Floats:
    """Edges of about `count` bins of equal width; 0 is an edge, so that no bin holds both signs.

    >>> bins_around_zero(np.array([-0.5, 2.5]), 3).tolist()
    [-1.0, 0.0, 1.0, 2.0, 3.0]
    """
    width = (float(np.ptp(values)) or 1.0) / count
    return width * np.arange(np.floor(values.min() / width), np.floor(values.max() / width) + 2)


def weights(model: Any, *, names: Any = None, top: int = 20, label: Any = None, ax: Any = None) -> Any:
    """The largest weights of a linear model as bars, the largest on top; `label` chooses a class if there are several.

    `names` defaults to the names that the model knows (its terms, if it lifts its rows), or x1, x2, ... Weights can be
    compared only if the columns have the same scale. For a pipeline, such as `fit` returns, they are those of the last
    step.

    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> [text.get_text() for text in weights(model, names=["height", "width"]).get_yticklabels()]
    ['width', 'height']
    """
    w, upper = class_weights(last_step(model), label)
    names = column_names(model, len(w), names)
    largest = np.argsort(-np.abs(w), kind="stable")[:top][::-1]
    ax = axes_or_new(ax)
    ax.barh(np.arange(len(largest)), w[largest], color=[colour(int(value > 0)) for value in w[largest]])
    ax.set_yticks(np.arange(len(largest)), [names[column] for column in largest])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel(f"weight: positive is evidence for {upper}")
    return ax
