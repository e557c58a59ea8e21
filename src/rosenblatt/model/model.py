"""A model as a JSON header and tensors, and back. What comes from a file is believed only where it fits together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from .. import _core
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.json_values import arrays_in, arrays_out, labels_in, labels_out, typed
from ..foundation.threads import thread_count
from ..foundation.types import Floats, History, Tensors
from ..foundation.version import __version__
from ..parts.catalogue import CLASS_NAMES, KERNEL_NAMES
from ..parts.features import Features, as_features, features_from_json, features_to_json
from ..parts.kernels import PRECOMPUTED
from ..parts.stops import Status
from .stream_state import stream_in, stream_out

if TYPE_CHECKING:
    from ..tables.encode.encoded_rows import EncodedRows
    from ..tables.encode.encoder import Encoder
    from ..tables.read.batches import Batch

FORMAT = 2  # 1 had no encoder
PROOF = ("objective", "gradient_norm", "duality_gap")
Header = dict[str, Any]


@dataclass(frozen=True)
class Model:
    """What a file holds: a classifier's class, parameters and weights, its classes, and the names of its columns.

    `about` is any JSON about how it came to be; what is learned from tables keeps the name of the target there, and
    the `encoder` that turns tables into rows.
    """

    class_name: str
    parameters: Mapping[str, Any]
    classes: npt.NDArray[Any]
    columns: list[str] | None
    learned: TrainingResult | Stream
    about: Mapping[str, Any] = field(default_factory=dict)
    inputs: int | None = None  # columns of a row; None where each has one weight
    encoder: "Encoder | None" = None

    @property
    def features(self) -> Features:
        """The space of its weights."""
        return as_features(self.parameters.get("features", "identity"))

    @property
    def row_columns(self) -> int:
        """How many columns a row has."""
        return int(self.learned.coef.shape[1]) if self.inputs is None else self.inputs

    def scores(self, rows: _core.Rows, threads: int = 1) -> Floats:
        """w.x + b: one column for two classes, one a class for more."""
        rows = self.features.lifted(rows)
        return _core.scores(rows, self.learned.coef, self.learned.intercept, threads)[0]

    def scores_of(self, table: "EncodedRows", threads: int = 1) -> Floats:
        """The same for a table's rows; a kernel's model scores rows by those it keeps, where it keeps any."""
        support: Any = getattr(self.learned, "support", None)
        if support is None or support.kernel.name == PRECOMPUTED:
            return self.scores(table.rows(), threads)
        scores: Floats = support.scores(table.matrix(), self.learned.coef, self.learned.intercept, threads)
        return scores

    def table_scores(self, batch: "Batch") -> Floats:
        """The scores of a table's rows."""
        assert self.encoder is not None
        return self.scores_of(self.encoder.encode(batch), thread_count(None))

    def decide(self, scores: Floats) -> npt.NDArray[np.intp]:
        """The numbers of the classes that scores stand for. Of two, a score of exactly 0 is the second."""
        return (scores[:, 0] >= 0).astype(np.intp) if len(self.classes) == 2 else scores.argmax(axis=1)


def to_header(model: Model) -> tuple[Header, Tensors]:
    """The header and the tensors of a model."""
    learned = model.learned
    tensors: Tensors = {"coef": learned.coef, "intercept": learned.intercept}
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise ValueError("the weights are not finite numbers; scale the columns and train again before saving.")
    tensors |= {f"history.{name}": values for name, values in learned.history.items()}
    header: Header = {
        "format": FORMAT,
        "version": __version__,
        "class": model.class_name,
        "parameters": {name: _parameter_to_json(name, value) for name, value in model.parameters.items()},
        "classes": labels_out(model.classes),
        "columns": model.columns,
        "inputs": model.row_columns,
        "status": _status_out(learned.status),
        "counts": {"visits": learned.n_visits, "updates": learned.n_updates, "mistakes": learned.n_mistakes},
        "about": dict(model.about),
    }
    if isinstance(learned, TrainingResult):
        header["proof"] = {name: getattr(learned, name) for name in PROOF if np.isfinite(getattr(learned, name))}
    if isinstance(learned, Stream):
        header["stream"] = stream_out(learned, tensors)
    if model.class_name in KERNEL_NAMES:
        from .kernel_state import support_out

        header["support"] = support_out(cast(Any, learned), tensors)
    if model.encoder is not None:
        header["encoder"] = arrays_out(model.encoder.state(), "encoder", tensors)
    return header, tensors


def from_header(header: Header, tensors: Tensors) -> Model:
    """The model, or an exception where header and tensors are not what `taken_apart` makes."""
    class_name = typed(header["class"], str)
    if class_name not in CLASS_NAMES:
        raise ValueError(f"there is no classifier {class_name!r}")
    classes = labels_in(typed(header["classes"], dict))
    coef, intercept = _floats(tensors["coef"]), _floats(tensors["intercept"])
    planes = len(classes) if len(classes) > 2 else 1
    empty = coef.ndim == 2 and coef.shape[1] == 0 and class_name not in KERNEL_NAMES
    if coef.ndim != 2 or coef.shape[0] != planes or empty or intercept.shape != (planes,):
        raise ValueError("its weights do not fit its classes")
    parameters = {name: _parameter_from_json(name, value) for name, value in typed(header["parameters"], dict).items()}
    support = None
    if class_name in KERNEL_NAMES:
        from .kernel_state import kernel_stream_in, support_in, trained_in

        support = support_in(typed(header["support"], dict), tensors, coef)
    width = coef.shape[1] if support is None else support.X.shape[1]
    columns, inputs = header["columns"], typed(header.get("inputs", width), int)
    if as_features(parameters.get("features", "identity")).columns(inputs) != width:
        raise ValueError("its weights do not fit its features")
    if columns is not None and len([typed(name, str) for name in typed(columns, list)]) != inputs:
        raise ValueError("its weights do not fit its columns")
    learned: TrainingResult | Stream
    if support is not None and "stream" in header:
        saved = typed(header["stream"], dict)
        learned = kernel_stream_in(saved, header["support"]["budget"], support, tensors, coef, len(classes))
    elif support is not None:
        learned = trained_in(_trained_in(header, tensors, coef, intercept), support)
    elif "stream" in header:
        learned = stream_in(typed(header["stream"], dict), tensors, coef, len(classes))
    else:
        learned = _trained_in(header, tensors, coef, intercept)
    encoder = _encoder_in(header, tensors, inputs)
    return Model(class_name, parameters, classes, columns, learned, typed(header["about"], dict), inputs, encoder)


# What was learned about columns: JSON, with its arrays among the tensors


def _encoder_in(header: Header, tensors: Tensors, columns: int) -> "Encoder | None":
    if "encoder" not in header:
        return None
    from ..tables.encode.encoder import Encoder

    encoder = Encoder.from_state(arrays_in(typed(header["encoder"], dict), tensors))
    if encoder.columns != columns:
        raise ValueError("its weights do not fit its columns")
    return encoder


def _status_out(status: Status) -> Header:
    counts = {"mistakes": status.mistakes, "rows": status.rows, "epochs": status.epochs}
    return {"sentence": str(status), "reason": status.reason, **counts}


def _trained_in(header: Header, tensors: Tensors, coef: Floats, intercept: Floats) -> TrainingResult:
    counts, status = header["counts"], header["status"]
    return TrainingResult(
        coef,
        intercept,
        Status(
            typed(status["sentence"], str),
            typed(status["reason"], str),
            **{name: typed(status[name], int) for name in ("mistakes", "rows", "epochs")},
        ),
        _history_in(tensors),
        **{f"n_{name}": typed(counts[name], int) for name in ("visits", "updates", "mistakes")},
        interrupted=status["reason"] == "interrupted",
        **{name: typed(value, float) for name, value in header.get("proof", {}).items() if name in PROOF},
    )


def _history_in(tensors: Tensors) -> History:
    prefix = "history."
    history = {name.removeprefix(prefix): values for name, values in tensors.items() if name.startswith(prefix)}
    if len({values.shape for values in history.values()}) > 1:
        raise ValueError("the columns of its history differ in length")
    return history


def _floats(tensor: npt.NDArray[Any]) -> Floats:
    if tensor.dtype != np.float64 or not np.isfinite(tensor).all():
        raise ValueError("its weights are not finite numbers of type float64")
    return tensor


# Parameters and labels as JSON


def _parameter_to_json(name: str, value: Any) -> Any:
    """A parameter as JSON keeps it."""
    if name == "class_weight" and isinstance(value, Mapping):
        return [[_parameter_to_json(name, label), _parameter_to_json(name, weight)] for label, weight in value.items()]
    if name == "features":
        return features_to_json(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"{name}={value!r} cannot be saved: set_params({name}=...) to a plain value first.")


def _parameter_from_json(name: str, value: Any) -> Any:
    if name == "class_weight" and isinstance(value, list):
        return dict(value)
    if name == "features":
        return features_from_json(value)
    if isinstance(value, list | dict):
        raise TypeError
    return value
