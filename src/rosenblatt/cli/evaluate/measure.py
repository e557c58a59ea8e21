"""Predict the rows of a table, compare them with the truth, and compute the measures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.suggestions import did_you_mean
from ...foundation.types import Floats
from ...model.file import read as read_model
from ...model.predict import has_probabilities, no_rows, probabilities
from ...model.scored_rows import scored_rows
from ...risk.metrics import Measures, confusion_matrix, measure_decisions
from ...risk.probability_quality import probability_quality
from ...tables.read.column_names import find_column
from ...tables.read.sources import open_source
from ..options import GivenExecutor, parse_number, parse_pairs

MAX_CLASSES_TO_SUGGEST = 30  # pairs of more classes take long to compare


class Evaluation(NamedTuple):
    """The measures of a model on a table, and what they are computed from: the class and the scores of each row."""

    measures: Measures
    truth: npt.NDArray[np.int64]
    decided: npt.NDArray[np.intp]
    scores: Floats
    probabilities: Floats | None


def evaluate_table(
    model_path: Path, files: Sequence[str], target: str | None, costs: Sequence[str], executor: GivenExecutor = None
) -> Evaluation:
    """Return the measures of a model on a table."""
    model = read_model(model_path)
    source = open_source(files)
    target = target or model.about.get("target") or source.target
    if target is None:
        raise InputError(f"{model_path} does not know the name of its target: give --target.")
    find_column(source, target, "with the true classes")
    classes = model.classes.tolist()
    loss_matrix = parse_costs(costs, classes)
    if executor is None:
        parts = list(scored_rows(model, source, target))
    else:
        from .score_by_workers import scored_by_workers

        parts = list(scored_by_workers(executor, model_path, model, source, target))
    if not parts:
        raise no_rows(source)
    truth, decided, scores = map(np.concatenate, zip(*parts, strict=True))
    found = measure_decisions(confusion_matrix(truth, decided, len(classes)), scores, truth, loss_matrix)
    shares = probabilities(model, scores) if has_probabilities(model) else None
    if shares is not None:
        found |= probability_quality(shares, truth)._asdict()
    measures = Measures(model=str(model_path), file=source.path, target=target, classes=classes, **found)
    return Evaluation(measures, truth, decided, scores, shares)


def parse_costs(costs: Sequence[str], classes: list[Any]) -> npt.NDArray[np.float64]:
    """Return loss_matrix[decision, truth]: 0 where they agree, elsewhere the cost given or 1."""
    matrix = 1.0 - np.eye(len(classes))
    names = [str(label) for label in classes]
    for pair, text in parse_pairs("--cost", costs).items():
        places = [
            (names.index(pair[:at]), names.index(pair[at + 1 :]))
            for at in range(len(pair))
            if pair[at] == ":" and pair[:at] in names and pair[at + 1 :] in names
        ]
        if len(places) != 1:
            pairs_of_names = [f"{truth}:{decision}" for truth in names for decision in names if truth != decision]
            hint = did_you_mean(pair, pairs_of_names if len(names) <= MAX_CLASSES_TO_SUGGEST else ())
            raise InputError(f"--cost takes TRUTH:DECISION=X with classes among {names}, not {pair!r}{hint}")
        truth, decision = places[0]
        matrix[decision, truth] = cost = parse_number("--cost", text)
        if not 0 <= cost < np.inf:
            raise InputError(f"--cost takes costs of 0 or more, not {pair}={text}: let the other decisions cost more.")
    return matrix
