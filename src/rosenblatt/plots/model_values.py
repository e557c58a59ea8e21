"""The numbers of a model that the plots show: its history, its weights and the names of its columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.types import Floats, Labels


def check_lengths(rows: int, y: Labels) -> None:
    """Refuse labels that are not one for each row, and an empty X."""
    if not rows or y.shape != (rows,):
        raise ValueError(f"X must have rows, and y one label for each: X has {rows}, y has the shape {y.shape}.")


def last_step(model: Any) -> Any:
    """The classifier of a pipeline, such as `fit` returns; any other model itself."""
    return model.steps[-1][1] if getattr(model, "steps", None) else model


def transform_for_last_step(model: Any, X: Any) -> Any:
    """X as the last step of a pipeline gets it; for any other model, X itself."""
    return X if last_step(model) is model else model[:-1].transform(X)


def models_by_name(models: Any) -> dict[str, Any]:
    """Classifiers by name: those of a mapping, or a single one by the name of its class."""
    if isinstance(models, Mapping):
        return {str(name): last_step(model) for name, model in models.items()}
    return {type(last_step(models)).__name__: last_step(models)}


def history_entry(model: Any, what: str, name: str) -> Floats:
    """One entry of a model's history, refused if it was not recorded."""
    history = model.history_
    recorded = [key for key in history if np.isfinite(np.asarray(history[key], dtype=np.float64)).any()]
    if what not in recorded:
        hint = ' Fit it with criterion="loss".' if what in ("objective", "loss") else ""
        raise ValueError(f"The history of {name} has no {what}; it has {', '.join(recorded)}.{hint}")
    return np.asarray(history[what])


def epoch_positions(model: Any, against: str, count: int, name: str) -> Floats:
    """The position of each epoch on the horizontal axis."""
    if against == "epochs":
        return np.arange(1.0, count + 1)
    if against not in ("visits", "seconds"):
        raise ValueError(f'against must be "epochs", "visits" or "seconds", not {against!r}.')
    return history_entry(model, against, name)


def class_weights(model: Any, label: Any) -> tuple[Floats, Any]:
    """The weights in favour of a class, and that class."""
    coef, classes = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)), np.asarray(model.classes_).tolist()
    if label is not None and label not in classes:
        raise ValueError(f"label must be one of the classes {classes}, not {label!r}.")
    if len(coef) == 1:
        return (-coef[0], label) if label == classes[0] and label is not None else (coef[0], classes[1])
    if label is None:
        raise ValueError(f"This model has weights for each of its classes: choose one by label, of {classes}.")
    return coef[classes.index(label)], label


def column_names(model: Any, columns: int, names: Any) -> list[str]:
    """The given names, those of the model, or x1, x2, ...; a lifted model has a weight for each of its terms."""
    if names is None and last_step(model) is not model:
        encoded = model[:-1].get_feature_names_out()
        names, model = (encoded if len(encoded) == columns else None), last_step(model)
    if names is None and callable(getattr(model, "get_feature_names_out", None)):
        names = model.get_feature_names_out()
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{column + 1}" for column in range(columns)])
    if len(names) != columns:
        raise ValueError(f"names must be {columns}, one for each column, not {len(names)}.")
    return [str(name) for name in names]
