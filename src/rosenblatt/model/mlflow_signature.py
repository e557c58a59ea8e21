"""What a model takes and returns, in MLflow's terms."""

from typing import Any

import numpy as np

from ..foundation.label_sets import MATRIX
from ..tables.read.batches import NUMBER
from .file import model_of
from .model import Model

CLASS_TYPES = {"b": "boolean", "i": "long", "u": "long", "f": "double"}  # by the kind of NumPy's type


def model_signature(classifier: Any, function: str) -> Any:
    """The signature of a model without an example. Arrays without names of columns are tensors."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, Schema, TensorSpec

    model = model_of(classifier)
    columns = _columns(model)
    if columns is None:
        inputs = Schema([TensorSpec(np.dtype(np.float64), (-1, model.row_columns))])
    else:
        inputs = Schema([ColSpec(kind, name) for name, kind in columns.items()])
    several = model.learned.label_form
    if function == "predict" and several == MATRIX:
        return ModelSignature(inputs, Schema([TensorSpec(np.dtype(np.int64), (-1, len(model.classes)))]))
    if function == "predict" and several is not None:
        return ModelSignature(inputs)  # tuples of labels have no type there
    if function == "predict":
        return ModelSignature(inputs, Schema([ColSpec(CLASS_TYPES.get(model.classes.dtype.kind, "string"))]))
    planes = len(model.classes) if function == "predict_proba" or len(model.plane_labels) > 1 or several else None
    shape = (-1,) if planes is None else (-1, planes)
    return ModelSignature(inputs, Schema([TensorSpec(np.dtype(np.float64), shape)]))


def _columns(model: Model) -> dict[str, str] | None:
    """The type of each column, if the columns have names."""
    if model.encoder is not None:
        return {name: "double" if kind == NUMBER else "string" for name, kind in model.encoder.reading().items()}
    return None if model.columns is None else dict.fromkeys(model.columns, "double")


def example_signature(example: Any, answer: Any) -> Any:
    """The signature of a model by rows that it takes and its answer to them."""
    from mlflow.models import infer_signature

    return infer_signature(example, answer)
