"""Measure a model of a file on the table of some files, with the costs of the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.suggestions import did_you_mean
from ...model.file import read as read_model
from ...model.shared_model import SharedModel
from ...tables.read.sources import open_source
from ...training.evaluate import Evaluation, measure_table, target_of
from ..options import GivenExecutor, parse_number, parse_pairs

MAX_CLASSES_TO_SUGGEST = 30  # pairs of more classes take long to compare


def evaluate_table(
    model_path: Path, files: Sequence[str], target: str | None, costs: Sequence[str], executor: GivenExecutor = None
) -> Evaluation:
    """Return the measures of a model on a table."""
    model = read_model(model_path)
    source = open_source(files)
    target = target_of(model, source, target, str(model_path), "give --target")
    loss_matrix = parse_costs(costs, model.classes.tolist())
    shared = None if executor is None else SharedModel.of(model_path)
    return measure_table(str(model_path), model, source, target, loss_matrix, executor, shared)


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
