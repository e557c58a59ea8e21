"""Train a recipe on rows: the entry point of the engine."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .. import _core
from ..foundation.types import Codes, Floats
from ..parts.recipe import Recipe
from .class_problems import ClassProblem, class_problems, whole_problem
from .held_out import HeldOut
from .one_vs_rest import result_of, run_all, stack_weights
from .result import TrainingResult, Watch
from .resume import NO_BOOKMARK, Bookmark
from .run import Run
from .run_learner import NativeLearner
from .vote import make_vote


def train(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    recipe: Recipe,
    *,
    multi_class: str = "ovr",
    weights: Floats | None = None,
    seed: int = 0,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    trace: bool = False,
    watch: Watch | None = None,
    held_out: HeldOut | None = None,
    began: float | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
    is_inseparable: Callable[[ClassProblem], bool] | None = None,
) -> TrainingResult:
    """Train a recipe on rows whose classes are numbered 0 .. classes-1, and say how it ended.

    Two classes make one plane, whose positive side is class 1. More classes make one plane each, trained apart ("ovr",
    each class against the rest) or together ("joint"). With rows held out, the stopping criterion looks at these rows:
    training ends when the weights it would return no longer improve on them, and returns the best. `began` is when the
    clock of max_seconds started, if not now. `bookmark` holds where an earlier call stopped and takes this one's state.
    `is_inseparable` may prove of a problem that no weights classify every row correctly; a run that is to end without
    mistakes and does not get on asks it.
    """
    rows = recipe.lifted(rows)
    problems = list(class_problems(codes, classes, multi_class == "joint"))
    threads_each, votes = max(1, threads // len(problems)), recipe.keep == "vote"
    runs = []
    for problem in problems:
        planes = None if start is None else (start[0][problem.planes], start[1][problem.planes])
        learner = NativeLearner(rows, problem, recipe, weights, seed, threads_each, planes, trace or votes)
        apart = None if held_out is None else held_out.problem_for(problem, recipe, threads_each)
        ask = None if is_inseparable is None else partial(is_inseparable, problem)
        runs.append(Run(learner, recipe, apart, ask))
    run_all(runs, threads if len(runs) > 1 else 1, watch, began, bookmark)
    if len(runs) == 1:
        learned = result_of(runs, runs[0].count_mistakes())
    else:
        together = whole_problem(codes, classes).native(rows, weights, recipe, threads)
        learned = result_of(runs, int(_core.inspect(together, *stack_weights(runs))[0]))
    if not votes:
        return learned
    traces, visits = [run.learner.traces for run in runs], [run.state.visits for run in runs]
    vote = make_vote(rows, problems, traces, visits, start, recipe.offset_value)
    return replace(learned, vote=vote, trace=learned.trace if trace else None)
