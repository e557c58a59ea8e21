"""How good the decisions of a model are: the figures and curves of `rosenblatt evaluate`, for one class at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.calibration.probability_quality import probability_quality
from ..foundation.splitting import TRAIN
from ..foundation.types import Floats
from ..risk.metrics import confusion_matrix, measure_decisions, scores_by_class
from ..risk.score_curves import ThresholdCurve, calibration_curve, threshold_curve
from .packed_arrays import pack_array
from .seen_model import SeenModel

MAX_THRESHOLDS = 400  # as many as a slider has places for
MAX_CONFUSION_CLASSES = 20
Content = dict[str, Any]


def decision_figures(seen: SeenModel, shown_class: int) -> Content:
    """Accuracy, confusion matrix and curves on the rows that are measured, for the page."""
    truth, decided = seen.codes[seen.measured], seen.decided[seen.measured]
    scores, count = seen.scores[seen.measured], len(seen.classes)
    counts = confusion_matrix(truth, decided, count)
    found = measure_decisions(counts, scores, truth, 1.0 - np.eye(count))
    if seen.judged is not None:
        found |= probability_quality(*seen.judged)._asdict()
    for name in ("loss_matrix", "risk"):
        del found[name]
    if count > MAX_CONFUSION_CLASSES:
        found["confusion"] = None
    curve = threshold_curve(scores_by_class(scores)[:, shown_class], truth == shown_class)
    return {
        **found,
        **_base_rate(seen, truth),
        "held_out": seen.is_held_out,
        "trained": _training_accuracy(seen),
        "curve": None if curve is None else _curve_content(curve),
        "calibration": _calibration(seen, shown_class),
    }


def _base_rate(seen: SeenModel, truth: npt.NDArray[Any]) -> Content:
    """The accuracy of always deciding for the class that is most frequent in the table."""
    most = int(np.bincount(seen.codes, minlength=len(seen.classes)).argmax())
    return {"base_rate": float((truth == most).mean()), "base_class": seen.classes[most]}


def _training_accuracy(seen: SeenModel) -> Content | None:
    """Of the rows trained on, where others are held out."""
    if not seen.is_held_out:
        return None
    right = seen.decided[seen.uses == TRAIN] == seen.codes[seen.uses == TRAIN]
    return {"rows": len(right), "accuracy": float(right.mean()), "wrong": int((~right).sum())}


def _curve_content(curve: ThresholdCurve) -> Content:
    """The curve at most so many thresholds, among them the one at which the model decides: the last of at least 0."""
    decides = int((curve.thresholds >= 0).sum()) - 1
    places = np.unique(np.linspace(0, len(curve.thresholds) - 1, MAX_THRESHOLDS).round().astype(np.intp))
    places = np.unique([*places, max(decides, 0)])

    def pack(values: Floats) -> Content:
        return pack_array(values[places])

    return {
        "thresholds": pack(curve.thresholds),
        "hits": pack_array(curve.hits[places], "<i4"),
        "alarms": pack_array(curve.alarms[places], "<i4"),
        "recall": pack(curve.recall),
        "precision": pack(curve.precision),
        "false_alarms": pack(curve.false_alarms),
        "area": curve.area,
        "decides": int(np.searchsorted(places, decides)) if decides >= 0 else -1,
    }


def _calibration(seen: SeenModel, shown_class: int) -> Content | None:
    if seen.judged is None:
        return None
    probabilities, codes = seen.judged
    curve = calibration_curve(probabilities[:, shown_class], codes == shown_class)
    return {name: values.tolist() for name, values in curve._asdict().items()}
