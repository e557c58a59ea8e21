"""Figures of an evaluation: confusion matrix, ROC and precision-recall curves, scores, calibration of probabilities.

Rows have a true class, given by its place in `classes`, and scores: one column for two classes, else one a class.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..risk.metrics import scores_by_class
from ..risk.score_curves import ThresholdCurve, calibration_curve, threshold_curve
from .style import axes_or_new, colour, line_style, marker

MAX_CURVES = 8  # more cannot be told apart
MAX_NUMBERED_CELLS = 400


def _drawn_classes(classes: Sequence[Any]) -> range:
    """The places of the classes to draw: the second of two, or the first eight."""
    return range(1, 2) if len(classes) == 2 else range(min(len(classes), MAX_CURVES))


def _curves(truth: Any, scores: Any, classes: Sequence[Any]) -> Iterator[tuple[int, Any, ThresholdCurve]]:
    """The curve of each class to draw; a class with no rows, or with all, has none."""
    truth, scores = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or len(scores) != len(truth) or scores.shape[1] != (1 if len(classes) == 2 else len(classes)):
        raise ValueError(f"scores must have a row for each of the {len(truth)} rows, and a column a class (two: one).")
    by_class = scores_by_class(scores)
    for place in _drawn_classes(classes):
        curve = threshold_curve(by_class[:, place], truth == place)
        if curve is not None:
            yield place, classes[place], curve


def confusion(counts: Any, classes: Sequence[Any], *, ax: Any = None) -> Any:
    """The confusion matrix: how many rows of each true class (row) were decided to be of each class (column).

    The colour of a cell is its share of the true class.

    >>> ax = confusion([[3, 1], [0, 4]], ["ham", "spam"])
    >>> [text.get_text() for text in ax.texts]
    ['3', '1', '0', '4']
    """
    counts = np.asarray(counts)
    if counts.shape != (len(classes), len(classes)):
        raise ValueError(f"counts must be {len(classes)} x {len(classes)}, not {' x '.join(map(str, counts.shape))}.")
    ax = axes_or_new(ax)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    if counts.size <= MAX_NUMBERED_CELLS:
        for (row, column), number in np.ndenumerate(counts):
            shade = "white" if shares[row, column] > 0.5 else "black"
            ax.text(column, row, f"{number:,}", ha="center", va="center", color=shade)
    names = [str(label) for label in classes]
    ax.set_xticks(range(len(names)), names, rotation=45 if len(names) > 3 else 0)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="decided", ylabel="truth")
    return ax


def roc_curves(truth: Any, scores: Any, classes: Sequence[Any], *, ax: Any = None) -> Any:
    """The share of a class that is found against the share of other rows that are taken for it, at every threshold.

    Of two classes the second is drawn; of more, each of the first eight against the rest.

    >>> ax = roc_curves([0, 0, 1, 1], [[-2.0], [0.5], [0.1], [3.0]], ["ham", "spam"])
    >>> ax.lines[0].get_label()
    'spam, area 0.750'
    """
    ax = axes_or_new(ax)
    for place, label, curve in _curves(truth, scores, classes):
        right, wrong = np.r_[0, curve.recall], np.r_[0, curve.false_alarms]
        ax.plot(wrong, right, label=f"{label}, area {curve.area:.3f}", **line_style(place))
    ax.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle=":")
    ax.set(xlabel="other rows taken for the class", ylabel="rows of the class found", xlim=(0, 1), ylim=(0, 1.02))
    ax.legend(loc="lower right")
    return ax


def precision_recall_curves(truth: Any, scores: Any, classes: Sequence[Any], *, ax: Any = None) -> Any:
    """The share of decisions for a class that are right against the share of the class that is found.

    Of two classes the second is drawn; of more, each of the first eight against the rest.

    >>> ax = precision_recall_curves([0, 0, 1, 1], [[-2.0], [0.5], [0.1], [3.0]], ["ham", "spam"])
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [1.0, 0.5, 0.67, 0.5]
    """
    ax = axes_or_new(ax)
    for place, label, curve in _curves(truth, scores, classes):
        ax.plot(curve.recall, curve.precision, label=str(label), **line_style(place))
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
    ax.legend(loc="lower left")
    return ax


def calibration(truth: Any, probabilities: Any, classes: Sequence[Any], *, bins: int = 10, ax: Any = None) -> Any:
    """The share of rows of a class against the probability given to it, in bins of equally many rows.

    Points on the diagonal are calibrated. Of two classes the second is drawn; of more, each of the first eight.

    >>> ax = calibration([0, 1, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]], ["ham", "spam"], bins=2)
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.5]
    """
    truth, probabilities = np.asarray(truth), np.asarray(probabilities, dtype=np.float64)
    ax = axes_or_new(ax)
    for place in _drawn_classes(classes):
        curve = calibration_curve(probabilities[:, place], truth == place, bins)
        ax.plot(curve.given, curve.met, marker=marker(place), label=str(classes[place]), **line_style(place))
    ax.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle=":")
    ax.set(xlabel="probability given", ylabel="share of rows", xlim=(0, 1), ylim=(0, 1))
    ax.legend(loc="upper left")
    return ax


def score_histogram(truth: Any, scores: Any, classes: Sequence[Any], *, bins: int = 40, ax: Any = None) -> Any:
    """A histogram for each of two classes of the rows' scores; the model decides at 0.

    >>> ax = score_histogram([0, 1], [[-2.0], [1.0]], ["ham", "spam"])
    >>> ax.get_legend_handles_labels()[1]
    ['ham', 'spam']
    """
    truth, values = np.asarray(truth), np.asarray(scores, dtype=np.float64).reshape(-1)
    if len(classes) != 2 or len(values) != len(truth):
        raise ValueError("score_histogram draws one score a row of two classes.")
    ax = axes_or_new(ax)
    low, high = np.quantile(values, [0.005, 0.995])  # a few outliers must not squash the rest
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    for k, label in enumerate(classes):
        own = np.clip(values[truth == k], edges[0], edges[-1])
        ax.hist(own, bins=edges, color=colour(k), alpha=0.55, hatch=("//", "\\\\")[k], label=str(label))
    ax.axvline(0, color="black")
    ax.set(xlabel="score", ylabel="rows")
    ax.legend(loc="best")
    return ax
