"""The columns that rows of a request have, and rows as lines of JSON in one form.

All rows of requests become such lines before anything else, so that the log, the learner and `train -` read the same.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from ..foundation.errors import InputError
from ..foundation.suggestions import did_you_mean
from ..model.model import Model
from ..tables.read.batches import NUMBER

DECIMAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)  # float() takes "1_000", too
BOOLEANS = {"True", "False"}  # as tables have them
MAX_EXACT = 1 << 53  # up to which floats hold every whole number


class RowSchema(NamedTuple):
    """How each column of a row is read, by name; the name of the column with the class, and the classes, if the model
    knows them; and whether a row may have another class.
    """

    columns: Mapping[str, str]
    target: str | None
    classes: Collection[str] | None = None
    new_classes: bool = False

    @classmethod
    def of(cls, model: Model) -> "RowSchema":
        if model.encoder is not None:
            classes = {str(label) for label in model.classes.tolist()}
            return cls(dict(model.encoder.reading()), model.about.get("target"), classes)
        return cls(dict.fromkeys(plain_columns(model), NUMBER), None)

    def line(self, row: Any, place: int, truth: bool = False) -> bytes:
        """A row as a line of JSON. With `truth` it must have its class.

        >>> RowSchema({"size": NUMBER, "colour": "category"}, "kind").line({"colour": 7, "size": "2.5", "id": 1}, 1)
        b'{"size":2.5,"colour":"7"}\\n'
        """
        found = self.values(row, place)
        if truth:
            assert self.target is not None
            found[self.target] = self.label(row.get(self.target), self.target, place)
        return encoded_line(found)

    def label(self, given: Any, name: str, place: int) -> str:
        """A class as the text that a table would have. A class that the model does not know is refused.

        A boolean is a class of a model of booleans only: elsewhere it would become the class "True".
        """
        text = (_as_text(given, name, place) or "").strip()
        if not text:
            raise InputError(f"Row {place} has no class in column {name!r}: give it.")
        if self.classes is None or text in self.classes:
            return text
        if isinstance(given, bool) and not BOOLEANS & set(self.classes):
            truth = "true" if given else "false"
            raise InputError(f"Row {place} has the class {truth}, but no class of the model is a boolean: give a text.")
        if not self.new_classes:
            meant = did_you_mean(text, self.classes)
            advice = meant if meant != "." else ": correct it, or start the service with --new-classes."
            raise InputError(f"Row {place} has a class that the model does not know, {_shown(text)}{advice}")
        return text

    def values(self, row: Any, place: int) -> dict[str, Any]:
        """The values of a row by column: numbers, texts and None, as its line would have them."""
        if not isinstance(row, dict):
            raise InputError(f"Row {place} is no JSON object: give an object of columns by name.")
        return {name: _value(row, name, kind, place) for name, kind in self.columns.items()}


def plain_columns(model: Model) -> list[str]:
    """The columns of a model that was not trained on a table: its names, or x0, x1 and so on."""
    return model.columns or [f"x{k}" for k in range(model.row_columns)]


def encoded_line(row: Mapping[str, Any]) -> bytes:
    """A row of plain values as a line of JSON."""
    try:
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:
        raise InputError("A text of the rows is not valid Unicode: correct it.") from None


def _value(row: Mapping[str, Any], name: str, kind: str, place: int) -> Any:
    if name not in row:
        raise InputError(f"Row {place} has no column {name!r}: give it, or null if its value is missing.")
    convert: Callable[[Any, str, int], Any] = _as_number if kind == NUMBER else _as_text
    return convert(row[name], name, place)


def _as_number(value: Any, name: str, place: int) -> float | int | None:
    if type(value) is float and math.isfinite(value):  # nearly all values
        return value
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return int(value)
    try:
        if isinstance(value, int | float) or (isinstance(value, str) and DECIMAL.fullmatch(value)):
            number = value if isinstance(value, int) and abs(value) <= MAX_EXACT else float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise InputError(f"Row {place}, column {name!r} must be a finite number or null, not {_shown(value)}.")


def _as_text(value: Any, name: str, place: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        whole = isinstance(value, float) and value.is_integer() and abs(value) <= MAX_EXACT
        return str(int(value)) if whole else str(value)
    raise InputError(f"Row {place}, column {name!r} must be a text, a number or null, not {_shown(value)}.")


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
