"""Arrays in JSON without rounding: little-endian bytes in base64, which the page reads as a typed array."""

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

PackedArray = dict[str, Any]


def pack_array(array: npt.ArrayLike, kind: str = "<f8") -> PackedArray:
    """An array as JSON content. The page reads the kinds "<f8", "<f4" and "<i4".

    >>> pack_array([[1, 2]], "<i4")
    {'kind': '<i4', 'shape': [1, 2], 'bytes': 'AQAAAAIAAAA='}
    """
    values = np.ascontiguousarray(array, dtype=kind)
    return {"kind": kind, "shape": list(values.shape), "bytes": b64encode(values.tobytes()).decode()}


def unpack_array(content: PackedArray) -> npt.NDArray[Any]:
    """The array that `pack_array` packed.

    >>> unpack_array(pack_array([0.1, 0.2])).tolist()
    [0.1, 0.2]
    """
    return np.frombuffer(b64decode(content["bytes"]), dtype=content["kind"]).reshape(content["shape"])


def to_json(content: Mapping[str, Any]) -> str:
    """JSON that browsers can read: a number that is not finite becomes null.

    >>> to_json({"a": [1.0, float("inf")]})
    '{"a": [1.0, null]}'
    """
    try:
        return json.dumps(content, allow_nan=False)
    except ValueError:
        return json.dumps(replace_nonfinite(content), allow_nan=False)


def replace_nonfinite(value: Any) -> Any:
    """The same content with None in place of every number that is not finite."""
    if isinstance(value, dict):
        return {key: replace_nonfinite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [replace_nonfinite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
