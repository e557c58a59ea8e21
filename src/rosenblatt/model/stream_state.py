"""The state of a model that can go on learning (`partial_fit`), as JSON and tensors, and back.

All of it is saved, so that learning goes on as if it had never been interrupted. Only the position in past rows is not.
"""

import math
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from ..engine.native_state import restore_state
from ..engine.stream import Stream
from ..foundation.json_values import all_finite, count_in, require_type
from ..foundation.types import Floats
from ..parts.features import features_from_json, features_to_json
from ..parts.recipe import Recipe
from ..parts.steps import SECOND_ORDER
from ..parts.stops import Stops

Kind = TypeVar("Kind", bound=Stream)
STATE_COUNTS = ("visits", "steps", "updates", "mistakes", "passes", "run", "bar", "seed")
STATE_SUMS = (
    *("best_mistakes", "mistake_weight", "loss_sum", "averaged", "scale", "scale_sum"),
    *("loss_product", "squared_norm"),
)
FIRST_SUMS = 6  # those of the first files; others came later, one by one
STATE_ARRAYS = ("v", "offset", "banked", "offset_sum", "best", "best_offset", "covariance")
L1_ARRAYS = ("unclipped", "l1_sum")  # only of states that an l1 penalty has begun to move


def stream_out(stream: Stream, tensors: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """The header of a stream; its arrays are added to the tensors."""
    states = []
    for k, state in enumerate(stream.states):
        saved = state.__getstate__()
        tensors |= {f"state{k}.{name}": saved[name] for name in (*STATE_ARRAYS, *L1_ARRAYS) if name in saved}
        tensors[f"state{k}.sums"] = np.array([saved[name] for name in STATE_SUMS])
        states.append({name: saved[name] for name in STATE_COUNTS})
    return {
        "recipe": {**asdict(stream.recipe), "features": features_to_json(stream.recipe.features)},
        "joint": stream.joint,
        "seed": stream.seed,
        "calls": stream.calls,
        "states": states,
    }


def stream_in(
    saved: dict[str, Any],
    tensors: dict[str, npt.NDArray[Any]],
    coef: Floats,
    classes: int,
    label_form: str | None = None,
) -> Stream:
    """The stream, or an exception if header and tensors do not fit together."""
    parts = dict(require_type(saved["recipe"], dict))
    features = features_from_json(parts.get("features", "identity"))
    recipe = Recipe(**{**parts, "features": features, "stops": Stops(**parts["stops"])})
    joint = require_type(saved["joint"], bool)
    stream = Stream(recipe, coef.shape[1], "joint" if joint else "ovr", require_type(saved["seed"], int), label_form)
    return states_in(stream, saved, tensors, coef, classes)


def states_in(
    stream: Kind, saved: dict[str, Any], tensors: dict[str, npt.NDArray[Any]], coef: Floats, classes: int
) -> Kind:
    """The stream with its saved states."""
    stream.grow([], classes)  # new states of the right number and shapes, to be replaced by the saved ones
    stream.calls = count_in(saved["calls"])
    states = require_type(saved["states"], list)
    if len(states) != len(stream.states):
        raise ValueError("its states do not fit its classes")
    made = (_state_in(k, fresh, states[k], tensors, stream.recipe) for k, fresh in enumerate(stream.states))
    stream.states = list(made)
    if not (_near(stream.coef, coef) and _near(stream.intercept, tensors["intercept"])):
        raise ValueError("its weights are not those of its states")
    return stream


def _state_in(
    k: int, fresh: _core.State, counts: dict[str, Any], tensors: dict[str, npt.NDArray[Any]], recipe: Recipe
) -> _core.State:
    content = dict(fresh.__getstate__())
    if f"state{k}.{L1_ARRAYS[0]}" in tensors:
        content |= {"unclipped": content["v"], "l1_sum": np.zeros(1)}
    for name in (*STATE_ARRAYS, *L1_ARRAYS):
        if name in content:
            content[name] = _same_shape(content[name], tensors[f"state{k}.{name}"])
            if not all_finite(content[name]):
                raise ValueError("its states hold numbers that are not finite")
    if recipe.step in SECOND_ORDER and f"state{k}.covariance" in tensors:
        content["covariance"] = _covariance_in(tensors[f"state{k}.covariance"], content, recipe.step)
    sums = tensors[f"state{k}.sums"]
    known = STATE_SUMS[: max(len(sums), FIRST_SUMS)]
    content |= dict(zip(known, _same_shape(np.zeros(len(known)), sums).tolist(), strict=True))
    _check_sums(content)
    content |= {name: count_in(counts[name]) for name in STATE_COUNTS if name != "seed"}
    content["seed"] = require_type(counts["seed"], int)
    return restore_state(content)


def _covariance_in(saved: npt.NDArray[Any], content: dict[str, Any], step: str) -> Floats:
    each = content["columns"] + 1
    fresh = np.empty(content["planes"] * (each * each if step == "full" else each))
    if not all_finite(_same_shape(fresh, saved)):
        raise ValueError("its states hold numbers that are not finite")
    return saved


def _check_sums(content: dict[str, Any]) -> None:
    if content.get("l1_sum", np.zeros(1))[0] < 0:
        raise ValueError("its states hold sums that no training leaves")
    finite = all(math.isfinite(content[name]) for name in STATE_SUMS if name != "best_mistakes")
    if not (finite and content["scale"] > 0 and content["averaged"] >= 0 and content["best_mistakes"] >= 0):
        raise ValueError("its states hold sums that no training leaves")


def _near(computed: Floats, saved: npt.NDArray[Any]) -> bool:
    return np.allclose(computed, saved, rtol=1e-9, atol=1e-9 * float(np.abs(saved).max(initial=0.0)))


def _same_shape(fresh: Floats, saved: npt.NDArray[Any]) -> Floats:
    if saved.dtype != fresh.dtype or saved.shape != fresh.shape:
        raise ValueError("its states do not fit its weights")
    return saved
