"""The core's state: restore a saved one, or copy one with other planes or columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..foundation.types import Floats, Places
from .column_map import ColumnMap

UNKNOWN = -1.0  # the core computes ||w||^2 again


def combine_planes(state: _core.State, planes: Sequence[tuple[int, float]]) -> _core.State:
    """A copy of a state whose planes are multiples of the old ones. A source of -1 makes a plane of zeros.

    Runs of correct visits start again, because they counted fewer classes.
    """
    saved = {**without_l1_sum(state), "run": 0, "bar": 0, "squared_norm": UNKNOWN}
    old = saved["planes"]
    for name in ("v", "offset", "banked", "offset_sum", "best", "best_offset"):
        if name in saved:
            values = saved[name].reshape(old, -1)
            new = [factor * values[k] if k >= 0 else np.zeros(values.shape[1]) for k, factor in planes]
            saved[name] = np.concatenate(new)
    if "covariance" in saved:
        fresh = fresh_covariance(saved["covariance"].size // old, saved["columns"])
        each = saved["covariance"].reshape(old, -1)
        saved["covariance"] = np.concatenate([each[k] if k >= 0 else fresh for k, _ in planes])
    saved["planes"] = len(planes)
    return restore_state(saved)


def remap_columns(state: _core.State, columns: ColumnMap, offset_value: float) -> _core.State:
    """A copy of a state with other columns, which take their weights from the old ones."""
    saved = without_l1_sum(state)
    scale, planes, old_columns = saved["scale"], saved["planes"], saved["columns"]
    if "banked" in saved:
        saved["banked"] = saved["banked"] + saved["scale_sum"] * saved["v"]  # as the core adds them up
    saved |= {"v": saved["v"] * scale, "scale": 1.0, "scale_sum": 0.0, "columns": len(columns.sources)}
    saved["squared_norm"] = UNKNOWN
    _move_covariance(saved, old_columns, columns.sources, columns.factors)
    for name, offset in (("v", "offset"), ("banked", "offset_sum"), ("best", "best_offset")):
        if name in saved:
            old = saved[name].reshape(planes, -1)
            new = np.where(
                columns.sources >= 0, old.take(np.maximum(columns.sources, 0), axis=1) * columns.factors, 0.0
            )
            for to, source, factor in columns.more:
                new[:, to] += factor * old[:, source]
            for source, factor in columns.offset:
                saved[offset] = saved[offset] + old[:, source] * (factor / offset_value)
            saved[name] = new.reshape(-1)
    return restore_state(saved)


def fresh_covariance(size: int, columns: int) -> Floats:
    """The covariance of a new plane: variances of 1, or the identity matrix."""
    return np.ones(size) if size == columns + 1 else np.eye(columns + 1).reshape(-1)


def _move_covariance(saved: dict[str, Any], old: int, sources: Places, factors: Floats) -> None:
    """Give each column the variance of its source, and new ones that of the start. Sums of columns count as one."""
    if "covariance" not in saved:
        return
    planes, there = saved["planes"], np.append(sources >= 0, True)
    source, factor = np.append(sources, old)[there], np.append(factors, 1.0)[there]
    each = saved["covariance"].reshape(planes, -1)
    if each.shape[1] == old + 1:
        moved = np.ones((planes, len(there)))
        moved[:, there] = each[:, source] * factor**2
    else:
        moved = np.tile(np.eye(len(there)), (planes, 1, 1))
        kept = each.reshape(planes, old + 1, old + 1)[:, source[:, None], source]
        moved[:, np.flatnonzero(there)[:, None], there] = kept * np.outer(factor, factor)
    saved["covariance"] = moved.reshape(-1)


def limit_memory(state: _core.State, averaged: int, steps: int) -> _core.State:
    """A copy of a state that counts at most so many rows in its average and its falling steps."""
    if state.averaged <= averaged and state.steps <= steps:
        return state
    saved = state.__getstate__()
    share = min(1.0, averaged / saved["averaged"]) if saved["averaged"] else 1.0
    saved |= {"steps": min(saved["steps"], steps), "averaged": saved["averaged"] * share}
    saved["scale_sum"] *= share
    for name in ("banked", "offset_sum"):
        if name in saved:
            saved[name] = saved[name] * share
    return restore_state(saved)


def with_updates(state: _core.State, updates: int) -> _core.State:
    """A copy of a state that has made so many updates."""
    return restore_state({**state.__getstate__(), "updates": updates})


def restore_state(saved: dict[str, Any]) -> _core.State:
    """A state with the content that `__getstate__` gave."""
    state: _core.State = _core.State.__new__(_core.State)
    state.__setstate__(saved)
    return state


def without_l1_sum(state: _core.State) -> dict[str, Any]:
    """The content of a state whose weights have paid what an l1 penalty asked so far: it begins to ask anew."""
    saved = dict(state.__getstate__())
    if "unclipped" in saved:
        v, unclipped, asked = saved["v"], saved.pop("unclipped"), saved.pop("l1_sum")
        saved["v"] = np.where(
            v > 0, np.maximum(unclipped - asked, 0), np.where(v < 0, np.minimum(unclipped + asked, 0), 0)
        )
    return saved


def select_columns(state: _core.State, columns: Places) -> _core.State:
    """A copy of a state with some of its columns. Columns that it does not have become zeros."""
    saved = dict(state.__getstate__())
    old = saved["columns"]
    there = columns < old
    for name in ("v", "unclipped", "banked", "best"):
        if name in saved:
            values = np.zeros((saved["planes"], len(columns)))
            values[:, there] = saved[name].reshape(saved["planes"], old)[:, columns[there]]
            saved[name] = values.reshape(-1)
    _move_covariance(saved, old, np.where(there, columns, -1), np.ones(len(columns)))
    saved |= {"columns": len(columns), "squared_norm": UNKNOWN}
    return restore_state(saved)
