"""The orders that are more than passes over all rows: batch, random mistake, working set."""

from collections.abc import Callable
from copy import copy
from itertools import cycle

from .learner import LOSSES, STEPS, Learner
from .random_numbers import random_below, random_bits

SMALLEST_SET = 256  # rows in the smallest working set, at most


def train_in_batches(learner: Learner) -> None:
    """batch: all rows push at once."""
    rows, recipe = range(len(learner.X)), learner.recipe
    while not learner.done():
        learner.visits, learner.steps = learner.visits + len(rows), learner.steps + 1
        margins = [(i, *learner.margin(i)) for i in rows]
        pushes = [(i, LOSSES[recipe.loss](m)[1] * learner.weight[i], planes) for i, m, planes in margins]
        wrong = [i for i, m, _ in margins if m <= 0]
        learner.mistakes += len(wrong)
        if sum(learner.weight[i] for i in wrong) < learner.best_mistakes:
            learner.best, learner.best_mistakes = learner.w, sum(learner.weight[i] for i in wrong)
        learner.clean = not wrong and not any(push for _, push, _ in pushes) and not recipe.alpha
        if not learner.clean:
            eta = STEPS[recipe.step](recipe, learner.steps, 0.0, 0.0, 1.0)
            learner.shrink(eta * recipe.alpha)
            learner.updates += 1
            for i, push, planes in pushes:
                learner.move(i, eta * push, planes)
        learner.path.append(learner.w)


def train_on_random_mistakes(learner: Learner) -> None:
    """random-mistake: draw rows with replacement. After n correct draws in a row, check all rows."""
    draws, n = 0, len(learner.X)
    while not learner.done():
        if learner.run >= n and learner.can_rest:
            learner.check()
            continue
        before = learner.visits
        learner.visit(random_below(learner.seed, draws, n))
        draws += learner.visits > before


def train_on_working_sets(learner: Learner) -> None:
    """working-set: a stack of sets, each the hardest quarter of the one below it."""
    stack = [list(range(len(learner.X)))]
    while not learner.done():
        rows = stack[-1]
        if len(rows) <= SMALLEST_SET:
            right = _train_until_right(learner, rows)
        else:
            learner.visits += len(rows)
            margins = {i: learner.margin(i)[0] for i in rows}
            right = min(margins.values()) > 0
            while not right and len(stack[-1]) > SMALLEST_SET:
                hardest = sorted(stack[-1], key=lambda i: (margins[i], random_bits(learner.seed, i)))
                stack.append(sorted(hardest[: len(stack[-1]) // 4]))
        if right:
            learner.clean = len(stack) == 1
            stack.pop()


def _train_until_right(learner: Learner, rows: list[int]) -> bool:
    """Visit a few rows again and again until all are right; whether they are."""
    learner.run = 0
    for i in cycle(rows):
        if learner.run >= len(rows) or learner.done():
            break
        learner.visit(i)
    return learner.run >= len(rows) and not learner.done()


def train_on_apart_set(learner: Learner, size: int) -> None:
    """working-set where all rows are elsewhere: the hardest ones are learned apart until they are right.

    They have numbers of their own there, which decide between equal margins.
    """
    while not learner.done():
        learner.visits += len(learner.X)
        margins = [learner.margin(i)[0] for i in range(len(learner.X))]
        learner.clean = min(margins) > 0
        if not learner.clean:
            hardest = sorted(range(len(margins)), key=lambda i: (margins[i], random_bits(learner.seed, i)))
            apart = _learner_of(learner, sorted(hardest[:size]))
            train_on_working_sets(apart)
            learner.w, learner.path = apart.w, apart.path
            learner.visits, learner.steps = learner.visits + apart.visits, apart.steps
            learner.updates, learner.mistakes = apart.updates, apart.mistakes


def _learner_of(learner: Learner, rows: list[int]) -> Learner:
    """A learner of some rows that goes on from the weights of another."""
    one = copy(learner)
    one.X, one.y = [learner.X[i] for i in rows], [learner.y[i] for i in rows]
    one.weight, one.visits, one.run = [learner.weight[i] for i in rows], 0, 0
    return one


ORDERS: dict[str, Callable[[Learner], None]] = {
    **dict.fromkeys(("cyclic", "shuffle-once", "shuffle"), Learner.train_in_passes),
    "random-mistake": train_on_random_mistakes,
    "working-set": train_on_working_sets,
    "batch": train_in_batches,
}
