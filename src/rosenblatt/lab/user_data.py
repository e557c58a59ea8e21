"""The user's own data in the lab: a table or a saved model, read once and reported on at every request."""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..foundation.errors import InputError
from ..model import file as modelfile
from ..model.explanation import column_names
from ..model.file import Model
from ..tables.encode.scaling import Scaling, measure_scaling
from ..tables.read.column_names import find_column
from ..tables.read.sources import open_source
from .data_report import Content, Hyperplanes, data_report, heaviest_weights, plotted_history
from .run_request import is_finite_number, parse_classifier, require_type, short_repr
from .table_rows import TableRows
from .user_table import encode_for_model, encode_table, read_numbers_for_model

MODEL_SUFFIX = ".safetensors"
MAX_TRAINING_SECONDS = 5.0
DataHandler = Callable[[Mapping[str, Any]], Content]


class TrainedPlanes(NamedTuple):
    """Hyperplanes of a trained classifier, and what the page is told about its training."""

    planes: Hyperplanes
    summary: Content


def open_user_data(files: Sequence[Path], target: str | None, drop: Sequence[str]) -> DataHandler:
    """Read a table, a model, or both, and return the function that answers the page's requests about them."""
    models = [file for file in files if file.suffix == MODEL_SUFFIX or modelfile.is_safetensors(file)]
    tables = [file for file in files if file not in models]
    if len(models) > 1 or len(tables) > 1:
        raise InputError("The lab takes at most one model and one table.")
    model = modelfile.read(models[0]) if models else None
    if model is not None and drop:
        raise InputError("--drop excludes columns from training, but this model is already trained: leave --drop out.")
    if not tables:
        assert model is not None
        return model_handler(model, models[0].name)
    return _table_handler(tables[0], target, drop, model, models[0].name if models else "")


def _table_handler(
    table: Path, target: str | None, drop: Sequence[str], model: Model | None, model_name: str
) -> DataHandler:
    source = open_source(table)
    target = target or source.target if model is None else target or model.about.get("target")
    if not isinstance(target, str):
        raise InputError(f"--target must name the column of {table} to predict.")
    find_column(source, target, "to predict")
    title = f"{table.name}: {target}"
    if model is None:
        return rows_handler(encode_table(source, target, drop), title)
    read = read_numbers_for_model if model.encoder is None else encode_for_model
    rows = read(source, target, model)
    weights = model.learned.coef.shape[1]
    if weights != len(rows.columns):
        raise InputError(
            f"The lab shows models with one weight for each column: this one makes {weights} "
            f"weights of {len(rows.columns)} columns. Give the table alone, with --target and --drop."
        )
    return rows_handler(rows, f"{model_name} on {title}", model)


def model_handler(model: Model, title: str) -> DataHandler:
    """Answers about a model without a table: its weights and how it was trained."""
    columns = column_names(model)
    classes = [str(label) for label in model.classes.tolist()]

    def answer(content: Mapping[str, Any]) -> Content:
        coef = model.learned.coef
        w = coef[0 if len(coef) == 1 else _class_index(content, len(classes))]
        return {
            "title": title,
            "learner": model.class_name,
            "fixed": True,
            "classes": classes,
            "columns": len(columns),
            "status": str(model.learned.status),
            "history": plotted_history(getattr(model.learned, "history", {})),
            "weights": heaviest_weights(w, columns),
        }

    return answer


def rows_handler(rows: TableRows, title: str, model: Model | None = None) -> DataHandler:
    """Answers about rows: with a classifier that the page chooses, or with a model trained before."""
    scaling = _measure_scaling(rows)
    counts = np.bincount(rows.codes, minlength=len(rows.classes)).tolist()
    about = {"title": title, "classes": rows.classes, "counts": counts, "rows": len(rows.codes)}
    last: dict[str, TrainedPlanes] = {}  # the last classifier: to show another of its planes, it is not trained again

    def trained_planes(content: Mapping[str, Any]) -> TrainedPlanes:
        if model is not None:
            return _planes_of(model)
        key = json.dumps([content.get("learner"), content.get("parameters")], sort_keys=True)
        if key not in last:
            trained = _train(rows, scaling, content)
            last.clear()
            last[key] = trained
        return last[key]

    def answer(content: Mapping[str, Any]) -> Content:
        shown_class = _class_index(content, len(rows.classes))
        planes, summary = trained_planes(content)
        report = data_report(rows, planes, scaling, shown_class)
        return {**about, "columns": len(rows.columns), **summary, **report}

    return answer


def _measure_scaling(rows: TableRows) -> Scaling | None:
    """How columns of numbers are centred and scaled; None for encoded columns, which are scaled already."""
    if rows.owners is not rows.columns:
        return None
    scaling = measure_scaling(rows.X)
    if not np.isfinite(scaling.scale).all():
        raise InputError("The table has numbers that are too large to scale: change their units.")
    return scaling


def _class_index(content: Mapping[str, Any], count: int) -> int:
    index = content.get("class", count - 1)
    if not is_finite_number(index) or index != int(index) or not 0 <= index < count:
        raise InputError(f"class must be a whole number from 0 to {count - 1}, not {short_repr(index)}.")
    return int(index)


def _planes_of(model: Model) -> TrainedPlanes:
    learned = model.learned
    summary = {
        "learner": model.class_name,
        "fixed": True,
        "status": str(learned.status),
        "history": plotted_history(getattr(learned, "history", {})),
        "notes": [],
    }
    return TrainedPlanes(Hyperplanes(learned.coef, learned.intercept), summary)


def _train(rows: TableRows, scaling: Scaling | None, content: Mapping[str, Any]) -> TrainedPlanes:
    """Fit on scaled columns; the returned weights are those for the unscaled columns."""
    parameters = require_type(content.get("parameters", {}), "parameters", dict)
    entry, parameters = parse_classifier(content.get("learner", "AveragedPerceptron"), parameters)
    try:
        model = entry.make(parameters)
        model.max_seconds = MAX_TRAINING_SECONDS
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows.X if scaling is None else scaling.apply(rows.X), rows.codes)
        coef, intercept = model.coef_, model.intercept_
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    except AttributeError:
        raise InputError(f"{entry.name} has no weights of columns to show: choose another learner.") from None
    if coef.shape[1] != len(rows.columns):
        raise InputError("The lab shows your data with one weight for each column: choose features='identity'.")
    summary = {
        "learner": entry.name,
        "fixed": False,
        "status": str(model.status_),
        "history": plotted_history(model.history_),
        "notes": [str(warning.message) for warning in caught],
    }
    planes = Hyperplanes(coef, intercept) if scaling is None else Hyperplanes(*scaling.undo(coef, intercept))
    return TrainedPlanes(planes, summary)
