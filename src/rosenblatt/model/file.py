"""Model files: safetensors with a JSON header. No pickle, so loading never runs code.

There are two layers. `save` and `load` handle classifiers. Below them `write` and `read` handle a `Model`, which needs
no scikit-learn. A file holds the tensors `coef` and `intercept`, the history of training, for a model that can go on
learning (`partial_fit`) its whole state, and the header under "rosenblatt" in the metadata.
"""

import json
import os
from dataclasses import replace
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from ..classifiers.calibration.methods import check_method
from ..engine.stream import Stream
from ..foundation.atomic_file import atomic_write
from ..foundation.errors import InputError
from ..foundation.extras import MissingExtra
from ..foundation.json_values import read_json, require_type
from ..foundation.missing_file import explain_missing
from ..foundation.threads import thread_count
from ..foundation.types import Tensors
from ..parts.catalogue import CLASS_NAMES
from ..solvers.tuning.tuning import Tuning
from .header import FORMAT, Header, from_header, to_header
from .model import Model

if TYPE_CHECKING:
    from .pipeline_steps import Steps

__all__ = ["Model", "load", "read", "save", "write"]

KEY = "rosenblatt"
MAX_REASON = 200  # characters of an error, which may quote what a file holds
REMEDY = "save the model again, or fetch a whole copy of the file"
# What a header and tensors that do not fit together raise, wherever that shows first.
UNSOUND = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a file, whole or not at all.

    Parameters
    ----------
    model : a classifier of rosenblatt, or a pipeline that ends in one
        After `fit` or `partial_fit`. A trace is not saved. The classifier may follow a `TableEncoder`, or these of
        scikit-learn: `StandardScaler`, `MinMaxScaler`, `OneHotEncoder`, `SimpleImputer`, `CountVectorizer`,
        `TfidfVectorizer`, and a `ColumnTransformer` or pipeline of these.
    path : path
        By custom with the ending .safetensors.

    Examples
    --------
    >>> import tempfile, os
    >>> from rosenblatt import Perceptron, load, save
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> save(Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], ["in", "in", "out"]), path)
    >>> load(path).predict([[5, 5], [0, 0]]).tolist()
    ['in', 'out']
    """
    write(model_of(model), path)


def model_of(model: Any, caller: str = "save") -> Model:
    """The `Model` of a classifier, or of a pipeline of a `TableEncoder` or steps of scikit-learn and a classifier."""
    from .. import classifiers

    encoder: Any = None
    steps: Steps | None = None
    about: dict[str, Any] = {}
    if type(model).__name__ == "Pipeline":
        encoder, steps = _encoder_or_steps(model, caller)
        about, model = getattr(model, "about_", {}), model[-1]
    name = type(model).__name__
    if name not in CLASS_NAMES or type(model) is not getattr(classifiers, name):
        raise ValueError(f"{caller} takes a classifier of rosenblatt ({', '.join(CLASS_NAMES)}), not {name}.")
    if "_learned" not in model.__dict__:
        raise ValueError(f"this {name} has learned nothing yet: call fit before {caller}.")
    names, inside = model.__dict__.get("feature_names_in_"), model._encoder
    model._recipe()  # refuses parameters set since fit that `load` would refuse
    model._same_features(caller)
    columns = None if names is None or encoder is not None else [str(column) for column in names]
    parameters, inputs = model.get_params(deep=False) | {"encode": inside is not None}, model.n_features_in_
    if inside is not None:
        encoder, inputs, columns = inside.encoder_, inside.encoder_.columns, None
        about = {"table": table_names(inside)}
    (learned, classes), calibration = model._now(), model._calibration
    if isinstance(learned, Stream):
        learned = learned.snapshot()  # another thread may go on learning
    tuning = getattr(learned, "tuning", None)
    if tuning is not None:
        about = {**about, "tuning": tuning.without_seconds().as_dict()}
    return Model(name, parameters, classes, columns, learned, about, inputs, encoder, steps, calibration)


def _encoder_or_steps(pipeline: Any, caller: str) -> "tuple[Any, Steps | None]":
    """The fitted encoder of a pipeline with a `TableEncoder`, or the packed steps of another one."""
    if type(pipeline[0]).__name__ == "TableEncoder" and len(pipeline.steps) == 2 and hasattr(pipeline[0], "encoder_"):
        return pipeline[0].encoder_, None
    if caller != "save" or type(pipeline[0]).__name__ == "TableEncoder":
        raise ValueError(f"{caller} takes a pipeline only of a fitted TableEncoder and a classifier.")
    from .pipeline_steps import pack_steps

    return None, pack_steps(pipeline.steps[:-1], pipeline.steps[-1][0])


def load(path: str | os.PathLike[str]) -> Any:
    """Read a classifier from a file that `save` or `rosenblatt train` wrote.

    Returns a fitted classifier of the same class, or the pipeline that was saved, with the same parameters, weights,
    classes, column names, status, counts and history, but for the seconds: equal models have equal files. After
    `partial_fit` it goes on learning as if it had never been saved. Any other file raises a ValueError.
    """
    model = _read(path)
    try:
        return classifier_of(model)
    except MissingExtra:
        raise
    except UNSOUND as error:
        raise _damaged(path, error, f"its parameters are not those of {model.class_name} in this version") from None


def _with_tuning(model: Model, classifier: Any) -> Any:
    """What was learned, with what C="auto" has tried where the file keeps it."""
    learned = model.learned
    if getattr(classifier, "C", None) != "auto" or "tuning" not in model.about or isinstance(learned, Stream):
        return learned
    return replace(learned, tuning=Tuning.from_dict(model.about["tuning"]))


def classifier_of(model: Model) -> Any:
    """A fitted classifier; for models of tables, a pipeline of a fitted `TableEncoder` and the classifier."""
    from .. import classifiers

    classifier = getattr(classifiers, model.class_name)(**model.parameters)
    classifier._recipe()
    thread_count(classifier.n_jobs)
    check_method(classifier.calibration)
    names = None if model.columns is None else np.array(model.columns, dtype=object)
    inside = table_encoder(model) if classifier.encode and model.encoder is not None else None
    shape = model.row_columns, names, model.features, model.calibration
    classifier._adopt(_with_tuning(model, classifier), model.classes, *shape, inside)
    if inside is not None:
        return classifier
    if model.steps is not None:
        from sklearn.pipeline import Pipeline

        from .pipeline_steps import unpack_steps
        from .pipeline_trial import try_steps

        steps, last = unpack_steps(model.steps)
        try_steps(steps, model.row_columns)
        return Pipeline([*steps, (last, classifier)])
    if model.encoder is None:
        return classifier
    from sklearn.pipeline import Pipeline

    pipeline = Pipeline([("encoder", table_encoder(model)), ("classifier", classifier)])
    pipeline.about_ = dict(model.about)
    return pipeline


def table_names(encoder: Any) -> dict[str, Any]:
    """The columns of the table that a `TableEncoder` was fitted to, and whether the table named them."""
    named = "feature_names_in_" in vars(encoder)
    names = encoder.feature_names_in_.tolist() if named else [f"x{k}" for k in range(encoder.n_features_in_)]
    return {"columns": names, "named": named}


def table_encoder(model: Model) -> Any:
    """The fitted `TableEncoder` of a model of a table."""
    from ..tables.table_encoder import TableEncoder

    assert model.encoder is not None
    encoder = TableEncoder(scale=bool(model.about.get("scaled", True)))
    table = model.about.get("table") or {"columns": list(model.encoder.column_encoders), "named": True}
    names = [require_type(name, str) for name in require_type(table["columns"], list)]
    if not set(model.encoder.column_encoders) <= set(names):
        raise ValueError("its encoder has columns that its table has not")
    encoder._adopt(model.encoder, names, named=require_type(table["named"], bool))
    return encoder


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    content = serialized(model)
    with atomic_write(path) as file:
        file.write(content)


def serialized(model: Model) -> bytes:
    """The content of a model's file."""
    from safetensors.numpy import save as join_tensors

    header, tensors = to_header(model)
    text = json.dumps(header, allow_nan=False, default=methodcaller("item"))  # NumPy numbers become Python numbers
    whole = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    return join_tensors(whole, metadata={KEY: text})


def is_safetensors(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a safetensors file, judged by its content: a length of 8 bytes, then a JSON header."""
    try:
        with open(path, "rb") as file:
            head = file.read(9)
            return head[8:] == b"{" and int.from_bytes(head[:8], "little") <= os.fstat(file.fileno()).st_size
    except OSError:
        return False


def read(path: str | os.PathLike[str]) -> Model:
    """Read a model that scores rows without scikit-learn. Any other file raises an `InputError` with its name."""
    model = _read(path)
    if model.steps is not None:
        raise InputError(f"{path} holds a pipeline of scikit-learn: use it in Python, with rosenblatt.load.")
    return model


def _read(path: str | os.PathLike[str]) -> Model:
    with explain_missing(path), open(path, "rb"):  # Python's own error tells of a file that cannot be read
        pass
    header, tensors = _opened(os.fspath(path))
    version = header.get("format")
    if type(version) is not int or version < 1:
        raise _damaged(path, None, "its header has no format number")
    if version > FORMAT:
        newer = f"{path} was written by a newer rosenblatt (format {version}, this one reads up to {FORMAT})"
        raise InputError(f"{newer}: upgrade rosenblatt.")
    try:
        return from_header(header, tensors)
    except UNSOUND as error:
        raise _damaged(path, error, "its header is not as save writes it") from None


def _damaged(path: object, error: Exception | None, otherwise: str) -> InputError:
    """The refusal of a file; errors that are not about values only tell programmers something."""
    why = otherwise
    if isinstance(error, ValueError) and str(error):
        said = " ".join(str(error).partition(": did you mean")[0].split()).rstrip(".")
        why = said if len(said) <= MAX_REASON else f"{said[:MAX_REASON]}..."
    return InputError(f"{path} is damaged: {why}; {REMEDY}.")


def _opened(path: str) -> tuple[Header, Tensors]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(KEY)
            if text is None:
                what = "is a safetensors file, but not a model of rosenblatt"
                raise InputError(f"{path} {what}: give a file that save or train wrote.")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            header = read_json(text)
    except (SafetensorError, OSError):
        raise InputError(f"{path} is not a model file, or only a part of one: {REMEDY}.") from None
    except (AttributeError, KeyError, MemoryError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _damaged(path, None, "its header cannot be read") from None
    if not isinstance(header, dict):
        raise _damaged(path, None, "its header is not an object")
    return header, tensors
