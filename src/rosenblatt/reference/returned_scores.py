"""The scores of what a learner returns: of planes, or of the vote of all weights met."""

from .learner import Learner
from .weights import Row


def vote(learner: Learner, x: Row) -> Row:
    """One vote for each visit: the sign of x by the weights after it, where sign(0) = 1. The mean, for each plane.

    >>> from ..parts.recipe import Recipe
    >>> learner = Learner([[2.0], [1.0]], [1, -1], Recipe(order="cyclic", keep="vote", fit_intercept=False))
    >>> learner.visit(0), learner.visit(1), learner.visit(1), vote(learner, [-3.0])
    (None, None, None, [-0.3333333333333333])
    """
    votes = [[1.0 if score >= 0 else -1.0 for score in _scores(w, learner, x)] for w in learner.path]
    return [sum(plane) / len(plane) for plane in zip(*votes, strict=True)]


def predict_and_learn(learner: Learner) -> list[Row]:
    """Each row once: score it by the weights that would be returned, then visit it. The scores of all rows."""
    scores = []
    for i, x in enumerate(learner.X):
        scores.append([sum(a * b for a, b in zip(plane, x, strict=True)) for plane in learner.returned()])
        learner.visit(i)
    return scores


def _scores(w: list[Row], learner: Learner, x: Row) -> Row:
    constant = learner.recipe.intercept_scaling * learner.recipe.fit_intercept
    return [sum(a * b for a, b in zip(plane, [*x, constant], strict=True)) for plane in w]
