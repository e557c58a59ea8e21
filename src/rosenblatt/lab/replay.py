"""The weights after every update, from the core: a state is taken from one move to the next.

`fit(trace=True)` tells at which visit w moved, but not where to. So the same recipe is run once more, and stops at each
of those visits: the core's one call, `advance`, is resumable. No weight is worked out here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..classifiers.kernel import KernelClassifier
from ..classifiers.linear import LinearClassifier
from ..classifiers.training_set import TrainingSet
from ..classifiers.validation import examples
from ..engine.class_problems import signs_of
from ..foundation.labels import encode
from ..foundation.types import Floats
from ..parts.features import chosen
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe

NO_LIMIT = 1 << 40


class Course(NamedTuple):
    """What a fitted classifier ran: its recipe with all numbers put in, the rows, and the labels of each run."""

    recipe: Recipe
    rows: _core.Rows
    labels: list[dict[str, Any]]
    together: dict[str, Any]
    planes: int
    weights: Floats | None
    seed: int


def course_of(model: LinearClassifier, X: Floats, y: npt.NDArray[np.int64]) -> Course:
    """The course of a classifier that was fitted on these rows."""
    data = examples(model, X, y, None, anew=True).lifted(chosen(model.features))
    classes, codes = encode(data.labels)
    total = TrainingSet(data, classes, codes, None).total_weight
    recipe, weights = model._plan().loop(data.rows, len(classes), None, total, 1)
    count, joint = len(classes), model.multi_class == "joint"
    rows = data.rows
    if isinstance(model, KernelClassifier):
        rows = model._gram(model._kernel(data.X), data, 1).rows()
    two: dict[str, Any] = {"signs": signs_of(codes, 1)}
    several: dict[str, Any] = {"codes": codes}
    if count == 2:
        return Course(recipe, rows, [two], two, 1, weights, model._seed())
    if joint:
        return Course(recipe, rows, [several], several, count, weights, model._seed())
    each = [{"signs": signs_of(codes, k)} for k in range(count)]
    return Course(recipe, rows, each, several, 1, weights, model._seed())


def states(course: Course, run: int, stops: Sequence[int]) -> Iterator[_core.State]:
    """The state of one run after each of these visits: the same object, moved on."""
    problem = problem_of(course, course.labels[run])
    state = _core.State(course.planes, course.rows.columns, KEEPS[course.recipe.keep].code, course.seed)
    for visit in stops:
        if visit > state.visits:
            state.advance(problem, NO_LIMIT, visit, None)
        yield state


def problem_of(course: Course, labels: dict[str, Any]) -> _core.Problem:
    return _core.Problem(
        course.rows, labels.get("signs"), labels.get("codes"), course.weights, course.recipe.native(), 1
    )


def present(state: _core.State, course: Course) -> Floats:
    """The weights that move, one row a plane, the offset last."""
    if course.recipe.keep == "last":
        coef, offsets = state.kept()
    else:
        content = state.__getstate__()
        coef, offsets = content["v"].reshape(course.planes, -1) * content["scale"], content["offset"]
    scaling = course.recipe.intercept_scaling if course.recipe.fit_intercept else 0.0
    return np.column_stack([coef, offsets * scaling])


def path(course: Course, visits: npt.NDArray[Any], runs: npt.NDArray[Any]) -> Floats:
    """All planes after each update, those before the first included: updates + 1, planes, columns + 1.

    `visits` says when each update was made and `runs` by which run; the planes of the other runs stay as they are.
    """
    planes = len(course.labels) * course.planes
    walk = np.zeros((len(visits) + 1, planes, course.rows.columns + 1))
    for run in range(len(course.labels)):
        own = np.flatnonzero(runs == run).tolist()
        places = slice(run * course.planes, (run + 1) * course.planes)
        begin = 1
        last = np.zeros((course.planes, course.rows.columns + 1))
        for place, state in zip(own, states(course, run, visits[own].tolist()), strict=True):
            walk[begin : place + 1, places] = last
            begin, last = place + 1, present(state, course)
        walk[begin:, places] = last
    return walk


def quality(course: Course, keep: str, updates: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """Rows misclassified and mean loss of the weights that a keep would return, after so many updates of every run.

    Updates are counted, not visits: the checks of a pocket are visits too, but move nothing.
    """
    kept = course._replace(recipe=replace(course.recipe, keep=keep))
    judge = problem_of(kept, kept.together)
    scaling = kept.recipe.intercept_scaling if kept.recipe.fit_intercept else 0.0
    size = 1.0 if kept.weights is not None else float(kept.rows.count)
    found = []
    for moment in zip(*(_by_updates(kept, run, counts) for run, counts in enumerate(updates)), strict=True):
        weights = [state.kept() for state in moment]
        coef = np.ascontiguousarray(np.vstack([one for one, _ in weights]))
        offsets = np.concatenate([one for _, one in weights]) * scaling
        wrong, _, loss, _, _ = _core.inspect(judge, coef, offsets)
        found.append((float(wrong), loss / size))
    numbers = np.array(found)
    return numbers[:, 0], numbers[:, 1]


def _by_updates(course: Course, run: int, counts: Sequence[int]) -> Iterator[_core.State]:
    """The state of one run after so many updates: a trace that is full ends an advance."""
    problem = problem_of(course, course.labels[run])
    state = _core.State(course.planes, course.rows.columns, KEEPS[course.recipe.keep].code, course.seed)
    for count in counts:
        if count > state.updates:
            state.advance(problem, NO_LIMIT, NO_LIMIT, _core.Trace(count - state.updates))
        yield state
