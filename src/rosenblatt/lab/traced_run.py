"""A request in, a run out: fit the real classifier, replay it update by update, and add the theory.

Nothing is kept between requests: the same request gives the same answer.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.kernel import KernelClassifier
from ..classifiers.linear import LinearClassifier
from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..parts.recipe import Recipe
from .approximate_bound import kernel_coordinates
from .chosen_values import chosen_values
from .feature_space import feature_space, returned_weights
from .packed_arrays import pack_array
from .python_snippet import python_snippet
from .quality_curves import quality_curves
from .run_request import MAX_UPDATES, RunRequest, parse_request
from .theory import kernel_theory, linear_theory, novikoff_curves, with_constant_column

MAX_PATH_NUMBERS = 300_000
MAX_TRAINING_SECONDS = 2.0  # far more than points on a page need
Content = dict[str, Any]
Trace = dict[str, npt.NDArray[Any]]


def trace_run(content: object) -> Content:
    """Fit, replay and prove. `parse_request` documents the content of a request.

    >>> answer = trace_run({"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}})
    >>> answer["result"]["coef"], answer["result"]["intercept"], answer["result"]["status"]
    ([[1.0, 1.0]], [-3.0], 'no mistakes left after 6 epochs')
    >>> answer["theory"]["verdicts"][0]["kind"]
    'complete'
    """
    request = parse_request(content)
    model, notes = fit_with_trace(request)
    trace = _trace_by_visit(model)
    problem = model.training_problem(request.X, request.y)
    replay = problem.replay()
    width = (replay.rows.columns + 1) * replay.plane_count
    updates = min(len(trace["row"]), MAX_UPDATES, MAX_PATH_NUMBERS // width)
    if _can_trace(model):
        weights_path = replay.weights_path(trace["visit"][:updates], trace["class"][:updates])
    else:
        weights_path = _start_and_end(model)
    space = feature_space(problem, request)
    return {
        "classes": model.classes_.tolist(),
        "result": {
            **_result(model, returned_weights(model, len(request.X)), notes),
            "chosen": chosen_values(model, request.entry, replay.recipe, getattr(problem, "kernel", None)),
        },
        "trace": {name: _pack_column(name, values[:updates]) for name, values in trace.items()},
        "path": pack_array(weights_path),
        "curves": quality_curves(replay, trace, updates),
        "lift": space.lift,
        "step": _step(replay.recipe, model),
        "theory": _theory(model, replay.recipe, space.rows, request.y, weights_path),
        "snippet": python_snippet(request),
    }


def fit_with_trace(request: RunRequest) -> tuple[LinearClassifier, list[str]]:
    """The fitted classifier and the warnings of its fit."""
    try:
        model = request.model()
        model.max_seconds = MAX_TRAINING_SECONDS
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(request.X, request.y, trace=_can_trace(model))
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    return model, [str(warning.message) for warning in caught]


def _can_trace(model: LinearClassifier) -> bool:
    """Whether the classifier trains by updates; the solver "optimum" does not."""
    return getattr(model, "solver", "") != "optimum"


def _trace_by_visit(model: LinearClassifier) -> Trace:
    """The trace in the order of visits, with one-vs-rest runs interleaved; without updates, one entry of -1 and nan."""
    if not _can_trace(model):
        empty = {name: np.array([-1]) for name in ("visit", "row", "rival", "class")}
        return empty | {name: np.array([np.nan]) for name in ("margin", "change", "norm")}
    trace = dict(model.trace_)
    trace.setdefault("class", np.zeros(len(trace["row"]), dtype=np.int64))
    order = np.argsort(trace["visit"], kind="stable")
    return {name: values[order] for name, values in trace.items()}


def _start_and_end(model: LinearClassifier) -> Floats:
    """The path of a run without updates: weights of 0, then the optimum."""
    planes = np.column_stack([model.coef_, model.intercept_])
    return np.stack([np.zeros_like(planes), planes])


def _pack_column(name: str, values: npt.NDArray[Any]) -> Content:
    return pack_array(values, "<f8" if values.dtype.kind == "f" or name == "visit" else "<i4")


def _theory(
    model: LinearClassifier, recipe: Recipe, rows: Floats, y: npt.NDArray[np.int64], weights_path: Floats
) -> Content:
    """The proofs about the points, with Novikoff's curves if the theorem covers the run."""
    offset = bool(recipe.fit_intercept), float(recipe.intercept_scaling)
    basis = None
    if isinstance(model, KernelClassifier):
        basis = kernel_coordinates(rows)
        content, bound = kernel_theory(model, with_constant_column(basis, *offset), y)
    else:
        content, bound = linear_theory(rows, y, *offset)
    if bound is not None and novikoff_applies(model, recipe) and len(weights_path) > 1:
        path_with_offset = _with_offset_coordinate(weights_path[:, 0], basis, *offset)
        content["novikoff"] = novikoff_curves(path_with_offset, bound, float(recipe.eta0))
    return content


def novikoff_applies(model: LinearClassifier, recipe: Recipe) -> bool:
    """Whether Novikoff's bound covers this run: a perceptron of constant step that forgets no rows."""
    single_rows = recipe.order != "batch" and getattr(model, "budget", None) is None
    at_mistakes = recipe.loss == "perceptron" and not recipe.pushes_correct_rows
    return at_mistakes and recipe.step == "constant" and single_rows and not recipe.alpha


def _with_offset_coordinate(
    plane_path: Floats, basis: Floats | None, fit_intercept: bool, intercept_scaling: float
) -> Floats:
    """Weights with the offset as the weight of the constant coordinate; alphas become weights in the kernel's space."""
    w = plane_path[:, :-1] if basis is None else plane_path[:, :-1] @ basis
    return np.column_stack([w, plane_path[:, -1] / intercept_scaling]) if fit_intercept else w


def _result(model: LinearClassifier, coef: Floats, notes: list[str]) -> Content:
    status = model.status_
    return {
        "coef": coef.tolist(),
        "intercept": model.intercept_.tolist(),
        "status": str(status),
        "reason": status.reason,
        "mistakes": status.mistakes,
        "rows": status.rows,
        "epochs": status.epochs,
        "visits": model.n_visits_,
        "updates": model.n_updates_,
        "history": {name: pack_array(values) for name, values in model.history_.items()},
        "notes": notes,
    }


def _step(recipe: Recipe, model: LinearClassifier) -> Content:
    """What the page needs to write down the update rule."""
    return {
        "loss": recipe.loss,
        "step": recipe.step,
        "eta0": recipe.eta0,
        "alpha": recipe.alpha,
        "offset": float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0,
        "joint": len(model.classes_) > 2 and model.multi_class_ == "joint",
        "batch": recipe.order == "batch",
        "kernel": isinstance(model, KernelClassifier),
    }
