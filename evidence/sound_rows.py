"""Which rows a service may predict and learn, by a definition that shares no code with it."""

import math
from typing import Any


def is_sound(row: Any) -> bool:
    """Whether a row can be predicted: both columns, a finite number or none, and a text, a number or none.

    A number that is not finite is no JSON, so it may stand nowhere.
    """
    if not isinstance(row, dict) or any(isinstance(each, float) and not math.isfinite(each) for each in row.values()):
        return False
    return is_number(row.get("size", [])) and is_text(row.get("colour", []))


def is_labelled(row: Any) -> bool:
    """Whether a row can be learned: it is sound, and the model knows its class."""
    return is_sound(row) and isinstance(row.get("kind"), str) and row["kind"].strip() in ("large", "small")


def is_number(value: Any) -> bool:
    """Whether a value is a number or missing. Python reads some texts as numbers that a table does not."""
    if isinstance(value, str) and not set(value) <= set("+-.0123456789eE \n"):
        return False
    try:
        return value in (None, "") or (isinstance(value, int | float | str) and math.isfinite(float(value)))
    except (ValueError, OverflowError):
        return False


def is_text(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
