"""Export models for other programs: ONNX, or JSON with every weight under its name."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..classifiers.calibration.methods import calibration_state
from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from .explanation import column_names, refuse_lifted
from .model import Model

FORMATS = ("onnx", "json")


def export(model: Model, path: str | os.PathLike[str], form: str | None = None) -> str:
    """Write a model as ONNX or JSON, completely or not at all; without `form` the ending of the path decides."""
    form = form or Path(path).suffix.lstrip(".").lower()
    if form not in FORMATS:
        raise InputError(f"{path} must end in .onnx or .json, the formats of an export: rename it, or give the format.")
    if form == "onnx":
        from .onnx import to_onnx

        content = to_onnx(model).SerializeToString()
    else:
        content = json.dumps(as_json(model), allow_nan=False).encode()
    with atomic_write(path) as file:
        file.write(content)
    return form


def as_json(model: Model) -> dict[str, Any]:
    """Everything that predictions need. Of two classes, positive scores mean the second."""
    refuse_lifted(model, "JSON")
    names = column_names(model)
    labels = model.classes.tolist()
    planes = model.plane_labels
    return {
        "rosenblatt": 1,
        "class": model.class_name,
        "target": model.about.get("target"),
        "classes": labels,
        "multilabel": model.learned.label_form is not None,
        "intercept": dict(zip(map(str, planes), model.learned.intercept.tolist(), strict=True)),
        "weights": {
            str(label): dict(zip(names, weights, strict=True))
            for label, weights in zip(planes, model.learned.coef.tolist(), strict=True)
        },
        "calibration": None if model.calibration is None else _plain(calibration_state(model.calibration)),
        "columns": None if model.encoder is None else _plain(model.encoder.state()),
    }


def _plain(state: Any) -> Any:
    """Arrays as lists, without the letters of words, which are in the names of the weights."""
    if isinstance(state, dict):
        return {name: _plain(value) for name, value in state.items() if name not in ("bytes", "ends")}
    return state.tolist() if isinstance(state, np.ndarray) else state
