"""Rows of the table: lists by a filter and an order, and what each column adds to the decision of one row."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from ..foundation.errors import InputError
from ..foundation.splitting import TEST, TRAIN
from ..foundation.types import Floats, Mask
from ..model.explanation import decision_plane, decision_terms
from ..risk.metrics import scores_by_class
from .run_request import is_finite_number, require_type, short_repr
from .seen_model import SeenModel

MAX_LISTED_ROWS, MAX_LISTED_COLUMNS, MAX_CONTRIBUTIONS = 15, 5, 10
PARTS = ("measured", "trained", "all")
ORDERS = ("worst", "nearest", "table")
Content = dict[str, Any]


def leads(seen: SeenModel) -> Floats:
    """How far the score of each row's own class is ahead: at most 0 for a mistake."""
    own: Floats = scores_by_class(seen.scores)[np.arange(len(seen.codes)), seen.codes]
    return own


def margins(seen: SeenModel, plane: int) -> Floats:
    """The leads; for one plane as a distance from it."""
    norm = 0.0 if seen.space is None or len(seen.space.coef) > 1 else float(np.linalg.norm(seen.space.weights(plane)))
    return leads(seen) / norm if norm else leads(seen)


def part_of_rows(seen: SeenModel, part: object) -> Mask:
    """The rows of a part: those that are measured, those trained on, or all."""
    if part not in PARTS:
        raise InputError(f"part must be one of {', '.join(PARTS)}, not {short_repr(part)}.")
    if part == "measured":
        return seen.measured
    return seen.uses == TRAIN if part == "trained" else np.ones(len(seen.codes), dtype=bool)


def list_rows(seen: SeenModel, content: Mapping[str, Any], plane: int) -> Content:
    """The first rows of a part that pass a filter: {"part", "wrong", "truth", "decided", "order", "skip"}."""
    wanted = part_of_rows(seen, content.get("part", "measured"))
    if require_type(content.get("wrong", False), "wrong", bool):
        wanted = wanted & (seen.decided != seen.codes)
    for name, values in (("truth", seen.codes), ("decided", seen.decided)):
        if content.get(name) is not None:
            wanted = wanted & (values == class_index(content, name, len(seen.classes)))
    places = np.flatnonzero(wanted)
    margin = margins(seen, plane)
    order = content.get("order", "worst")
    if order not in ORDERS:
        raise InputError(f"order must be one of {', '.join(ORDERS)}, not {short_repr(order)}.")
    if order != "table":
        key = margin[places] if order == "worst" else np.abs(margin[places])
        places = places[np.argsort(key, kind="stable")]
    skip = _whole_number(content, "skip", len(places))
    listed = places[skip : skip + MAX_LISTED_ROWS].tolist()
    columns = listed_columns(seen, plane)
    return {
        "count": len(places),
        "skip": skip,
        "rows": [_row_content(seen, place, float(margin[place]), columns) for place in listed],
    }


def listed_columns(seen: SeenModel, plane: int) -> list[str]:
    """The columns of the table with the largest weights; the first ones, if weights do not belong to columns."""
    if seen.space is None or not len(seen.space.owners):
        return list(seen.cells.names[:MAX_LISTED_COLUMNS])
    heaviest = np.argsort(-np.abs(seen.space.weights(plane)), kind="stable")
    return list(islice(dict.fromkeys(seen.space.owners[k] for k in heaviest), MAX_LISTED_COLUMNS))


def _row_content(seen: SeenModel, place: int, margin: float, columns: list[str]) -> Content:
    return {
        "row": int(seen.numbers[place]),
        "class": seen.classes[seen.codes[place]],
        "predicted": seen.classes[seen.decided[place]],
        "margin": margin,
        "held_out": bool(seen.uses[place] == TEST and seen.is_held_out),
        "values": {name: seen.cells(place, name) for name in columns},
    }


def explain_row(seen: SeenModel, content: Mapping[str, Any]) -> Content:
    """The decision of one row, by its number in the table, and what each column adds to its score."""
    number = content.get("row")
    found = np.flatnonzero(seen.numbers == (number if is_finite_number(number) else 0))
    if not len(found):
        raise InputError(f"row must be the number of a row that is shown, not {short_repr(number)}.")
    place = int(found[0])
    decided = int(seen.decided[place])
    plane = decision_plane(seen.classes, decided)
    shown = {} if seen.space is None else _terms(seen, place, decided, plane)
    chances = None if seen.probabilities is None else seen.probabilities[place].tolist()
    return {
        **_row_content(seen, place, float(leads(seen)[place]), []),
        "scores": seen.scores[place].tolist(),
        "probabilities": chances,
        "cells": {name: seen.cells(place, name) for name in listed_columns(seen, plane)},
        **shown,
    }


def _terms(seen: SeenModel, place: int, decided: int, plane: int) -> Content:
    space = seen.space
    assert space is not None
    found, score = space.contributions(place, plane), float(seen.scores[place, plane])
    terms = decision_terms(seen.classes, decided, score, space.offset(plane), found, MAX_CONTRIBUTIONS)
    named = {*seen.cells.names, *space.owners}
    listed = [
        {**each._asdict(), "cell": seen.cells(place, each.column) if each.column in named else None}
        for each in terms.contributions
    ]
    return {**terms._asdict(), "contributions": listed}


def class_index(content: Mapping[str, Any], name: str, count: int, default: int | None = None) -> int:
    """The number of a class that a request names."""
    index = content.get(name, default)
    if not is_finite_number(index) or index != int(index) or not 0 <= index < count:
        raise InputError(f"{name} must be a whole number from 0 to {count - 1}, not {short_repr(index)}.")
    return int(index)


def _whole_number(content: Mapping[str, Any], name: str, most: int) -> int:
    value = content.get(name, 0)
    if not is_finite_number(value) or value != int(value) or not 0 <= value <= most:
        raise InputError(f"{name} must be a whole number from 0 to {most:,}, not {short_repr(value)}.")
    return int(value)
