"""Figures of a fitted classifier under the names of scikit-learn: `RocCurveDisplay.from_estimator(model, X, y)`.

They measure any classifier of scikit-learn's conventions, a pipeline too, and draw by the functions of this package.
"""

from typing import Any, Self

import numpy as np

from ..foundation.label_sets import refuse_several_labels
from ..foundation.types import Codes, Floats, Labels
from .evaluation_figures import calibration, confusion, precision_recall_curves, roc_curves
from .model_figures import decision_regions


class Display:
    """What was drawn: `ax_` holds the axes and `figure_` the figure."""

    def __init__(self, ax: Any) -> None:
        self.ax_, self.figure_ = ax, ax.figure


class ConfusionMatrixDisplay(Display):
    """The confusion matrix of a classifier; see `rosenblatt.plots.confusion`."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Predict the rows of X and count them against y.

        >>> from rosenblatt import Perceptron
        >>> X, y = [[3, 3], [4, 3], [1, 1]], ["spam", "spam", "ham"]
        >>> display = ConfusionMatrixDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
        >>> [text.get_text() for text in display.ax_.texts]
        ['1', '0', '0', '2']
        """
        classes = _classes(estimator)
        counts = np.zeros((len(classes),) * 2, dtype=np.int64)
        np.add.at(counts, (_places(estimator, y), _places(estimator, estimator.predict(X))), 1)
        return cls(confusion(counts, classes.tolist(), ax=ax))


class RocCurveDisplay(Display):
    """The ROC curve of a classifier, one a class if there are several; see `rosenblatt.plots.roc_curves`."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Score the rows of X, and compare with y at every threshold.

        >>> from rosenblatt import Perceptron
        >>> X, y = [[3, 3], [4, 3], [1, 1]], ["spam", "spam", "ham"]
        >>> display = RocCurveDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
        >>> display.ax_.lines[0].get_label()
        'spam, area 1.000'
        """
        classes = _classes(estimator).tolist()
        return cls(roc_curves(_places(estimator, y), _scores(estimator, X), classes, ax=ax))


class PrecisionRecallDisplay(Display):
    """Precision against recall of a classifier; see `rosenblatt.plots.precision_recall_curves`."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Score the rows of X, and compare with y at every threshold.

        >>> from rosenblatt import Perceptron
        >>> X, y = [[3, 3], [4, 3], [1, 1]], ["spam", "spam", "ham"]
        >>> display = PrecisionRecallDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('recall', 'precision')
        """
        classes = _classes(estimator).tolist()
        return cls(precision_recall_curves(_places(estimator, y), _scores(estimator, X), classes, ax=ax))


class CalibrationDisplay(Display):
    """Whether the probabilities of a classifier are met; see `rosenblatt.plots.calibration`."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10, ax: Any = None) -> Self:
        """Ask for the probabilities of the rows of X, and compare with y in `n_bins` bins of equally many rows.

        >>> from rosenblatt import LogisticRegression
        >>> X, y = [[3, 3], [4, 3], [1, 1], [0, 2]], ["spam", "spam", "ham", "ham"]
        >>> display = CalibrationDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, n_bins=2)
        >>> display.ax_.lines[0].get_ydata().tolist()
        [0.0, 1.0]
        """
        classes, probabilities = _classes(estimator).tolist(), estimator.predict_proba(X)
        return cls(calibration(_places(estimator, y), probabilities, classes, bins=n_bins, ax=ax))


class DecisionBoundaryDisplay(Display):
    """The regions of a classifier of two columns; see `rosenblatt.plots.decision_regions`."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Predict the plane around the rows of X, and draw the rows with their labels y.

        >>> from rosenblatt import Perceptron
        >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
        >>> display = DecisionBoundaryDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
        >>> display.ax_.get_legend_handles_labels()[1][:2]
        ['-1', '1']
        """
        _classes(estimator)
        return cls(decision_regions(estimator, X, y, ax=ax))


def _classes(estimator: Any) -> Labels:
    """The classes of an estimator. One that is not fitted is refused."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    refuse_several_labels(estimator, "a plot of classes")
    return np.asarray(estimator.classes_)


def _places(estimator: Any, y: Any) -> Codes:
    """The place of each label among the classes of the estimator. A label that it does not know is refused."""
    classes, labels = _classes(estimator), np.asarray(y)
    places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if (unknown := labels[classes[places] != labels]).size:
        name = type(estimator).__name__
        raise ValueError(f"y has the label {unknown.tolist()[0]!r}, which is not a class of this {name}.")
    found: Codes = places.astype(np.int32)
    return found


def _scores(estimator: Any, X: Any) -> Floats:
    """Scores of rows, one column for two classes and else one a class; probabilities of a classifier without scores."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        return scores.reshape(len(scores), -1)
    chances: Floats = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    return chances[:, 1:] - 0.5 if chances.shape[1] == 2 else chances
