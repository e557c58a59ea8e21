"""Reading the user's table: encoded as `rosenblatt train` does, or as a saved model needs it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..foundation.errors import InputError
from ..model.file import Model
from ..tables.encode.class_counter import read_classes
from ..tables.encode.encoded_rows import concatenate_rows
from ..tables.encode.prepare import prepare_encoder
from ..tables.for_proofs.exact_columns import read_number_matrix
from ..tables.read.batches import CATEGORY, NUMBER, Batch, Source
from ..tables.read.column_names import find_column
from ..training.request import Request
from .table_rows import TableRows, encoded_table_rows, numeric_rows


def encode_table(source: Source, target: str, drop: Sequence[str]) -> TableRows:
    """A table encoded as `rosenblatt train` does."""
    encoder = prepare_encoder(source, Request(target=target, drop=tuple(drop)), target)
    batches = source.read_all({**encoder.reading(), target: CATEGORY})
    labels, codes = read_classes(batches, target)
    X = encoder.fit_encode(batches).matrix()
    return encoded_table_rows(batches, encoder, X, codes, [str(label) for label in labels.tolist()])


def encode_for_model(source: Source, target: str, model: Model) -> TableRows:
    """A table encoded by a model's own encoder."""
    encoder = model.encoder
    assert encoder is not None
    for name in encoder.column_encoders:
        find_column(source, name, "which the model needs")
    batches = source.read_all({**encoder.reading(), target: CATEGORY})
    X = concatenate_rows([encoder.encode(batch) for batch in batches]).matrix()
    return encoded_table_rows(batches, encoder, X, *_classes_of_model(source, batches, target, model))


def read_numbers_for_model(source: Source, target: str, model: Model) -> TableRows:
    """The columns of numbers that a model trained on an array needs."""
    wanted = model.columns or [name for name in source.names if name not in (target, "")]
    columns = [find_column(source, name, "which the model needs") for name in wanted]
    if not columns:
        raise InputError(f"{source.path} has no columns besides {target!r}.")
    batches = source.read_all({**dict.fromkeys(columns, NUMBER), target: CATEGORY})
    codes, classes = _classes_of_model(source, batches, target, model)
    return numeric_rows(read_number_matrix(batches, columns), codes, columns, classes)


def _classes_of_model(source: Source, batches: Sequence[Batch], target: str, model: Model) -> tuple[Any, list[str]]:
    """The class code of each row, as the model numbers its classes, and the names of all classes."""
    labels, codes = read_classes(batches, target)
    known = {label: k for k, label in enumerate(model.classes.tolist())}
    unknown = [label for label in np.unique(labels[codes]).tolist() if label not in known]
    if unknown:
        raise InputError(
            f"{source.path}, column {target!r} has the class {unknown[0]!r}, which the model does not know."
        )
    model_codes = np.array([known[label] for label in labels[codes].tolist()], dtype=np.int32)
    return model_codes, [str(label) for label in model.classes.tolist()]
