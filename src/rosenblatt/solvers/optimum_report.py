"""One status for the optima of several one-vs-rest problems."""

from math import isnan

from ..foundation.phrases import count
from ..parts.losses import LOSSES
from ..parts.stops import REASONS, Status, mistakes_left
from .optimum import Optimum


def joint_status(found: list[Optimum], loss: str, mistakes: int, rows: int, max_seconds: float | None) -> Status:
    """The least final of the endings, as a sentence."""
    named, steps, several = found[0], found[0].steps, ""
    if len(found) > 1:
        named = max(found, key=lambda best: REASONS.index(best.reason))
        begun = "begun" if named.reason == "interrupted" else "to end"
        several = f" (the last of {count(len(found), 'one-vs-rest problem')} {begun})"
        steps = max([best.steps for best in found])
    ending = _ending(named, loss, max_seconds)
    sentence = f"{ending} after {count(steps, named.unit)}, with {mistakes_left(mistakes, rows)}{several}"
    return Status(sentence, named.reason, mistakes, rows, steps)


def _ending(optimum: Optimum, loss: str, max_seconds: float | None) -> str:
    """Why one problem ended."""
    if optimum.reason in ("gradient", "gap"):
        return _distance(optimum)
    one = "one " if LOSSES[loss].reaches_zero else ""  # such losses are 0 at many weights
    how = "completely" if optimum.separation == "complete" else "quasi-completely"
    return {
        "separated": f"the classes are {how} separated, so that there is no {one}optimum without a penalty: ended",
        "precision": f"{_distance(optimum)}, as near as rounding allows,",
        "max_iter": "max_iter reached",
        "max_seconds": f"max_seconds={max_seconds} reached",
        "interrupted": "interrupted",
    }[optimum.reason]


def _distance(optimum: Optimum) -> str:
    """How far from the optimum a problem ended, as proved."""
    if isnan(optimum.gap):
        return f"gradient at {optimum.gradient_norm:.1e} of its start"
    return f"duality gap at {optimum.gap:.1e} of the objective"
