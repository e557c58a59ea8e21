"""Checks of requests. Content from a page is trusted only after this; a refusal is one sentence for the user."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.linear import LinearClassifier
from ..foundation.errors import InputError
from .registry import ClassifierEntry, Parameter, classifier_entries

MAX_POINTS, MAX_CLASSES, MAX_UPDATES = 500, 4, 2000
MAX_COORDINATE, MAX_REACH = 1e6, 1e8
DEFAULT_REACH = [5.5, 5.5]


@dataclass(frozen=True)
class RunRequest:
    """Points with one or two coordinates, their classes, the classifier to train, and the reach of the picture."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    entry: ClassifierEntry
    parameters: dict[str, Any]
    reach: tuple[float, float]

    def model(self) -> LinearClassifier:
        """The classifier, not yet fitted."""
        return self.entry.make(self.parameters)


def parse_request(content: object) -> RunRequest:
    """A request from JSON: {"points": [[x1, x2, class], ..], "dimension": 1 or 2, "learner": .., "parameters": {..}}.

    "reach" is the distance from the middle of the picture to its right and upper edge; curved boundaries need it.

    >>> request = parse_request({"points": [[3, 3, 1], [1, 1, 0]], "parameters": {"eta0": 0.5}})
    >>> request.X.tolist(), request.y.tolist(), request.model().eta0
    ([[3.0, 3.0], [1.0, 1.0]], [1, 0], 0.5)
    """
    given = require_type(content, "The request", dict)
    X, y = _parse_points(given.get("points"))
    if given.get("dimension", 2) not in (1, 2) or isinstance(given.get("dimension"), bool | float):
        raise InputError(f"dimension must be 1 or 2, not {short_repr(given['dimension'])}.")
    parameters = require_type(given.get("parameters", {}), "parameters", dict)
    entry, checked = parse_classifier(given.get("learner", "Perceptron"), parameters)
    reach = _parse_reach(given.get("reach", DEFAULT_REACH))
    return RunRequest(X[:, : given.get("dimension", 2)].copy(), y, entry, checked, reach)


def _parse_reach(value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_reach, value)):
        raise InputError(f"reach must be two numbers above 0, not {short_repr(value)}.")
    return float(value[0]), float(value[1])


def _is_reach(value: Any) -> bool:
    return is_finite_number(value) and 0 < value <= MAX_REACH


def _parse_points(value: object) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    points = require_type(value, "points", list)
    if len(points) > MAX_POINTS:
        raise InputError(f"The lab takes {MAX_POINTS} points at most, not {len(points)}: fit larger data in Python.")
    for number, point in enumerate(points, start=1):
        _check_point(number, point)
    y = np.array([point[2] for point in points], dtype=np.int64)
    if len(set(y.tolist())) < 2:
        raise InputError("Place points of at least two classes to start training.")
    return np.array([point[:2] for point in points], dtype=np.float64), y


def _check_point(number: int, point: object) -> None:
    if not isinstance(point, list) or len(point) != 3:
        raise InputError(f"Point {number} must be [x1, x2, class], not {short_repr(point)}.")
    for value in point[:2]:
        if not is_finite_number(value) or not abs(value) <= MAX_COORDINATE:
            raise InputError(f"Point {number} has the coordinate {short_repr(value)}: use numbers up to a million.")
    if type(point[2]) is not int or not 0 <= point[2] < MAX_CLASSES:
        raise InputError(f"Point {number} has the class {short_repr(point[2])}: classes are 0 to {MAX_CLASSES - 1}.")


def parse_classifier(name: object, parameters: Mapping[str, object]) -> tuple[ClassifierEntry, dict[str, Any]]:
    """The registry's entry of a classifier, and its parameters with their types checked."""
    entries = classifier_entries()
    if not isinstance(name, str) or name not in entries:
        raise InputError(f"learner must be one of {', '.join(entries)}, not {short_repr(name)}.")
    entry = entries[name]
    return entry, {key: _parse_parameter(entry, key, value) for key, value in parameters.items()}


def _parse_parameter(entry: ClassifierEntry, name: str, value: object) -> Any:
    """A parameter of the right type. The classifier itself checks whether the value is allowed."""
    parameter = entry.parameters.get(name)
    if parameter is None:
        raise InputError(f"{entry.name} has no parameter {short_repr(name)} in the lab.")
    if value is None and parameter.optional:
        return None
    if parameter.kind == "choice" and value in list(parameter.options):
        return value
    if parameter.kind == "switch" and isinstance(value, bool):
        return value
    if parameter.kind in ("number", "whole"):
        return _parse_number(parameter, value)
    allowed = ", ".join(map(repr, parameter.options)) or "true or false"
    raise InputError(f"{name} must be one of {allowed}, not {short_repr(value)}.")


def _parse_number(parameter: Parameter, value: object) -> float | int:
    name = parameter.name
    if not is_finite_number(value):
        raise InputError(f"{name} must be a number, not {short_repr(value)}.")
    assert isinstance(value, int | float)
    if parameter.kind == "whole":
        if value != int(value):
            raise InputError(f"{name} must be a whole number, not {short_repr(value)}.")
        value = int(value)
    if name == "random_state" and value < 0:
        raise InputError(f"random_state must be at least 0, not {short_repr(value)}.")
    if parameter.most is not None and value > parameter.most:
        raise InputError(f"{name} can be {parameter.most:,} at most in the lab, not {short_repr(value)}.")
    return value


def require_type(value: object, name: str, kind: type) -> Any:
    """The value, refused if it has another type."""
    if not isinstance(value, kind):
        words: dict[type, str] = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
        raise InputError(f"{name} must be {words[kind]}, not {short_repr(value)}.")
    return value


def require_choice(content: Mapping[str, Any], name: str, allowed: Mapping[str, Any]) -> str:
    """The entry of this name, refused if it is not one of the allowed ones."""
    value = content.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, not {short_repr(value)}.")
    return value


def is_finite_number(value: object) -> bool:
    """Whether a value is a number that a float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def short_repr(value: object) -> str:
    """The first 40 characters of a value's repr, for error messages."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        return "a number too large"
    return text if len(text) <= 40 else f"{text[:40]}.."
