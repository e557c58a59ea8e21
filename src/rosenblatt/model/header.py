"""A model as a JSON header and tensors, and back. Content of a file is trusted only if its parts fit together."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ..classifiers.calibration.calibration import Calibration
from ..classifiers.calibration.label_calibration import LabelCalibration
from ..classifiers.calibration.methods import calibration_from_state, calibration_state
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.json_values import all_finite, arrays_in, arrays_out, count_in, labels_in, labels_out, require_type
from ..foundation.label_sets import LISTS, MATRIX
from ..foundation.types import Floats, History, Tensors
from ..foundation.version import __version__
from ..parts.bounds import bounds_to_json
from ..parts.catalogue import CLASS_NAMES, KERNEL_NAMES
from ..parts.features import as_features, features_from_json, features_to_json
from ..parts.stops import Status
from .model import Model
from .stream_state import stream_in, stream_out
from .vote_state import vote_in, vote_out

if TYPE_CHECKING:
    from ..parts.kernels import Support
    from ..tables.encode.encoder import Encoder
    from .pipeline_steps import Steps

FORMAT = 3  # format 1 had no encoder, format 2 no calibration and no steps of a pipeline
PROOF = ("objective", "gradient_norm", "duality_gap")
ALWAYS = ("format", "version", "class", "parameters", "classes", "columns", "inputs", "status", "counts", "about")
SOMETIMES = ("joint", "labels", "proof", "stream", "support", "vote", "encoder", "steps", "calibration")
Header = dict[str, Any]
MEASURED = ("seconds",)  # columns of the history that differ from run to run: equal models have equal files


def to_header(model: Model) -> tuple[Header, Tensors]:
    """The JSON header and the tensors of a model."""
    learned = model.learned
    tensors: Tensors = {"coef": learned.coef, "intercept": learned.intercept}
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise ValueError("the weights are not finite numbers; scale the columns and train again before saving.")
    tensors |= {f"history.{name}": values for name, values in learned.history.items() if name not in MEASURED}
    header: Header = {
        "format": FORMAT,
        "version": __version__,
        "class": model.class_name,
        "parameters": {name: _parameter_to_json(name, value) for name, value in _finite_parameters(model).items()},
        "classes": labels_out(model.classes),
        "columns": model.columns,
        "inputs": model.row_columns,
        "status": _status_to_json(learned.status),
        "counts": {"visits": learned.n_visits, "updates": learned.n_updates, "mistakes": learned.n_mistakes},
        "about": dict(model.about),
    }
    _add_parts(header, tensors, model)
    return header, tensors


def _add_parts(header: Header, tensors: Tensors, model: Model) -> None:
    """Add what only some models have."""
    learned = model.learned
    if isinstance(learned, TrainingResult):
        header["joint"] = learned.joint
        header["proof"] = {name: getattr(learned, name) for name in PROOF if np.isfinite(getattr(learned, name))}
    if learned.label_form is not None:
        header["labels"] = learned.label_form
    if learned.vote is not None:
        header["vote"] = arrays_out(vote_out(learned.vote), "vote", tensors)
    if isinstance(learned, Stream):
        header["stream"] = stream_out(learned, tensors)
    if model.class_name in KERNEL_NAMES:
        from .kernel_state import support_out

        header["support"] = support_out(cast(Any, learned), tensors)
    if model.encoder is not None:
        header["encoder"] = arrays_out(model.encoder.state(), "encoder", tensors)
    if model.steps is not None:
        header["steps"] = model.steps.content
        tensors.update(model.steps.tensors)
    if model.calibration is not None:
        header["calibration"] = arrays_out(calibration_state(model.calibration), "calibration", tensors)


def from_header(header: Header, tensors: Tensors) -> Model:
    """The model, or an exception if header and tensors are not what `to_header` returns."""
    if unknown := header.keys() - {*ALWAYS, *SOMETIMES}:  # a part under a damaged name must not be left out
        raise ValueError(f"its header has an unknown part {min(unknown)!r}")
    class_name = require_type(header["class"], str)
    if class_name not in CLASS_NAMES:
        raise ValueError(f"there is no classifier {class_name!r}")
    form = _read_form(header)
    classes = labels_in(require_type(header["classes"], dict), in_order=form != MATRIX)
    planes = len(classes) if len(classes) > 2 or form is not None else 1
    coef, intercept = _read_weights(tensors, class_name, planes)
    parameters = {
        name: _parameter_from_json(name, value) for name, value in require_type(header["parameters"], dict).items()
    }
    support = None
    if class_name in KERNEL_NAMES:
        from .kernel_state import support_in

        support = support_in(require_type(header["support"], dict), tensors, coef)
    width = coef.shape[1] if support is None else support.X.shape[1]
    columns, inputs = header["columns"], require_type(header.get("inputs", width), int)
    if inputs < 1 or as_features(parameters.get("features", "identity")).columns(inputs) != width:
        raise ValueError("its weights do not fit its features")
    if columns is not None and len([require_type(name, str) for name in require_type(columns, list)]) != inputs:
        raise ValueError("its weights do not fit its columns")
    learned = _read_learned(header, tensors, coef, intercept, support, len(classes))
    encoder, about = _read_encoder(header, tensors, inputs), require_type(header["about"], dict)
    if not isinstance(about.get("target"), str | None):
        raise ValueError("the name of its target is no text")
    steps, calibration = _read_steps(header, tensors), _read_calibration(header, tensors, len(classes))
    return Model(class_name, parameters, classes, columns, learned, about, inputs, encoder, steps, calibration)


def _read_form(header: Header) -> str | None:
    """How several labels a row are given; None if a row has one."""
    form = header.get("labels")
    if form not in (None, MATRIX, LISTS):
        raise ValueError(f"its labels have no form {form!r}")
    return None if form is None else require_type(form, str)


def _read_weights(tensors: Tensors, class_name: str, planes: int) -> tuple[Floats, Floats]:
    """The weights and offsets of so many planes."""
    coef, intercept = _check_floats(tensors["coef"]), _check_floats(tensors["intercept"])
    empty = coef.ndim == 2 and coef.shape[1] == 0 and class_name not in KERNEL_NAMES
    if coef.ndim != 2 or coef.shape[0] != planes or empty or intercept.shape != (planes,):
        raise ValueError("its weights do not fit its classes")
    with np.errstate(over="ignore"):
        if not all_finite(np.abs(coef).sum(axis=1) + np.abs(intercept)):
            raise ValueError("its weights are so large that their sums overflow")
    return coef, intercept


def _read_learned(
    header: Header, tensors: Tensors, coef: Floats, intercept: Floats, support: "Support | None", classes: int
) -> TrainingResult | Stream:
    """What was learned: the result of a training, or a stream that can go on learning."""
    stream = require_type(header["stream"], dict) if "stream" in header else None
    vote = arrays_in(require_type(header["vote"], dict), tensors) if "vote" in header else None
    if support is None and stream is not None:
        return stream_in(stream, tensors, coef, classes, _read_form(header))
    if support is None:
        learned = _read_result(header, tensors, coef, intercept)
        return learned if vote is None else replace(learned, vote=vote_in(vote, coef))
    from .kernel_state import kernel_stream_in, trained_in

    if stream is not None:
        budget = header["support"]["budget"]
        return kernel_stream_in(stream, budget, support, tensors, coef, classes, _read_form(header))
    return trained_in(_read_result(header, tensors, coef, intercept), support)


def _read_encoder(header: Header, tensors: Tensors, columns: int) -> "Encoder | None":
    if "encoder" not in header:
        return None
    from ..tables.encode.encoder import Encoder

    encoder = Encoder.from_state(arrays_in(require_type(header["encoder"], dict), tensors))
    if encoder.columns != columns:
        raise ValueError("its weights do not fit its columns")
    return encoder


def _read_steps(header: Header, tensors: Tensors) -> "Steps | None":
    if "steps" not in header:
        return None
    from .pipeline_steps import read_steps

    return read_steps(require_type(header["steps"], dict), tensors)


def _read_calibration(header: Header, tensors: Tensors, classes: int) -> Calibration | None:
    if "calibration" not in header:
        return None
    state = arrays_in(require_type(header["calibration"], dict), tensors)
    if _read_form(header) is None:
        return calibration_from_state(state, classes)
    return LabelCalibration.from_state(state, require_type(state["rows"], int), classes)


def _status_to_json(status: Status) -> Header:
    counts = {"mistakes": status.mistakes, "rows": status.rows, "epochs": status.epochs}
    return {"sentence": str(status), "reason": status.reason, **counts}


def _read_result(header: Header, tensors: Tensors, coef: Floats, intercept: Floats) -> TrainingResult:
    status = header["status"]
    counts: Header = {f"n_{name}": count_in(header["counts"][name]) for name in ("visits", "updates", "mistakes")}
    return TrainingResult(
        coef,
        intercept,
        Status(
            require_type(status["sentence"], str),
            require_type(status["reason"], str),
            **{name: require_type(status[name], int) for name in ("mistakes", "rows", "epochs")},
        ),
        _read_history(tensors),
        **counts,
        interrupted=status["reason"] == "interrupted",
        label_form=_read_form(header),
        joint=None if header.get("joint") is None else require_type(header["joint"], bool),
        **{name: require_type(value, float) for name, value in header.get("proof", {}).items() if name in PROOF},
    )


def _read_history(tensors: Tensors) -> History:
    prefix = "history."
    history = {name.removeprefix(prefix): values for name, values in tensors.items() if name.startswith(prefix)}
    if len({values.shape for values in history.values()}) > 1 or any(values.ndim != 1 for values in history.values()):
        raise ValueError("the columns of its history differ in length")
    return history


def _check_floats(tensor: npt.NDArray[Any]) -> Floats:
    if tensor.dtype != np.float64 or not all_finite(tensor):
        raise ValueError("its weights are not finite numbers of type float64")
    return tensor


def _finite_parameters(model: Model) -> Mapping[str, Any]:
    """The parameters, with no penalty where C is infinite: that is the same, and JSON has no infinity."""
    unlimited = model.parameters.get("C") == inf
    return {**model.parameters, "C": None, "penalty": None} if unlimited else model.parameters


def _parameter_to_json(name: str, value: Any) -> Any:
    """A parameter as JSON keeps it; values that JSON cannot keep are refused."""
    if name == "class_weight" and isinstance(value, Mapping):
        return [[_parameter_to_json(name, label), _parameter_to_json(name, weight)] for label, weight in value.items()]
    if name == "features":
        return features_to_json(value)
    if name == "bounds" and value is not None:
        return bounds_to_json(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"{name}={value!r} cannot be saved: set_params({name}=...) to a plain value first.")


def _parameter_from_json(name: str, value: Any) -> Any:
    """The parameter that `_parameter_to_json` described."""
    if name == "class_weight" and isinstance(value, list):
        return {_parameter_from_json(name, label): float(weight) for label, weight in value}
    if name == "features":
        return features_from_json(value)
    if name == "bounds" and isinstance(value, list):
        return tuple(value)
    if isinstance(value, list | dict):
        raise TypeError
    return value
