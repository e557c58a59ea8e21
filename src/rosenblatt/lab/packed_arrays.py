"""Arrays in JSON, bit for bit: their bytes in base64, little-endian, which a page reads as a typed array."""

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Packed = dict[str, Any]
KINDS = ("<f8", "<f4", "<i4")


def packed(array: npt.ArrayLike, kind: str = "<f8") -> Packed:
    """
    >>> packed([[1, 2]], "<i4")
    {'kind': '<i4', 'shape': [1, 2], 'bytes': 'AQAAAAIAAAA='}
    """
    values = np.ascontiguousarray(array, dtype=kind)
    return {"kind": kind, "shape": list(values.shape), "bytes": b64encode(values.tobytes()).decode()}


def unpacked(content: Packed) -> npt.NDArray[Any]:
    """
    >>> unpacked(packed([0.1, 0.2])).tolist()
    [0.1, 0.2]
    """
    return np.frombuffer(b64decode(content["bytes"]), dtype=content["kind"]).reshape(content["shape"])


def as_json(content: Mapping[str, Any]) -> str:
    """JSON as browsers read it: a number that is not finite is null.

    >>> as_json({"a": [1.0, float("inf")]})
    '{"a": [1.0, null]}'
    """
    try:
        return json.dumps(content, allow_nan=False)
    except ValueError:
        return json.dumps(finite(content), allow_nan=False)


def finite(value: Any) -> Any:
    """Plain content whose numbers are finite or None."""
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
