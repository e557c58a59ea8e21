"""`rosenblatt.evaluate`: `rosenblatt evaluate` as a Python function."""

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..classifiers.calibration.probability_quality import probability_quality
from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..model.model import Model
from ..model.predict import has_probabilities, no_rows, probabilities
from ..model.predict_table import given_model
from ..model.scored_rows import scored_rows
from ..model.shared_model import AnyModel
from ..risk.metrics import Measures, confusion_matrix, measure_decisions
from ..tables.read.batches import Source
from ..tables.read.column_names import find_column
from ..tables.read.sources import open_source


class Evaluation(NamedTuple):
    """The measures of a model on a table, and what they are computed from: the class and the scores of each row."""

    measures: Measures
    truth: npt.NDArray[np.int64]
    decided: npt.NDArray[np.intp]
    scores: Floats
    probabilities: Floats | None


def evaluate(
    model: Any, source: Any, target: str | None = None, *, loss_matrix: Any = None, executor: Any = None
) -> Measures:
    """Measure a model on a table whose classes are known; as `rosenblatt evaluate`, in Python.

    Parameters
    ----------
    model : a classifier of rosenblatt, a pipeline that `fit` returned, or the path of a model file
    source : path, list of paths, or table
        All that `fit` takes but open files. Use rows that the model was not trained on.
    target : str, optional
        The column with the true classes. By default the one that the model was trained to predict.
    loss_matrix : array or dict, optional
        What a decision costs, as in `empirical_risk`. By default 1 for a mistake.
    executor : int, Dask client, address, Spark session or Executor, optional
        Who scores the rows, as in `fit`. The measures are the same.

    Returns
    -------
    Measures
        `accuracy` with its `interval`, `confusion`, `precision`, `recall`, `roc_area`, `risk`, and where there are
        probabilities `log_loss` and `calibration_error`. Printed, it is the text of the command.

    Examples
    --------
    >>> from rosenblatt import evaluate, fit
    >>> table = {"size": [1.0, 2.0, 8.0, 9.0] * 5, "kind": ["small", "small", "large", "large"] * 5}
    >>> found = evaluate(fit(table, target="kind"), {"size": [1.5, 8.5, 7.0], "kind": ["small", "large", "small"]})
    >>> found.rows, found.confusion
    (3, [[1, 0], [1, 1]])
    """
    from ..model.shared_model import SentModel
    from ..risk.loss_matrix import loss_array

    name, found = given_model(model, "evaluate")
    table = open_source(source)
    target = target_of(found, table, target, name, "give target")
    losses = loss_array(loss_matrix, found.classes)[: len(found.classes)]
    return measure_table(name, found, table, target, losses, executor, SentModel(found)).measures


def target_of(model: Model, source: Source, target: str | None, name: str, remedy: str) -> str:
    """The column with the true classes: the one given, else that of the model or of the file."""
    target = target or model.about.get("target") or source.target
    if target is None:
        raise InputError(f"{name} does not know the name of its target: {remedy}.")
    find_column(source, target, "with the true classes")
    return target


def measure_table(
    name: str | os.PathLike[str],
    model: Model,
    source: Source,
    target: str,
    loss_matrix: Floats,
    executor: Any = None,
    shared: AnyModel | None = None,
) -> Evaluation:
    """Measure a model of this name on the rows of a source, which workers score if there is an executor."""
    if executor is None:
        parts = list(scored_rows(model, source, target))
    else:
        from ..model.score_by_workers import scored_by_workers

        assert shared is not None
        parts = list(scored_by_workers(executor, shared, model, source, target))
    if not parts:
        raise no_rows(source)
    classes = model.classes.tolist()
    truth, decided, scores = map(np.concatenate, zip(*parts, strict=True))
    found = measure_decisions(confusion_matrix(truth, decided, len(classes)), scores, truth, loss_matrix)
    shares = probabilities(model, scores) if has_probabilities(model) else None
    if shares is not None:
        found |= probability_quality(shares, truth)._asdict()
    measures = Measures(model=str(name), file=source.path, target=target, classes=classes, **found)
    return Evaluation(measures, truth, decided, scores, shares)
