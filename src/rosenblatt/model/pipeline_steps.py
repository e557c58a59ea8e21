"""The steps of a scikit-learn pipeline before its classifier, as JSON and tensors, and back.

Only the transformers named here are saved, and of them only numbers, texts and arrays of these: loading creates an
object of a class that is named here and gives it these values, so no code of a file ever runs. A checksum covers all of
them, and `pipeline_trial.py` tries them, because scikit-learn trusts its own attributes.
"""

import hashlib
import json
import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..foundation.json_values import require_type
from ..foundation.types import Tensors

TRANSFORMERS = {  # the module of each class
    "StandardScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "OneHotEncoder": "sklearn.preprocessing",
    "SimpleImputer": "sklearn.impute",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "ColumnTransformer": "sklearn.compose",
    "Pipeline": "sklearn.pipeline",
}
INNER = {  # that these are made of
    "FunctionTransformer": "sklearn.preprocessing",  # of a ColumnTransformer, for columns that pass unchanged
    "TfidfTransformer": "sklearn.feature_extraction.text",
}
OURS = {"FormulaEncoder": "rosenblatt.tables.formula.formula_encoder"}
KNOWN = {**TRANSFORMERS, **INNER, **OURS}
PREFIX = "steps"
HIDDEN = "_stop_words_id"  # the address of an object


class Steps(NamedTuple):
    """Packed steps: JSON, and the arrays that it refers to."""

    content: dict[str, Any]
    tensors: Tensors


def pack_steps(steps: Sequence[tuple[str, Any]], last: str) -> Steps:
    """Pack named steps; `last` is the name of the classifier after them. What cannot be saved is refused by name."""
    from sklearn import __version__

    tensors: Tensors = {}
    packed = [[name, _pack(step, name, tensors)] for name, step in steps]
    content = {"steps": packed, "last": last, "scikit-learn": __version__}
    return Steps({**content, "checksum": _checksum(content, tensors)}, tensors)


def read_steps(content: dict[str, Any], tensors: Tensors) -> Steps:
    """The packed steps of a file, if they are what `pack_steps` made."""
    own = {name: tensor for name, tensor in tensors.items() if name.startswith(f"{PREFIX}.")}
    rest = {name: value for name, value in content.items() if name != "checksum"}
    if content.get("checksum") != _checksum(rest, own):
        raise ValueError("the steps of its pipeline are not as save writes them")
    return Steps(content, own)


def unpack_steps(steps: Steps) -> tuple[list[tuple[str, Any]], str]:
    """The steps as objects of scikit-learn, and the name of the classifier after them."""
    from sklearn import __version__

    saved = require_type(steps.content["scikit-learn"], str)
    if saved.split(".")[:2] != __version__.split(".")[:2]:
        text = (
            f"a pipeline was saved with scikit-learn {saved} and is loaded with {__version__}: check its predictions."
        )
        warnings.warn(text, stacklevel=4)
    made = [(require_type(name, str), _unpack(step, steps.tensors)) for name, step in steps.content["steps"]]
    return made, require_type(steps.content["last"], str)


def _checksum(content: dict[str, Any], tensors: Tensors) -> str:
    sha = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        sha.update(f"{name} {tensor.dtype.str} {tensor.shape}".encode())
        sha.update(np.ascontiguousarray(tensor).tobytes())
    return sha.hexdigest()


# Packing


def _pack(value: Any, path: str, tensors: Tensors) -> Any:
    """A value as JSON: plain values as they are, all others as an object with one key that names their kind."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | np.generic):
        return _pack_number(value, path)
    if isinstance(value, np.ndarray):
        return _pack_array(value, path, tensors)
    if isinstance(value, dict):
        pairs = [[_pack(key, path, tensors), _pack(one, f"{path}.{key}", tensors)] for key, one in value.items()]
        return {"dict": pairs}
    if isinstance(value, slice):
        return {"slice": [_pack(one, path, tensors) for one in (value.start, value.stop, value.step)]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_pack(one, f"{path}.{k}", tensors) for k, one in enumerate(value)]}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"type" if isinstance(value, type) else "dtype": np.dtype(value).str}
    return _pack_transformer(value, path, tensors)


def _pack_number(value: Any, path: str) -> Any:
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float):
        return number if math.isfinite(number) else {"float": str(number)}
    if isinstance(number, bool | int | str):
        return number
    raise _refusal(path, value)


def _pack_array(value: Any, path: str, tensors: Tensors) -> Any:
    if value.dtype.kind in "biuf":
        name = f"{PREFIX}.{len(tensors)}"
        tensors[name] = value
        return {"tensor": name}
    if value.dtype.kind in "OU" and value.ndim == 1:
        values = [_pack(one, path, tensors) for one in value.tolist()]
        return {"array": [value.dtype.kind, values]}
    raise _refusal(path, value)


def _pack_transformer(value: Any, path: str, tensors: Tensors) -> Any:
    name = type(value).__name__
    if not type(value).__module__.startswith(f"{KNOWN.get(name, '.')}.") and type(value).__module__ != KNOWN.get(name):
        raise _refusal(path, value)
    state = {key: _pack(one, f"{path}.{key}", tensors) for key, one in vars(value).items() if key != HIDDEN}
    return {"transformer": [name, state]}


def _refusal(path: str, value: Any) -> ValueError:
    what = type(value).__name__ if not callable(value) or isinstance(value, type) else "a function"
    return ValueError(
        f"save cannot keep {what} in the step {path!r} of this pipeline: it keeps a TableEncoder, or "
        f"{', '.join(TRANSFORMERS)} of scikit-learn with numbers and texts as parameters, and one of our classifiers."
    )


# Unpacking


def _unpack(value: Any, tensors: Tensors) -> Any:
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    return UNPACKERS[kind](content, tensors)


def _unpack_array(content: Any, tensors: Tensors) -> Any:
    kind, values = content
    array = np.empty(len(values), dtype=object)
    array[:] = [_unpack(one, tensors) for one in values]
    return array if kind == "O" else array.astype(str)


def _unpack_transformer(content: Any, tensors: Tensors) -> Any:
    from importlib import import_module

    name, state = content
    kind: Any = getattr(import_module(KNOWN[name]), name)
    if any(callable(getattr(kind, key, None)) for key in state):
        raise ValueError(f"a {name} of its pipeline has values in the place of methods")
    made: Any = object.__new__(kind)
    made.__dict__.update({key: _unpack(one, tensors) for key, one in state.items()})
    return made


UNPACKERS: dict[str, Any] = {
    "float": lambda content, _: float(content),
    "tensor": lambda content, tensors: tensors[content].copy(),
    "array": _unpack_array,
    "dict": lambda content, tensors: {_unpack(key, tensors): _unpack(one, tensors) for key, one in content},
    "slice": lambda content, tensors: slice(*(_unpack(one, tensors) for one in content)),
    "list": lambda content, tensors: [_unpack(one, tensors) for one in content],
    "tuple": lambda content, tensors: tuple(_unpack(one, tensors) for one in content),
    "type": lambda content, _: np.dtype(content).type,
    "dtype": lambda content, _: np.dtype(content),
    "transformer": _unpack_transformer,
}
