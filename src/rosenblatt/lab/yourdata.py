"""A user's own table, or model, in the lab: read once, looked at as often as the page asks."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import modelfile
from ..data.batches import CATEGORY, NUMBER, Batch, Source
from ..data.encoded import together
from ..data.exact import numbers
from ..data.names import find
from ..data.scaling import Scaling, measure
from ..data.sources import open_source
from ..data.targets import classes_of
from ..errors import ColumnError, InputError
from ..explanations import column_names
from ..modelfile import Model
from .insight import Content, Planes, Rows, history_of, insight
from .request import given_learner, is_number, part, shown

MODEL_ENDING = ".safetensors"
MOST_COLUMNS = 2000
PATIENCE = 10.0  # seconds of training
Question = Callable[[Mapping[str, Any]], Content]


def opened(files: Sequence[Path], target: str | None, ignore: Sequence[str]) -> Question:
    """Read a table, a model, or a model and the table to look at it with; the answer is what the page asks."""
    models = [file for file in files if file.suffix == MODEL_ENDING]
    tables = [file for file in files if file.suffix != MODEL_ENDING]
    if len(models) > 1 or len(tables) > 1:
        raise InputError("The lab looks at one model and one table at a time: give one of each at most.")
    model = modelfile.read(models[0]) if models else None
    if not tables:
        assert model is not None
        return of_model(model, models[0].name)
    if target is None:
        target = None if model is None else model.about.get("target")
    if not isinstance(target, str):
        raise InputError(f"--target must name the column of {tables[0]} that is to be predicted.")
    rows = _table(tables[0], target, ignore, model)
    title = f"{tables[0].name}: {target}"
    return of_rows(rows, title) if model is None else of_rows(rows, f"{models[0].name} on {title}", model)


def _table(path: Path, target: str, ignore: Sequence[str], model: Model | None) -> Rows:
    source = open_source(path)
    find(source, target, "to predict")
    left_out = {target, ""} | {find(source, name, "to ignore") for name in ignore}
    columns = [name for name in source.names if name not in left_out]
    if model is not None and model.columns is not None:
        columns = [find(source, name, "which the model needs") for name in model.columns]
    if not columns:
        raise InputError(f"{path} has no columns to look at besides {target!r}.")
    try:
        if model is not None and model.encoder is not None:
            X, columns, batches = _encoded(source, target, model)
        else:
            batches = source.held({**dict.fromkeys(columns, NUMBER), target: CATEGORY})
            X = numbers(batches, columns)
    except ColumnError as error:
        raise InputError(f"{error}, or leave the column out with --ignore.") from None
    labels, codes = classes_of(batches, target)
    if model is not None and model.learned.coef.shape[1] != len(columns):
        raise InputError(
            f"The lab shows models of columns of numbers, as they are: this one makes {model.learned.coef.shape[1]} "
            f"weights of {len(columns)} columns. Give the table alone, with --target and --ignore."
        )
    if model is not None:
        codes = _codes_for(model, labels[codes], path, target)
        labels = model.classes
    return Rows(X, codes, columns, [str(label) for label in labels.tolist()])


def _encoded(source: Source, target: str, model: Model) -> tuple[Any, list[str], list[Batch]]:
    """A table as a model sees it: its columns of numbers, and their names."""
    encoder = model.encoder
    assert encoder is not None
    if encoder.columns > MOST_COLUMNS:
        raise InputError(
            f"The model has {encoder.columns:,} columns, more than the lab can show: use rosenblatt explain."
        )
    for name in encoder.parts:
        find(source, name, "which the model needs")
    batches = source.held({**encoder.reading(), target: CATEGORY})
    matrix = together([encoder.encode(batch) for batch in batches]).matrix()
    return np.asarray(matrix.toarray() if encoder.sparse else matrix, dtype=np.float64), encoder.names, batches


def _codes_for(model: Model, labels: Any, path: Path, target: str) -> Any:
    known = {label: k for k, label in enumerate(model.classes.tolist())}
    missing = [label for label in np.unique(labels).tolist() if label not in known]
    if missing:
        raise InputError(f"{path}, column {target!r} has the class {missing[0]!r}, which the model does not know.")
    return np.array([known[label] for label in labels.tolist()], dtype=np.int32)


def of_model(model: Model, title: str) -> Question:
    """A model without rows: its weights and how it was trained."""
    coef = model.learned.coef
    columns = column_names(model)
    classes = [str(label) for label in model.classes.tolist()]

    def answer(content: Mapping[str, Any]) -> Content:
        w = coef[0 if len(coef) == 1 else _shown_class(content, len(classes))]
        heavy = np.argsort(-np.abs(w), kind="stable")[:15]
        return {
            "title": title,
            "learner": model.class_name,
            "fixed": True,
            "classes": classes,
            "columns": len(columns),
            "status": str(model.learned.status),
            "history": history_of(getattr(model.learned, "history", {})),
            "weights": [{"name": columns[k], "weight": float(w[k])} for k in heavy],
        }

    return answer


def of_rows(rows: Rows, title: str, model: Model | None = None) -> Question:
    """Rows, with a learner that the page chooses, or with a model that was trained before."""
    scaling = measure(rows.X)
    if not np.isfinite(scaling.scale).all():
        raise InputError("The table holds numbers too large to be scaled: change their units.")

    def answer(content: Mapping[str, Any]) -> Content:
        found = _trained(rows, scaling, content) if model is None else _told(model)
        planes = found.pop("planes")
        seen = insight(rows, planes, scaling, _shown_class(content, len(rows.classes)))
        counts = np.bincount(rows.codes, minlength=len(rows.classes)).tolist()
        about = {"title": title, "classes": rows.classes, "counts": counts, "rows": len(rows.codes)}
        return {**about, "columns": len(rows.columns), **found, **seen}

    return answer


def _shown_class(content: Mapping[str, Any], count: int) -> int:
    shown_class = content.get("class", count - 1)
    if not is_number(shown_class) or shown_class != int(shown_class) or not 0 <= shown_class < count:
        raise InputError(f"class must be a whole number from 0 to {count - 1}, not {shown(shown_class)}.")
    return int(shown_class)


def _told(model: Model) -> Content:
    learned = model.learned
    return {
        "planes": Planes(learned.coef, learned.intercept),
        "learner": model.class_name,
        "fixed": True,
        "status": str(learned.status),
        "history": history_of(getattr(learned, "history", {})),
        "notes": [],
    }


def _trained(rows: Rows, scaling: Scaling, content: Mapping[str, Any]) -> Content:
    """Fit on scaled columns; the weights are then those for the columns as they are."""
    learner, parameters = given_learner(
        content.get("learner", "AveragedPerceptron"), part(content.get("parameters", {}), "parameters", dict)
    )
    try:
        model = learner.make(parameters)
        model.max_seconds = PATIENCE
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(scaling.apply(rows.X), rows.codes)
        coef, intercept = model.coef_, model.intercept_
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    except AttributeError:
        raise InputError(f"{learner.name} has no weights of columns to show: choose another learner.") from None
    if coef.shape[1] != len(rows.columns):
        raise InputError("Your data are shown with the columns as they are: choose features='identity'.")
    return {
        "planes": Planes(*scaling.undo(coef, intercept)),
        "learner": learner.name,
        "fixed": False,
        "status": str(model.status_),
        "history": history_of(model.history_),
        "notes": [str(warning.message) for warning in caught],
    }
