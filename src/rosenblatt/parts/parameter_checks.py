"""Checks of parameters: one sentence with the name, what it must be, and what was given."""

import math
from numbers import Integral, Real

import numpy as np


def check_positive(name: str, value: object, or_zero: bool = False) -> None:
    """Refuse what is not a finite number above 0, or of at least 0.

    >>> check_positive("eta0", -1)
    Traceback (most recent call last):
        ...
    ValueError: eta0 must be a finite number above 0, not -1.
    """
    if not (_is_finite(value) and (value > 0 or (or_zero and value == 0))):  # type: ignore[operator]
        raise ValueError(f"{name} must be a finite number {'of at least' if or_zero else 'above'} 0, not {value!r}.")


def check_nonzero(name: str, value: object) -> None:
    """Refuse 0 and what is not a finite number."""
    if not (_is_finite(value) and value != 0):
        raise ValueError(f"{name} must be a finite number other than 0, not {value!r}.")


def check_whole_number(name: str, value: object, least: int = 1) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")


def check_share(name: str, value: object) -> None:
    """Refuse what is not a number from 0 to 1."""
    if not _is_finite(value) or not 0 <= value <= 1:  # type: ignore[operator]
        raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}.")


def check_level(name: str, value: object) -> None:
    """Refuse what is not a number above 0 and below 1, as a level of confidence is."""
    if not _is_finite(value) or not 0 < value < 1:  # type: ignore[operator]
        raise ValueError(f"{name} must be above 0 and below 1, not {value!r}.")


def check_bool(name: str, value: object) -> bool:
    """The value as Python's True or False; anything else is refused."""
    if value is True or value is False:
        return value
    if not isinstance(value, np.bool_):
        raise ValueError(f"{name} must be True or False, not {value!r}.")
    return bool(value)


def refuse_together(kind: str, name: object, other_kind: str, other: object, why: str) -> None:
    """Refuse two parts that do not go together.

    >>> refuse_together("order", "batch", "step", "pa", "such a step looks at one row")
    Traceback (most recent call last):
        ...
    ValueError: order='batch' does not go with step='pa': such a step looks at one row.
    """
    raise ValueError(f"{kind}={name!r} does not go with {other_kind}={other!r}: {why}.")


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False
