"""A request in, a run out: the real classifier is fitted, followed update by update, and set beside the theory.

Pure: the same request gives the same answer, and nothing is kept.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..classifiers.kernel import KernelClassifier
from ..classifiers.linear import LinearClassifier
from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from .feature_space import space_of, weights_of
from .packed_arrays import packed
from .replay import Course, course_of, path, quality
from .run_request import MOST_UPDATES, Request, parsed
from .snippet import snippet
from .theory import lifted, novikoff, of_kernel, theory
from .wide_bound import coordinates

CHECKPOINTS = 397  # of the curves: as many as a chart can show, and a prime, for updates often come in cycles
MOST_NUMBERS = 300_000  # in a path
PATIENCE = 2.0  # seconds of training; far more than points on a page need
Content = dict[str, Any]


def run(content: object) -> Content:
    """Fit, follow and prove. `request.parsed` says what a request is.

    >>> answer = run({"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}})
    >>> answer["result"]["coef"], answer["result"]["intercept"], answer["result"]["status"]
    ([[1.0, 1.0]], [-3.0], 'no mistakes left after 6 epochs')
    >>> answer["theory"]["verdicts"][0]["kind"]
    'complete'
    """
    request = parsed(content)
    model, notes = fitted(request)
    trace = _interleaved(model, request)
    course = course_of(model, request.X, request.y)
    width = (course.rows.columns + 1) * course.planes * len(course.labels)
    shown = min(len(trace["row"]), MOST_UPDATES, MOST_NUMBERS // width)
    if not _traceable(model)["trace"]:
        walk = _jump(model)
    else:
        walk = path(course, trace["visit"][:shown], trace["class"][:shown])
    space = space_of(model, request)
    recipe = course.recipe
    offset = bool(recipe.fit_intercept), float(recipe.intercept_scaling)
    basis = coordinates(space.rows) if isinstance(model, KernelClassifier) else None
    if isinstance(model, KernelClassifier) and basis is not None:
        proved, bound = of_kernel(model, lifted(basis, *offset), request.y)
    else:
        proved, bound = theory(space.rows, request.y, *offset)
    if bound is not None and is_about(recipe) and getattr(model, "budget", None) is None and len(walk) > 1:
        proved["novikoff"] = novikoff(_lifted_walk(walk[:, 0], basis, *offset), bound, float(recipe.eta0))
    return {
        "classes": model.classes_.tolist(),
        "result": _result(model, weights_of(model, len(request.X)), notes),
        "trace": {name: _packed_column(name, values[:shown]) for name, values in trace.items()},
        "path": packed(walk),
        "curves": _curves(course, trace, shown),
        "lift": space.lift,
        "step": _step(course.recipe, model),
        "theory": proved,
        "snippet": snippet(request),
    }


def fitted(request: Request) -> tuple[LinearClassifier, list[str]]:
    """The classifier after its fit, and the warnings it gave."""
    try:
        model = request.model()
        model.max_seconds = PATIENCE
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(request.X, request.y, **_traceable(model))
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    return model, [str(warning.message) for warning in caught]


def _traceable(model: LinearClassifier) -> dict[str, bool]:
    return {"trace": getattr(model, "solver", "") != "optimum"}


def is_about(recipe: Recipe) -> bool:
    """Whether Novikoff's bound is about a recipe."""
    return recipe.loss == "perceptron" and recipe.step == "constant" and recipe.order != "batch" and not recipe.alpha


def _lifted_walk(walk: Floats, basis: Floats | None, fit_intercept: bool, scaling: float) -> Floats:
    """Weights with the offset as the weight of the constant coordinate; alphas are taken to their kernel's space."""
    w = walk[:, :-1] if basis is None else walk[:, :-1] @ basis
    return np.column_stack([w, walk[:, -1] / scaling]) if fit_intercept else w


def _interleaved(model: LinearClassifier, request: Request) -> dict[str, npt.NDArray[Any]]:
    """The trace in the order of visits: one-vs-rest runs go side by side, as if they took turns."""
    if not _traceable(model)["trace"]:
        whole = {name: np.array([-1]) for name in ("visit", "row", "rival", "class")}
        return whole | {name: np.array([np.nan]) for name in ("margin", "change", "norm")}
    trace = dict(model.trace_)
    trace.setdefault("class", np.zeros(len(trace["row"]), dtype=np.int64))
    order = np.argsort(trace["visit"], kind="stable")
    return {name: values[order] for name, values in trace.items()}


def _packed_column(name: str, values: npt.NDArray[Any]) -> Content:
    return packed(values, "<f8" if values.dtype.kind == "f" or name == "visit" else "<i4")


def _jump(model: LinearClassifier) -> Floats:
    """An optimum is found at once, as far as a page can tell."""
    planes = np.column_stack([model.coef_, model.intercept_])
    return np.stack([np.zeros_like(planes), planes])


def _result(model: LinearClassifier, coef: Floats, notes: list[str]) -> Content:
    status = model.status_
    return {
        "coef": coef.tolist(),
        "intercept": model.intercept_.tolist(),
        "status": str(status),
        "reason": status.reason,
        "mistakes": status.mistakes,
        "rows": status.rows,
        "epochs": model.n_iter_,
        "visits": model.n_visits_,
        "updates": model.n_updates_,
        "history": {name: packed(values) for name, values in model.history_.items()},
        "notes": notes,
    }


def _step(recipe: Recipe, model: LinearClassifier) -> Content:
    """What the page needs to write the rule down."""
    return {
        "loss": recipe.loss,
        "step": recipe.step,
        "eta0": recipe.eta0,
        "alpha": recipe.alpha,
        "offset": float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0,
        "joint": len(model.classes_) > 2 and model.multi_class == "joint",
        "batch": recipe.order == "batch",
        "kernel": isinstance(model, KernelClassifier),
    }


def _curves(course: Course, trace: dict[str, npt.NDArray[Any]], shown: int) -> Content:
    """Mistakes and loss of the last, the average and the best weights, at no more than so many updates."""
    if not shown or trace["visit"][0] < 0:
        return {"updates": [], "keeps": {}}
    at = np.unique(np.linspace(0, shown, min(shown, CHECKPOINTS) + 1).astype(int))
    counts = _counts(trace["class"][:shown], at, len(course.labels))
    keeps = {}
    for keep in KEEPS:
        if course.recipe.order == "working-set" and keep == "best":
            continue  # refused: it looks at no others to compare
        mistakes, loss = quality(course, keep, counts)
        keeps[keep] = {"mistakes": mistakes.tolist(), "loss": loss.tolist()}
    if shown == len(trace["row"]) and "best" in keeps and not keeps["last"]["mistakes"][-1]:
        for name, values in keeps["best"].items():  # a pocket that ends without mistakes holds the last weights
            values[-1] = keeps["last"][name][-1]
    return {"updates": at.tolist(), "keeps": keeps}


def _counts(runs: npt.NDArray[Any], at: npt.NDArray[Any], count: int) -> Sequence[Sequence[int]]:
    """How many updates each run had made, at every checkpoint."""
    made = [np.concatenate([[0], np.cumsum(runs == run)]) for run in range(count)]
    return [total[at].tolist() for total in made]
