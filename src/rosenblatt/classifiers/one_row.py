"""One row at a time: after a row has been learned, the next ones can take the short way of `Stream.learn_row`."""

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..engine.stream import Stream
from ..parts.features import IDENTITY
from .one_trainer import trainers

GIL: bool = getattr(sys, "_is_gil_enabled", lambda: True)()  # the short way has no other guard against a second thread


@cache
def _parameters_of(classifier: Any) -> tuple[str, ...]:
    return tuple(classifier._get_param_names())


def prepare_for_rows(model: Any, stream: Stream, recipe_parts: Iterable[str]) -> None:
    """Make the short way ready, if a row needs neither features nor weights.

    It ends as soon as an attribute that decides how a row is learned becomes another object.
    """
    own = model.__dict__
    if stream.is_ready_for_rows(own) or not GIL:
        return
    if model.class_weight is not None or model._features is not IDENTITY:
        return
    names = (*_parameters_of(model.__class__), *recipe_parts, "feature_names_in_")
    parameters = {name: own.get(name, ...) for name in names}
    stream.prepare_for_rows(model.classes_.tolist(), own.get("feature_names_in_"), parameters, trainers)
