"""Metrics of decisions: accuracy, confusion matrix, precision, recall, the area under the ROC curve, and risk."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.calibration.probability_quality import describe_errors
from ..foundation.phrases import count, percent
from ..foundation.types import Floats
from .intervals import wilson

Counts = npt.NDArray[np.int64]
MAX_SHOWN_CLASSES = 20


@dataclass(frozen=True)
class Measures:
    """The result of `rosenblatt evaluate`. `confusion[truth][decision]` counts rows, both in the order of `classes`."""

    model: str
    file: str
    target: str
    rows: int
    accuracy: float
    interval: tuple[float, float]
    classes: list[Any]
    confusion: list[list[int]]
    precision: list[float | None]
    recall: list[float | None]
    roc_area: list[float | None]
    loss_matrix: list[list[float]]
    risk: float
    log_loss: float | None = None  # None if the model has no probabilities
    calibration_error: float | None = None
    classwise_calibration_error: float | None = None

    @property
    def has_costs(self) -> bool:
        """Whether some decision costs other than 1 for a mistake. Otherwise the risk is the share of mistakes."""
        return bool((np.array(self.loss_matrix) != 1.0 - np.eye(len(self.classes))).any())

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self) -> str:
        right = round(self.accuracy * self.rows)
        low, high = (f"{100 * share:.1f}" for share in self.interval)
        lines = [
            f"model      {self.model}",
            f"table      {self.file}: {count(self.rows, 'row')}",
            f"accuracy   {percent(right, self.rows)} right (95 % interval: {low} to {high} %)",
            *([f"risk       {self.risk:.6g} is the mean cost of a decision"] if self.has_costs else []),
            *self._probabilities(),
            "",
            *self._confusion_table(),
            "",
            *self._class_table(),
        ]
        return "\n".join(lines)

    def _probabilities(self) -> list[str]:
        if self.log_loss is None:
            return []
        errors = describe_errors(self.calibration_error, self.classwise_calibration_error)
        return [f"log-loss   {self.log_loss:.6g}; {errors}"]

    def _confusion_table(self) -> list[str]:
        names = [str(label) for label in self.classes]
        if len(names) > MAX_SHOWN_CLASSES:
            return [f"(confusion of {len(names)} classes: --json)"]
        width = max(map(len, [*names, *(f"{number:,}" for row in self.confusion for number in row)])) + 2
        first = max(map(len, names)) + 2
        header = "truth".ljust(first) + "decided".rjust(9)
        head = " " * first + "".join(name.rjust(width) for name in names)
        body = [
            name.ljust(first) + "".join(f"{number:,}".rjust(width) for number in row)
            for name, row in zip(names, self.confusion, strict=True)
        ]
        return [header, head, *body]

    def _class_table(self) -> list[str]:
        first = max(len(str(label)) for label in self.classes) + 2
        lines = ["class".ljust(max(first, 7)) + "precision   recall  ROC area"]
        for label, *values in zip(self.classes, self.precision, self.recall, self.roc_area, strict=True):
            cells = ["-" if value is None else f"{100 * value:.1f} %" for value in values[:2]]
            area = "-" if values[2] is None else f"{values[2]:.4f}"
            lines.append(f"{str(label).ljust(max(first, 7))}{cells[0]:>9}{cells[1]:>9}{area:>10}")
        return lines


def confusion_matrix(truth: npt.NDArray[Any], decided: npt.NDArray[Any], classes: int) -> Counts:
    """The number of rows of each true class (row) and decided class (column).

    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).tolist()
    [[1, 1], [0, 1]]
    """
    return np.bincount(truth * classes + decided, minlength=classes * classes).reshape(classes, classes)


def roc_area(scores: Floats, positive: npt.NDArray[np.bool_]) -> float | None:
    """The probability that a positive row scores higher than a negative one; ties count half (Mann and Whitney).

    >>> roc_area(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    above, below = int(positive.sum()), int((~positive).sum())
    if not above or not below:
        return None
    _, places, numbers = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(numbers) - (numbers - 1) / 2
    return float((ranks[places.reshape(-1)][positive].sum() - above * (above + 1) / 2) / (above * below))


def scores_by_class(scores: Floats) -> Floats:
    """For each class, how far its score is above that of the best other class.

    Rows are ranked by it. The scores themselves cannot rank rows: classes that were trained jointly are compared only
    within a row.

    >>> scores_by_class(np.array([[2.0, 5.0, 1.0]])).tolist(), scores_by_class(np.array([[3.0]])).tolist()
    ([[-3.0, 3.0, -4.0]], [[-3.0, 3.0]])
    """
    if scores.shape[1] == 1:
        return np.column_stack([-scores[:, 0], scores[:, 0]])
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T
    rival = np.where(np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None], second[:, None], first[:, None])
    above: Floats = scores - rival
    return above


def measure_decisions(
    confusion: Counts, scores: Floats, truth: npt.NDArray[Any], loss_matrix: Floats
) -> dict[str, Any]:
    """All metrics of decisions, by name. `loss_matrix[decision, truth]` is the cost of each."""
    rows, right = int(confusion.sum()), int(np.trace(confusion))
    true, decided = confusion.sum(axis=1), confusion.sum(axis=0)
    hits = np.diag(confusion)

    def shares(of: Counts) -> list[float | None]:
        return [float(hit / whole) if whole else None for hit, whole in zip(hits, of, strict=True)]

    by_class = scores_by_class(scores)
    return {
        "rows": rows,
        "accuracy": right / rows,
        "interval": wilson(right, rows),
        "confusion": confusion.tolist(),
        "precision": shares(decided),
        "recall": shares(true),
        "roc_area": [roc_area(by_class[:, k], truth == k) for k in range(len(confusion))],
        "loss_matrix": loss_matrix.tolist(),
        "risk": float((confusion * loss_matrix.T).sum() / rows),
    }
