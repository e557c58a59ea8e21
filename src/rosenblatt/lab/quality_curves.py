"""Mistakes and loss along a run, for each of the weights that a run can return."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.replay import Replay
from ..parts.keeps import KEEPS

MAX_CURVE_POINTS = 397  # as many as a chart can show, and a prime, because updates often come in cycles
Content = dict[str, Any]


def quality_curves(replay: Replay, trace: dict[str, npt.NDArray[Any]], updates: int) -> Content:
    """Mistakes and loss of the last, the average and the best weights, after at most `MAX_CURVE_POINTS` updates."""
    if not updates or trace["visit"][0] < 0:
        return {"updates": [], "keeps": {}}
    checkpoints = np.unique(np.linspace(0, updates, min(updates, MAX_CURVE_POINTS) + 1).astype(int))
    counts = _updates_of_runs(trace["class"][:updates], checkpoints, len(replay.problems))
    keeps = {}
    for keep in KEEPS:
        if keep == "vote":
            continue  # it has no plane
        if replay.recipe.order == "working-set" and keep == "best":
            continue  # this order refuses the pocket
        mistakes, loss = replay.quality(keep, counts)
        keeps[keep] = {"mistakes": mistakes.tolist(), "loss": loss.tolist()}
    if updates == len(trace["row"]) and "best" in keeps and not keeps["last"]["mistakes"][-1]:
        for name, values in keeps["best"].items():  # a pocket that ends without mistakes returns the last weights
            values[-1] = keeps["last"][name][-1]
    return {"updates": checkpoints.tolist(), "keeps": keeps}


def _updates_of_runs(runs: npt.NDArray[Any], checkpoints: npt.NDArray[Any], count: int) -> Sequence[Sequence[int]]:
    """How many updates each run has made at every checkpoint."""
    made = [np.concatenate([[0], np.cumsum(runs == run)]) for run in range(count)]
    return [total[checkpoints].tolist() for total in made]
