"""`rosenblatt.predict`: `rosenblatt predict` as a Python function."""

import os
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from ..tables.read.batches import Source
from ..tables.read.sources import open_source
from .file import model_of, read
from .model import Model
from .predict import check_probabilities, no_rows, predict_batches, probabilities
from .shared_model import AnyModel, SentModel

Answer = Literal["label", "score", "probability"]


def predict(model: Any, source: Any, *, answer: Answer = "label", executor: Any = None) -> npt.NDArray[Any]:
    """Predict the class of every row of a table; as `rosenblatt predict`, in Python.

    The table is read in batches, so it may be larger than memory.

    Parameters
    ----------
    model : a classifier of rosenblatt, a pipeline that `fit` returned, or the path of a model file
    source : path, list of paths, or table
        All that `fit` takes but open files. Columns are found by their names.
    answer : "label", "score" or "probability"
        The class of each row; its score, w.x + b, with a column for each class where there are more than two; or the
        probability of each class.
    executor : int, Dask client, address, Spark session or Executor, optional
        Who scores the rows, as in `fit`. The answers have the same bits.

    Examples
    --------
    >>> from rosenblatt import fit, predict
    >>> table = {"size": [1.0, 2.0, 8.0, 9.0] * 5, "kind": ["small", "small", "large", "large"] * 5}
    >>> model = fit(table, target="kind")
    >>> predict(model, {"size": [1.5, 8.5]}).tolist()
    ['small', 'large']
    >>> predict(model, {"size": [1.5, 8.5]}, answer="probability").argmax(axis=1).tolist()
    [1, 0]
    """
    if answer not in get_args(Answer):
        raise InputError(f'answer must be "label", "score" or "probability", not {answer!r}.')
    _, found = given_model(model, "predict")
    table = open_source(source)
    if answer == "probability":
        check_probabilities(found)
    if executor is None:
        parts = answers(table, SentModel(found), answer)
    else:
        from .score_by_workers import map_parts

        parts = list(chain(*map_parts(executor, found, table, [], answers, SentModel(found), answer)))
    if not parts:
        raise no_rows(table)
    return np.concatenate(parts)


def given_model(model: Any, caller: str) -> tuple[str, Model]:
    """What messages call a model, and the model: of a classifier, a pipeline or a file."""
    if isinstance(model, str | os.PathLike):
        return os.fspath(model), read(model)
    found = model_of(model, caller)
    return f"this {found.class_name}", found


def answers(source: Source, shared: AnyModel, answer: Answer) -> list[npt.NDArray[Any]]:
    """The answers of a model for a table or a part of it, batch by batch."""
    model = shared.load()
    return [_answer(model, batch.scores, batch.decided, answer) for batch in predict_batches(model, source)]


def _answer(model: Model, scores: Any, decided: npt.NDArray[np.intp], answer: Answer) -> npt.NDArray[Any]:
    if answer == "label":
        return model.classes[decided]
    found = scores if answer == "score" else probabilities(model, scores)
    return found[:, 0] if found.shape[1] == 1 else found
