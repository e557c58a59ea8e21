"""Requests, checked. What comes from a page is believed only after this; a refusal is one sentence for its reader."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.linear import LinearClassifier
from ..foundation.errors import InputError
from .registry import Learner, Parameter, learners

MOST_POINTS, MOST_CLASSES, MOST_UPDATES = 500, 4, 2000
FARTHEST = 1e6


@dataclass(frozen=True)
class Request:
    """Points with their classes, one or two coordinates of which count, and the learner that is to be followed."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    learner: Learner
    parameters: dict[str, Any]
    reach: tuple[float, float]

    def model(self) -> LinearClassifier:
        return self.learner.make(self.parameters)


def parsed(content: object) -> Request:
    """A request from JSON: {"points": [[x1, x2, class], ..], "dimension": 1 or 2, "learner": .., "parameters": {..}}.

    "reach", how far the picture goes to the right and up from its middle, is for recipes that have no straight line.

    >>> request = parsed({"points": [[3, 3, 1], [1, 1, 0]], "learner": "Perceptron", "parameters": {"eta0": 0.5}})
    >>> request.X.tolist(), request.y.tolist(), request.model().eta0
    ([[3.0, 3.0], [1.0, 1.0]], [1, 0], 0.5)
    """
    given = part(content, "The request", dict)
    X, y = _points(given.get("points"))
    if given.get("dimension", 2) not in (1, 2) or isinstance(given.get("dimension"), bool | float):
        raise InputError(f"dimension must be 1 or 2, not {shown(given['dimension'])}.")
    parameters = part(given.get("parameters", {}), "parameters", dict)
    learner, checked = given_learner(given.get("learner", "Perceptron"), parameters)
    reach = _reach(given.get("reach", [5.5, 5.5]))
    return Request(X[:, : given.get("dimension", 2)].copy(), y, learner, checked, reach)


def _reach(value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(is_number(one) and 0 < one <= 1e8 for one in value):
        raise InputError(f"reach must be two numbers above 0, not {shown(value)}.")
    return float(value[0]), float(value[1])


def given_learner(name: object, parameters: Mapping[str, object]) -> tuple[Learner, dict[str, Any]]:
    """A learner by its name, and its parameters, each of the right kind."""
    learner = _learner(name)
    return learner, {key: _value(learner, key, value) for key, value in parameters.items()}


def part(value: object, name: str, kind: type) -> Any:
    if not isinstance(value, kind):
        words: dict[type, str] = {dict: "an object", list: "a list", str: "text"}
        raise InputError(f"{name} must be {words[kind]}, not {shown(value)}.")
    return value


def shown(value: object) -> str:
    """The beginning of a value from outside."""
    try:
        text = repr(value)
    except ValueError:  # a number of thousands of digits
        return "a number too large"
    return text if len(text) <= 40 else f"{text[:40]}.."


def _points(value: object) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    points = part(value, "points", list)
    if len(points) > MOST_POINTS:
        raise InputError(f"The lab takes {MOST_POINTS} points at most, not {len(points)}: fit larger data in Python.")
    for number, point in enumerate(points, start=1):
        _check_point(number, point)
    y = np.array([point[2] for point in points], dtype=np.int64)
    if len(set(y.tolist())) < 2:
        raise InputError("Place points of two classes at least: there is nothing to learn yet.")
    return np.array([point[:2] for point in points], dtype=np.float64), y


def _check_point(number: int, point: object) -> None:
    if not isinstance(point, list) or len(point) != 3:
        raise InputError(f"Point {number} must be [x1, x2, class], not {shown(point)}.")
    for value in point[:2]:
        if not is_number(value) or not abs(value) <= FARTHEST:
            raise InputError(f"Point {number} has the coordinate {shown(value)}: use numbers up to a million.")
    if type(point[2]) is not int or not 0 <= point[2] < MOST_CLASSES:
        raise InputError(f"Point {number} has the class {shown(point[2])}: classes are 0 to {MOST_CLASSES - 1}.")


def is_number(value: object) -> bool:
    """Whether a value is a number that floats can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def _learner(name: object) -> Learner:
    known = learners()
    if not isinstance(name, str) or name not in known:
        raise InputError(f"learner must be one of {', '.join(known)}, not {shown(name)}.")
    return known[name]


def _value(learner: Learner, name: str, value: object) -> Any:
    """A parameter of the right kind. Whether its value is allowed is for the classifier to say."""
    parameter = learner.parameters.get(name)
    if parameter is None:
        raise InputError(f"{learner.name} has no parameter {shown(name)} in the lab.")
    if value is None and parameter.optional:
        return None
    if parameter.kind == "choice" and value in list(parameter.options):
        return value
    if parameter.kind == "switch" and isinstance(value, bool):
        return value
    if parameter.kind in ("number", "whole"):
        return _number(parameter, value)
    allowed = ", ".join(map(repr, parameter.options)) or "true or false"
    raise InputError(f"{name} must be one of {allowed}, not {shown(value)}.")


def _number(parameter: Parameter, value: object) -> float | int:
    name = parameter.name
    if not is_number(value):
        raise InputError(f"{name} must be a number, not {shown(value)}.")
    assert isinstance(value, int | float)
    if parameter.kind == "whole":
        if value != int(value):
            raise InputError(f"{name} must be a whole number, not {shown(value)}.")
        value = int(value)
    if parameter.name == "random_state" and value < 0:
        raise InputError(f"random_state must be at least 0, not {shown(value)}.")
    if parameter.most is not None and value > parameter.most:
        raise InputError(f"{name} can be {parameter.most:,} at most in the lab, not {shown(value)}.")
    return value


def choice(content: Mapping[str, Any], name: str, allowed: Mapping[str, Any]) -> str:
    value = content.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, not {shown(value)}.")
    return value
