"""Labels and states as JSON, and back. Values from a file are checked before they are used."""

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .types import Tensors

LABEL_TYPES = (
    *("str", "object", "bool", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"),
)
MOST_CHARACTERS = 1 << 26  # NumPy gives every name the room of the longest
TENSOR = "tensor"  # the key that stands for an array kept among the tensors


def read_json(text: str) -> Any:
    """The value of a JSON text; NaN and numbers beyond float64, which Python would read, are refused."""
    return json.loads(text, parse_float=finite, parse_constant=finite)


def finite(number: Any) -> float:
    """The number as a float, if it is finite."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is no finite number")
    return value


def require_type(value: Any, kind: Any) -> Any:
    """The value, if it is of exactly this type."""
    if type(value) is not kind:
        raise TypeError
    return value


def count_in(value: Any) -> int:
    """The value, if it is a whole number that the core can count to."""
    if not 0 <= require_type(value, int) < 1 << 63:
        raise ValueError("its counts are negative or too large")
    return int(value)


def all_finite(*tensors: npt.NDArray[Any]) -> bool:
    return all(tensor.dtype.kind == "f" and bool(np.isfinite(tensor).all()) for tensor in tensors)


def labels_out(classes: npt.NDArray[Any]) -> dict[str, Any]:
    kind = "str" if classes.dtype.kind == "U" else classes.dtype.name
    values = classes.tolist()
    if kind not in LABEL_TYPES or not all(type(value) in (str, bool, int, float) for value in values):
        raise ValueError(f"classes of type {kind} cannot be saved: use text, numbers or truth values as labels.")
    return {"type": kind, "values": values}


def labels_in(labels: dict[str, Any], in_order: bool = True) -> npt.NDArray[Any]:
    """The classes, which are sorted unless they are not `in_order`, as the columns of a matrix are not."""
    kind, values = labels["type"], require_type(labels["values"], list)
    if kind not in LABEL_TYPES or not values or not all(type(value) in (str, bool, int, float) for value in values):
        raise ValueError("its classes are of no known type")
    if kind == "str" and max(map(len, values)) * len(values) > MOST_CHARACTERS:
        raise ValueError("its classes have names too long to hold")
    array = np.array(values, dtype=kind)
    if array.tolist() != values or any(type(a) is not type(b) for a, b in zip(array.tolist(), values, strict=True)):
        raise ValueError("its classes are not of the type it says")
    if any(not one < next_one for one, next_one in pairwise(values if in_order else sorted(values))):
        raise ValueError("its classes are not sorted, or not all different")
    return array


def arrays_out(state: Any, name: str, tensors: Tensors) -> Any:
    """A state as JSON keeps it; each of its arrays goes to the tensors, by its place."""
    if isinstance(state, np.ndarray):
        tensors[name] = state
        return {TENSOR: name}
    if isinstance(state, dict):
        return {key: arrays_out(value, f"{name}.{place}", tensors) for place, (key, value) in enumerate(state.items())}
    return state


def arrays_in(state: Any, tensors: Tensors) -> Any:
    """What `arrays_out` took apart."""
    if not isinstance(state, dict):
        return state
    if state.keys() == {TENSOR}:
        return tensors[state[TENSOR]]
    return {key: arrays_in(value, tensors) for key, value in state.items()}
