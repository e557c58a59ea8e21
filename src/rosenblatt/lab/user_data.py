"""The user's own data in the lab: the files of a table, of a model, or of both."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.errors import InputError
from ..foundation.splitting import TEST
from ..model import file as modelfile
from ..model.explanation import term_names
from ..model.file import Model
from ..model.predict import encoder_for_source
from ..model.scored_rows import true_classes
from ..tables.encode.scaling import measure_scaling
from ..tables.read.batches import CATEGORY, Source
from ..tables.read.column_names import find_column
from ..tables.read.sources import open_source
from .data_report import heaviest_weights, plotted_history
from .data_view import DataView
from .questions import QuestionHandler
from .row_lists import class_index
from .seen_model import UNKNOWN_ROWS, SeenModel
from .table_training import TrainableTable, judged_on_measured, see_table
from .weight_space import MAX_SCALING_ROWS, WeightSpace

MODEL_SUFFIX = ".safetensors"
Questions = Mapping[str, QuestionHandler]


def open_user_data(files: Sequence[Path], target: str | None, drop: Sequence[str]) -> Questions:
    """Read a table, a model, or both, and return the handlers of the page's questions about them."""
    models = [file for file in files if file.suffix == MODEL_SUFFIX or modelfile.is_safetensors(file)]
    tables = [file for file in files if file not in models]
    if len(models) > 1 or len(tables) > 1:
        raise InputError("The lab takes at most one model and one table.")
    model = modelfile.read(models[0]) if models else None
    if model is not None and drop:
        raise InputError("--drop excludes columns from training, but this model is already trained: leave --drop out.")
    if not tables:
        assert model is not None
        return model_questions(model, models[0].name)
    return _table_questions(tables[0], target, drop, model, models[0].name if models else "")


def _table_questions(
    table: Path, target: str | None, drop: Sequence[str], model: Model | None, model_name: str
) -> Questions:
    source = open_source(table)
    about = {} if model is None else model.about
    target = target or about.get("target") or source.target
    if not isinstance(target, str):
        raise InputError(f"--target must name the column of {table} to predict.")
    find_column(source, target, "to predict")
    title = f"{table.name}: {target}"
    if model is None:
        return trainable_questions(TrainableTable(source, target, drop), title)
    seen = see_source(model, source, target)
    return fixed_questions(seen, f"{model_name} on {title}")


def trainable_questions(table: TrainableTable, title: str) -> Questions:
    """The questions about a table that the page trains on."""
    return DataView(title, table.see, fixed=False, sampled=table.every > 1).questions


def fixed_questions(seen: SeenModel, title: str) -> Questions:
    """The questions about a model that was trained before."""
    return DataView(title, lambda content, watch: seen, fixed=True).questions


def see_source(model: Model, source: Source, target: str) -> SeenModel:
    """What a model says of all rows of a table, whose classes are those of a column."""
    if model.steps is not None:
        raise InputError("The lab shows pipelines of scikit-learn's steps in a notebook: Lab(X, y, load(path)).")
    known = _with_columns(model, source, target)
    known = replace(known, encoder=encoder_for_source(known, source))
    assert known.encoder is not None
    batches = source.read_all({**known.encoder.reading(), target: CATEGORY})
    codes = np.concatenate([true_classes(batch, target, model.classes.tolist()) for batch in batches])
    uses, numbers = np.full(len(codes), TEST, dtype=np.int8), np.arange(1, len(codes) + 1)
    seen = see_table(known, batches, codes, uses, numbers)
    seen = replace(seen, judged=judged_on_measured(seen), notes=[UNKNOWN_ROWS])
    if model.encoder is None and seen.space is not None and seen.space.owners:  # its columns are not scaled
        sample = seen.space.read(np.arange(len(codes))[:: -(-len(codes) // MAX_SCALING_ROWS)])
        seen = replace(seen, space=replace(seen.space, scaling=measure_scaling(sample)))
    return seen


def _with_columns(model: Model, source: Source, target: str) -> Model:
    """The model; one without names takes all columns of the table but the target, if there are as many as it needs."""
    others = [name for name in source.names if name not in (target, "")]
    if model.encoder is not None or model.columns is not None or len(others) != model.row_columns:
        return model
    return replace(model, columns=others)


def model_questions(model: Model, title: str) -> Questions:
    """The question about a model without a table: its weights and how it was trained."""
    names, classes = term_names(model), [str(label) for label in model.classes.tolist()]
    space = WeightSpace(model.learned.coef, model.learned.intercept, names, names, (), _no_rows)

    def report(content: Mapping[str, Any]) -> dict[str, Any]:
        shown = class_index(content, "class", len(classes), len(classes) - 1)
        return {
            "title": title,
            "learner": model.class_name,
            "fixed": True,
            "classes": classes,
            "columns": len(names),
            "status": str(model.learned.status),
            "history": plotted_history(getattr(model.learned, "history", {})),
            "weights": heaviest_weights(space, 0 if len(space.coef) == 1 else shown),
        }

    return {"data": report}


def _no_rows(places: Any) -> Any:
    raise InputError("There is no table: give one to see rows.")
