"""Bounds of the weights: (low, high), each a number, None, or one number for each column. The offset is free."""

from math import inf, isnan
from typing import Any

import numpy as np

from ..foundation.types import Floats

End = float | tuple[float, ...]
Bounds = tuple[End, End]


def checked_bounds(bounds: Any) -> Bounds | None:
    """The bounds as plain numbers, without None; refused if no weight could keep them.

    >>> checked_bounds((0, None)), checked_bounds([[-1, None], 5])
    ((0.0, inf), ((-1.0, -inf), 5.0))
    >>> checked_bounds((1, 0))
    Traceback (most recent call last):
        ...
    ValueError: bounds must have low <= high for every column, not 1.0 and 0.0.
    """
    if bounds is None:
        return None
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ValueError(
            "bounds must be a pair (low, high) such as (0, None), or (lows, highs) with a number for each column, not "
            f"{repr(bounds)[:40]}."
        )
    low, high = _end(bounds[0], -inf), _end(bounds[1], inf)
    lows, highs = np.atleast_1d(low), np.atleast_1d(high)
    if 1 < len(lows) != len(highs) > 1:
        raise ValueError(f"bounds must have as many low as high ends, not {len(lows)} and {len(highs)}.")
    for least, most in zip(*np.broadcast_arrays(lows, highs), strict=True):
        if least > most or least == inf or most == -inf:
            raise ValueError(f"bounds must have low <= high for every column, not {float(least)} and {float(most)}.")
    return low, high


def _end(end: Any, missing: float) -> End:
    if end is None or np.ndim(end) == 0:
        return _number(end, missing)
    return tuple(_number(value, missing) for value in end)


def _number(value: Any, missing: float) -> float:
    try:
        number = missing if value is None else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"bounds must be numbers or None, not {value!r}.") from None
    if isnan(number) or isinstance(value, bool):
        raise ValueError(f"bounds must be numbers or None, not {value!r}.")
    return number


def bounds_of_columns(bounds: Bounds, columns: int) -> tuple[Floats, Floats]:
    """The lowest and the highest weight of each column.

    >>> bounds_of_columns((0.0, (1.0, 2.0)), 3)
    Traceback (most recent call last):
        ...
    ValueError: bounds has 2 numbers, but the model has 3 columns: give one number, or one for each column.
    """
    for end in bounds:
        if isinstance(end, tuple) and len(end) != columns:
            raise ValueError(
                f"bounds has {len(end)} numbers, but the model has {columns} columns: give one number, or one for each "
                "column."
            )
    low, high = (np.broadcast_to(np.asarray(end, np.float64), columns).copy() for end in bounds)
    return low, high


def bounds_to_json(bounds: Any) -> list[Any] | None:
    """The bounds as JSON keeps them, which has no infinity.

    >>> bounds_to_json((0, None)), bounds_to_json((np.array([1.0, -np.inf]), 2))
    ([0.0, None], [[1.0, None], 2.0])
    """
    checked = checked_bounds(bounds)
    if checked is None:
        return None
    ends = [list(end) if isinstance(end, tuple) else [end] for end in checked]
    finite = [[None if abs(value) == inf else value for value in end] for end in ends]
    return [each if isinstance(end, tuple) else each[0] for each, end in zip(finite, checked, strict=True)]
