"""A user's own table, or model, in the lab: read once, looked at as often as the page asks."""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.errors import InputError
from ..model import file as modelfile
from ..model.explanation import column_names
from ..model.file import Model
from ..tables.encode.encoded_rows import together
from ..tables.encode.prepare import encoder_of
from ..tables.encode.scaling import Scaling, measure
from ..tables.encode.targets import classes_of
from ..tables.for_proofs.exact_columns import numbers
from ..tables.read.batches import CATEGORY, NUMBER, Batch, Source
from ..tables.read.column_names import find
from ..tables.read.sources import open_source
from ..training.request import Request
from .insight import Content, Planes, history_of, insight
from .run_request import given_learner, is_number, part, shown
from .table_rows import Rows, rows_of_numbers, rows_of_table

MODEL_ENDING = ".safetensors"
PATIENCE = 5.0  # seconds of training
Question = Callable[[Mapping[str, Any]], Content]
Trained = tuple[Planes, Content]


def opened(files: Sequence[Path], target: str | None, drop: Sequence[str]) -> Question:
    """Read a table, a model, or a model and the table to look at it with; the answer is what the page asks."""
    models = [file for file in files if file.suffix == MODEL_ENDING]
    tables = [file for file in files if file.suffix != MODEL_ENDING]
    if len(models) > 1 or len(tables) > 1:
        raise InputError("The lab looks at one model and one table at a time: give one of each at most.")
    model = modelfile.read(models[0]) if models else None
    if model is not None and drop:
        raise InputError("--drop leaves columns out of training: a model that is trained already has no use for it.")
    if not tables:
        assert model is not None
        return of_model(model, models[0].name)
    source = open_source(tables[0])
    target = target or source.target if model is None else target or model.about.get("target")
    if not isinstance(target, str):
        raise InputError(f"--target must name the column of {tables[0]} that is to be predicted.")
    find(source, target, "to predict")
    title = f"{tables[0].name}: {target}"
    if model is None:
        return of_rows(_table(source, target, drop), title)
    rows = _numbers_for(source, target, model) if model.encoder is None else _table_for(source, target, model)
    if model.learned.coef.shape[1] != len(rows.columns):
        raise InputError(
            f"The lab shows models that weigh columns, as they are: this one makes {model.learned.coef.shape[1]} "
            f"weights of {len(rows.columns)} columns. Give the table alone, with --target and --drop."
        )
    return of_rows(rows, f"{models[0].name} on {title}", model)


def _table(source: Source, target: str, drop: Sequence[str]) -> Rows:
    """A table whose columns are encoded as `rosenblatt train` does."""
    encoder = encoder_of(source, Request(target=target, drop=tuple(drop)), target)
    batches = source.held({**encoder.reading(), target: CATEGORY})
    labels, codes = classes_of(batches, target)
    X = encoder.learn(batches).matrix()
    return rows_of_table(batches, encoder, X, codes, [str(label) for label in labels.tolist()])


def _table_for(source: Source, target: str, model: Model) -> Rows:
    """A table as a model's encoder sees it."""
    encoder = model.encoder
    assert encoder is not None
    for name in encoder.parts:
        find(source, name, "which the model needs")
    batches = source.held({**encoder.reading(), target: CATEGORY})
    X = together([encoder.encode(batch) for batch in batches]).matrix()
    return rows_of_table(batches, encoder, X, *_classes_for(source, batches, target, model))


def _numbers_for(source: Source, target: str, model: Model) -> Rows:
    """Columns of numbers, for a model that was trained on an array."""
    wanted = model.columns or [name for name in source.names if name not in (target, "")]
    columns = [find(source, name, "which the model needs") for name in wanted]
    if not columns:
        raise InputError(f"{source.path} has no columns to look at besides {target!r}.")
    batches = source.held({**dict.fromkeys(columns, NUMBER), target: CATEGORY})
    codes, classes = _classes_for(source, batches, target, model)
    return rows_of_numbers(numbers(batches, columns), codes, columns, classes)


def _classes_for(source: Source, batches: Sequence[Batch], target: str, model: Model) -> tuple[Any, list[str]]:
    """The number of each row's class, as the model counts them, and all classes."""
    labels, codes = classes_of(batches, target)
    return _codes_for(model, labels[codes], source.path, target), [str(label) for label in model.classes.tolist()]


def _codes_for(model: Model, labels: Any, path: str, target: str) -> Any:
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
    scaling = _scaling(rows)
    counts = np.bincount(rows.codes, minlength=len(rows.classes)).tolist()
    about = {"title": title, "classes": rows.classes, "counts": counts, "rows": len(rows.codes)}
    last: dict[str, Trained] = {}  # another plane of the same model needs no new training

    def found(content: Mapping[str, Any]) -> Trained:
        if model is not None:
            return _told(model)
        key = json.dumps([content.get("learner"), content.get("parameters")], sort_keys=True)
        if key not in last:
            trained = _trained(rows, scaling, content)
            last.clear()
            last[key] = trained
        return last[key]

    def answer(content: Mapping[str, Any]) -> Content:
        shown_class = _shown_class(content, len(rows.classes))
        planes, told = found(content)
        seen = insight(rows, planes, scaling, shown_class)
        return {**about, "columns": len(rows.columns), **told, **seen}

    return answer


def _scaling(rows: Rows) -> Scaling | None:
    """How columns of numbers are centred and scaled. An encoder has done so."""
    if rows.owners is not rows.columns:
        return None
    scaling = measure(rows.X)
    if not np.isfinite(scaling.scale).all():
        raise InputError("The table holds numbers too large to be scaled: change their units.")
    return scaling


def _shown_class(content: Mapping[str, Any], count: int) -> int:
    shown_class = content.get("class", count - 1)
    if not is_number(shown_class) or shown_class != int(shown_class) or not 0 <= shown_class < count:
        raise InputError(f"class must be a whole number from 0 to {count - 1}, not {shown(shown_class)}.")
    return int(shown_class)


def _told(model: Model) -> Trained:
    learned = model.learned
    told = {
        "learner": model.class_name,
        "fixed": True,
        "status": str(learned.status),
        "history": history_of(getattr(learned, "history", {})),
        "notes": [],
    }
    return Planes(learned.coef, learned.intercept), told


def _trained(rows: Rows, scaling: Scaling | None, content: Mapping[str, Any]) -> Trained:
    """Fit on scaled columns; the weights are then those for the columns as they are."""
    learner, parameters = given_learner(
        content.get("learner", "AveragedPerceptron"), part(content.get("parameters", {}), "parameters", dict)
    )
    try:
        model = learner.make(parameters)
        model.max_seconds = PATIENCE
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows.X if scaling is None else scaling.apply(rows.X), rows.codes)
        coef, intercept = model.coef_, model.intercept_
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    except AttributeError:
        raise InputError(f"{learner.name} has no weights of columns to show: choose another learner.") from None
    if coef.shape[1] != len(rows.columns):
        raise InputError("Your data are shown with the columns as they are: choose features='identity'.")
    told = {
        "learner": learner.name,
        "fixed": False,
        "status": str(model.status_),
        "history": history_of(model.history_),
        "notes": [str(warning.message) for warning in caught],
    }
    return Planes(coef, intercept) if scaling is None else Planes(*scaling.undo(coef, intercept)), told
