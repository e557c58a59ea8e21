"""The report of training on a table or a stream, as a value."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ..risk.intervals import wilson
from ..risk.vc import vc_bound, vc_dimension
from ..tables.read.batches import TEXT

LARGE_CONFIDENCE_TERM = 0.3  # docs/theory/vapnik-chervonenkis.md: the proof needs 1/N more above it


@dataclass(frozen=True)
class Report:
    """What training came to. `mistakes` are those of the saved model on the rows it was trained on."""

    file: str
    target: str
    rows: int
    columns: int
    kinds: dict[str, str]
    left_out: dict[str, str]
    leaks: list[str]
    splits: list[str]
    two_readings: dict[str, str]  # columns whose texts can be read in two ways, and which
    encoded_columns: int
    classes: list[Any]
    class_counts: list[int]
    algorithm: str
    multi_class: str | None  # "ovr" or "joint"; None for two classes
    automatic: bool
    features: str
    scaled: bool
    seed: int
    status: str
    reason: str
    epochs: int
    train_rows: int
    mistakes: int
    test_rows: int
    test_right: int
    test_majority: int
    fold_accuracies: list[float]
    seconds: float
    model: str | None
    stopped_early: bool = False  # before the optimum, because the table is large
    fewest_mistakes: tuple[int, int] | None = None  # lower and upper bound for any plane, on the training rows
    streamed: bool = False  # whether rows were discarded after they were learned
    progressive_rows: int = 0  # of a stream: predicted before they were learned
    progressive_right: int = 0
    recent_rows: int = 0
    recent_right: int = 0
    predict_batch: int = 1  # rows of a stream that were predicted by the same model
    calibration: str | None = None  # how scores become probabilities, if they are no log odds
    calibration_rows: int = 0  # that it was fitted to
    log_loss: float | None = None  # of the probabilities, on rows that were not trained on; None if there are none
    calibration_error: float | None = None  # of the most probable class
    classwise_calibration_error: float | None = None  # the mean of all classes
    tuning: dict[str, Any] | None = None  # what was tried to choose the parameters, and what was chosen
    traffic: dict[str, dict[str, int]] = field(default_factory=dict)  # of workers: bytes of each kind of pass

    @property
    def test_accuracy(self) -> float | None:
        """The accuracy on the rows held out; with folds, their mean."""
        if self.fold_accuracies:
            return sum(self.fold_accuracies) / len(self.fold_accuracies)
        return self.test_right / self.test_rows if self.test_rows else None

    @property
    def progressive_accuracy(self) -> float | None:
        """The accuracy on a stream, each row predicted before it was learned."""
        return self.progressive_right / self.progressive_rows if self.progressive_rows else None

    @property
    def recent_accuracy(self) -> float | None:
        """The progressive accuracy on the last rows of a stream."""
        return self.recent_right / self.recent_rows if self.recent_rows else None

    @property
    def vc_bound(self) -> float | None:
        """The upper bound of Vapnik and Chervonenkis on the true risk, with a confidence of 95 %.

        None where the bound does not apply: more than two classes, fewer rows than weights, or words, whose columns
        are chosen by means of the rows. A confidence term above 0.3 needs 1/N more (docs/theory).
        """
        weights = vc_dimension(max(1, self.encoded_columns))
        if self.streamed or len(self.classes) != 2 or self.train_rows < weights or TEXT in self.kinds.values():
            return None
        found = vc_bound(self.mistakes / self.train_rows, self.train_rows, weights)
        return found.bound if found.confidence <= LARGE_CONFIDENCE_TERM else found.bound + 1 / self.train_rows

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        known = asdict(self)
        known["vc_bound"] = self.vc_bound
        known["test_accuracy"] = self.test_accuracy
        known["progressive_accuracy"] = self.progressive_accuracy
        known["recent_accuracy"] = self.recent_accuracy
        known["test_interval"] = wilson(self.test_right, self.test_rows) if self.test_rows else None
        return known

    def as_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict())
