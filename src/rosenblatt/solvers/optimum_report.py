"""One status and one history for the optima of several one-vs-rest problems."""

from math import isnan

import numpy as np

from ..foundation.phrases import count
from ..foundation.types import History
from ..parts.losses import LOSSES
from ..parts.stops import REASONS, Status, Stops, mistakes_left
from .optimum import Optimum


def joint_status(found: list[Optimum], loss: str, mistakes: int, rows: int, stops: Stops) -> Status:
    """The least final of the endings, as a sentence."""
    reason = max((best.reason for best in found), key=REASONS.index)
    named = next(best for best in found if best.reason == reason)
    steps = max(best.steps for best in found)
    begun = "begun" if reason == "interrupted" else "to end"
    several = f" (the last of {count(len(found), 'one-vs-rest problem')} {begun})" if len(found) > 1 else ""
    sentence = (
        f"{_ending(named, loss, stops)} after {count(steps, named.unit)}, with {mistakes_left(mistakes, rows)}{several}"
    )
    return Status(sentence, reason, mistakes, rows, steps)


def _ending(optimum: Optimum, loss: str, stops: Stops) -> str:
    """Why one problem ended."""
    if optimum.reason in ("gradient", "gap"):
        return _distance(optimum)
    one = "one " if LOSSES[loss].reaches_zero else ""  # such losses are 0 at many weights
    how = "completely" if optimum.separation == "complete" else "quasi-completely"
    return {
        "separated": f"the classes are {how} separated, so that there is no {one}optimum without a penalty: ended",
        "precision": f"{_distance(optimum)}, as near as rounding allows,",
        "max_iter": "max_iter reached",
        "max_seconds": f"max_seconds={stops.max_seconds} reached",
        "interrupted": "interrupted",
    }[optimum.reason]


def _distance(optimum: Optimum) -> str:
    """How far from the optimum a problem ended, as proved."""
    if isnan(optimum.gap):
        return f"gradient at {optimum.gradient_norm:.1e} of its start"
    return f"duality gap at {optimum.gap:.1e} of the objective"


def joint_history(found: list[Optimum]) -> History:
    """One entry a step: the sum of all objectives, the largest gradient or gap, and sums over the running problems."""
    if len(found) == 1:
        return found[0].history
    steps = max(len(best.history["visits"]) for best in found)
    histories = [best.history for best in found if len(best.history["visits"])]

    def entry(name: str, step: int) -> float:
        if name == "objective":
            return float(sum(history[name][min(step, len(history[name]) - 1)] for history in histories))
        values: list[float] = [history[name][step] for history in histories if step < len(history[name])]
        return max(values) if name in ("gradient", "gap") else sum(values)

    names = histories[0] if histories else ()
    return {name: np.array([entry(name, step) for step in range(steps)]) for name in names}
