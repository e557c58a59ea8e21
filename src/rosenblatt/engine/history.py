"""What happened in each epoch and at each update, of one run or of several together."""

from collections.abc import Sequence
from functools import reduce
from math import nan
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.types import History

AVERAGED = ("loss", "held_out")  # columns that are means over several runs; the others are sums
LASTING = ("objective", "held_out")  # columns in which a run that has ended keeps its last value
TRACE_COLUMNS = ("visit", "row", "rival", "margin", "change", "norm")


class Epoch(NamedTuple):
    """What happened in n visits."""

    visits: int
    updates: int
    mistakes: float
    loss: float
    seconds: float
    objective: float = nan  # known where the stopping criterion needs a pass over all rows
    held_out: float = nan  # the stopping criterion on rows held out


def join_histories(runs: Sequence[Sequence[Epoch]]) -> History:
    """One entry an epoch: sums over the runs still going, means for the loss.

    Objectives and the scores of rows held out count all runs, those that have ended too.
    """
    lengths = np.array([len(epochs) for epochs in runs])
    longest = int(lengths.max())
    history = {}
    for place, name in enumerate(Epoch._fields):
        lasting = name in LASTING
        columns = (_padded(epochs, place, longest, "edge" if lasting else "constant") for epochs in runs)
        history[name] = reduce(np.add, columns)
        if name in AVERAGED:
            going = len(runs) if lasting else np.sum(np.arange(longest) < lengths[:, None], axis=0)
            history[name] = history[name] / going
    return {name: values for name, values in history.items() if name not in LASTING or not np.isnan(values).all()}


def _padded(epochs: Sequence[Epoch], place: int, length: int, mode: Literal["edge", "constant"]) -> npt.NDArray[Any]:
    """One column of a run, continued to a length."""
    values = np.array([epoch[place] for epoch in epochs])
    return np.pad(values, (0, length - len(values)), mode) if len(values) < length else values


def join_traces(runs: Sequence[Sequence[History]]) -> History:
    """Every update in order; of several runs, with the number of the class whose plane moved.

    Updates of shards also have their epoch and shard.
    """
    empty = _core.Trace(1).drain()
    every = [piece for pieces in runs for piece in pieces]
    names = dict.fromkeys([*TRACE_COLUMNS, *(name for piece in every for name in piece)])
    trace = {
        name: np.concatenate([*([empty[name]] if name in empty else ()), *(piece[name] for piece in every)])
        for name in names
    }
    if len(runs) > 1:
        sizes = [sum(len(piece["row"]) for piece in pieces) for pieces in runs]
        trace["class"] = np.repeat(np.arange(len(runs)), sizes)
    return trace
