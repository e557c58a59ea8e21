"""The outcome of training on a table or a stream: the model, and how well it does."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..classifiers.calibration.probability_quality import ProbabilityQuality
from ..foundation.threads import thread_count
from ..foundation.types import Codes
from ..model.model import Model
from ..solvers.tuning.tuning import Tuning
from ..tables.encode.encoded_rows import EncodedRows, LabelledRows
from .request import NamedPlan
from .score_sample import ScoreSample


@dataclass(frozen=True)
class Accuracy:
    """How many of some rows are classified correctly."""

    right: int
    rows: int


@dataclass(frozen=True)
class Outcome:
    """A model of a table, the rows and classes it was trained on, and how well it does."""

    path: str
    model: Model
    plan: NamedPlan
    automatic: bool
    encoded: EncodedRows
    codes: Codes
    counts: list[int]
    train_rows: int
    held_out: Accuracy
    majority: int
    seconds: float
    folds: list[Accuracy] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    cache: str | None = None
    progressive: Accuracy | None = None  # of a stream's rows, each predicted before it was learned
    quality: ProbabilityQuality | None = None  # of the probabilities, on rows that were not trained on
    tuning: Tuning | None = None  # what was tried to choose the parameters
    traffic: dict[str, dict[str, int]] = field(default_factory=dict)  # of workers: bytes of each kind of pass


class StreamOutcome(NamedTuple):
    """A model of a stream, and how well it does."""

    path: str
    model: Model
    plan: NamedPlan
    automatic: bool
    counts: list[int]
    progressive: Accuracy
    recent: Accuracy
    seconds: float
    ending: str
    predict_batch: int
    quality: ProbabilityQuality | None = None


def measure(model: Model, batches: Iterable[LabelledRows], sample: ScoreSample | None = None) -> Accuracy:
    """How many rows a model classifies correctly; their scores are added to the sample."""
    right = rows = 0
    for batch in batches:
        scores = model.scores_of(batch.encoded, thread_count(None))
        right += int((model.decide(scores) == batch.codes).sum())
        rows += len(batch.codes)
        if sample is not None:
            sample.add(scores, batch.codes)
    return Accuracy(right, rows)
