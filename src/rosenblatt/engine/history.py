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
LARGEST = ("gradient", "gap")  # columns that are the largest of several runs
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


def columns_of(epochs: Sequence[Epoch]) -> History:
    """The epochs of a run as columns; those that nobody asked for are left out."""
    columns = {name: np.array([epoch[place] for epoch in epochs]) for place, name in enumerate(Epoch._fields)}
    return {name: values for name, values in columns.items() if name not in LASTING or not np.isnan(values).all()}


def join_histories(runs: Sequence[History]) -> History:
    """One entry an epoch or step: sums over the runs still going, means for the loss, the largest gradient and gap.

    Objectives and the scores of rows held out count all runs, those that have ended too.
    """
    begun = [run for run in runs if len(run["visits"])] or runs[:1]
    lengths = np.array([len(run["visits"]) for run in begun])
    return {name: _joined(name, [run[name] for run in begun], lengths) for name in begun[0]}


def _joined(name: str, columns: Sequence[npt.NDArray[Any]], lengths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One column of all runs, each continued to the longest."""
    longest = int(lengths.max())
    mode: Literal["edge", "constant"] = "edge" if name in LASTING else "constant"
    padded = [
        np.pad(values, (0, longest - len(values)), mode) if len(values) < longest else values for values in columns
    ]
    joined: npt.NDArray[Any] = reduce(np.maximum if name in LARGEST else np.add, padded)
    if name in AVERAGED:
        going = len(columns) if name in LASTING else np.sum(np.arange(longest) < lengths[:, None], axis=0)
        joined = joined / going
    return joined


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
