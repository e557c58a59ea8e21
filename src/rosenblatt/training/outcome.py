"""What training on a table or a stream came to: the model, and what is known of it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ..foundation.threads import thread_count
from ..foundation.types import Codes
from ..model.model import Model
from ..tables.encode.encoded_rows import Encoded, Part
from .request import NamedPlan

ROWS = 1 << 16  # rows of a cache that are scored at a time


@dataclass(frozen=True)
class Share:
    """How many of some rows are right."""

    right: int
    rows: int


@dataclass(frozen=True)
class Outcome:
    """A model from a table, the rows and classes it was trained on, and what is known of it."""

    path: str
    model: Model
    learner: NamedPlan
    automatic: bool
    encoded: Encoded
    codes: Codes
    counts: list[int]
    train_rows: int
    held_out: Share
    majority: int
    seconds: float
    folds: list[Share] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    cache: str | None = None
    progressive: Share | None = None  # of the rows of a stream, right before they were learned


class Streamed(NamedTuple):
    """A model of a stream, and what is known of it."""

    path: str
    model: Model
    learner: NamedPlan
    automatic: bool
    counts: list[int]
    progressive: Share
    recent: Share
    seconds: float
    ending: str


def scored(model: Model, part: Part) -> Share:
    """How many encoded rows a model gets right."""
    right, rows = 0, len(part.codes)
    for first in range(0, rows, ROWS):
        last = min(first + ROWS, rows)
        scores = model.scores_of(part.encoded.slice(first, last), thread_count(None))
        right += int((model.decide(scores) == part.codes[first:last]).sum())
    return Share(right, rows)
