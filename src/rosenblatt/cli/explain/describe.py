"""The largest weights of a model, and the contributions of columns to one prediction."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...foundation.errors import InputError
from ...model.explanation import Contribution, Weight, contributions, decision_plane, decision_terms, top_weights
from ...model.file import read as read_model
from ...model.predict import predictions
from ...tables.read.sources import open_source


@dataclass(frozen=True)
class Weights:
    """The columns with the largest weights for each class."""

    model: str
    target: str | None
    classes: dict[str, list[Weight]]
    intercept: list[float]

    def as_json(self) -> str:
        classes = {label: [weight._asdict() for weight in weights] for label, weights in self.classes.items()}
        return json.dumps({**asdict(self), "classes": classes})

    def as_text(self) -> str:
        lines = []
        for label, weights in self.classes.items():
            lines += [f"for {label}:"] + [f"  {weight.weight:+10.4f}  {weight.name}" for weight in weights] + [""]
        return "\n".join(lines[:-1])


@dataclass(frozen=True)
class Decision:
    """The prediction of one row, and what each column adds to its score."""

    file: str
    row: int
    place: str
    prediction: Any
    against: Any
    score: float
    intercept: float
    contributions: list[Contribution]
    others: int  # columns that are not listed
    others_add: float  # to the score, together

    def as_json(self) -> str:
        return json.dumps({**asdict(self), "contributions": [each._asdict() for each in self.contributions]})

    def as_text(self) -> str:
        rival = "" if self.against is None else f" rather than {self.against}"
        lines = [
            f"{self.file}, {self.place}: {self.prediction}{rival}, score {self.score:+.4f}",
            *(f"  {each.adds:+10.4f}  {_column_text(each)}" for each in self.contributions),
            *([f"  {self.others_add:+10.4f}  {self._others_text()}"] if self.others else []),
            f"  {self.intercept:+10.4f}  (offset)",
        ]
        return "\n".join(lines)

    def _others_text(self) -> str:
        return "the other column" if self.others == 1 else f"the other {self.others:,} columns together"


def _column_text(each: Contribution) -> str:
    """Return what the column holds, or its name if it combines several parts."""
    return each.made_of[0] if len(each.made_of) == 1 else each.column


def explain_model(path: Path, top: int) -> Weights:
    """Return the largest weights of a model."""
    model = read_model(path)
    classes = {str(label): weights for label, weights in top_weights(model, top).items()}
    return Weights(str(path), model.about.get("target"), classes, model.learned.intercept.tolist())


def explain_row(path: Path, files: Sequence[str], row: int, top: int) -> Decision:
    """Return the prediction of one row, counted from 1, with its contributions."""
    model, source = read_model(path), open_source(files)
    if model.encoder is None:
        raise InputError(f"{path} was not trained on a table: its columns have no names to look up.")
    if row < 1:
        raise InputError(f"--row must be a whole number of at least 1, not {row}.")
    before = 0
    for part in predictions(model, source):
        if row - 1 < before + len(part.decided):
            own = row - 1 - before
            labels, decided = model.classes.tolist(), int(part.decided[own])
            plane = decision_plane(labels, decided)
            found = contributions(model, part.batch, own, plane)
            score, intercept = float(part.scores[own, plane]), float(model.learned.intercept[plane])
            terms = decision_terms(labels, decided, score, intercept, found, top)
            return Decision(part.batch.path, row, part.batch.place(own), **terms._asdict())
        before += len(part.decided)
    raise InputError(f"{source.path} has {before:,} rows, so there is no row {row:,}.")
