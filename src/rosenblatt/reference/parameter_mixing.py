"""Iterative parameter mixing in plain Python: shards learn apart for an epoch, then all go on from their mixture."""

from dataclasses import dataclass, field, replace
from math import inf

from ..parts.recipe import Recipe
from .learner import Learner
from .random_numbers import permutation, random_bits
from .weights import Row

Shard = list[list[int]]  # blocks of numbers of rows


@dataclass
class Mixture:
    """Mixed weights `w`, and what led to them. `mistakes` has one list an epoch: the mistakes of each shard."""

    w: list[Row]
    best: list[Row]
    best_mistakes: float = inf
    clean: bool = False
    visits: int = 0
    mistakes: list[list[int]] = field(default_factory=list)
    path: list[list[Row]] = field(default_factory=list)  # w after each visit of each shard

    def returned(self, keep: str) -> list[Row]:
        """The last mixture, the best one, or the mean after all visits of all shards, each of which counts once."""
        if keep == "average":
            return [[sum(a) / len(plane) for a in zip(*plane, strict=True)] for plane in zip(*self.path, strict=True)]
        return self.best if keep == "best" and self.best_mistakes < inf else self.w

    def check(self, everyone: Learner) -> None:
        """The pocket: count the mistakes of the mixture on all rows, which is a pass, and keep the best."""
        everyone.w, wrong = self.w, 0.0
        if not self.clean:
            self.visits += len(everyone.X)
            wrong = sum(everyone.weight[i] for i in range(len(everyone.X)) if everyone.margin(i)[0] <= 0)
        if wrong < self.best_mistakes:
            self.best, self.best_mistakes = self.w, wrong
        self.clean = not wrong and everyone.can_rest


def mix_parameters(
    X: list[Row],
    y: list[int],
    shards: list[Shard],
    recipe: Recipe,
    planes: int = 1,
    seed: int = 0,
    weights: list[float] | None = None,
    by_rows: bool = False,
) -> Mixture:
    """Train until an epoch changes nothing, or until max_iter epochs of visits are used up.

    >>> recipe = Recipe(order="cyclic", fit_intercept=False)
    >>> mixture = mix_parameters([[1, 1], [4, -1]], [1, -1], [[[0]], [[1]]], recipe)
    >>> mixture.w, mixture.mistakes
    ([[-0.5, 2.0, 0.0]], [[1, 1], [1, 0], [0, 0]])
    """
    everyone = Learner(X, y, replace(recipe, keep="last"), planes, seed, weights)
    mixture = Mixture(everyone.w, everyone.w)
    limit = recipe.stops.max_iter * len(X)
    while not mixture.clean and mixture.visits < limit:
        epoch = len(mixture.mistakes)
        learned = []
        for number, shard in enumerate(shards):
            learner = replace(everyone, X=X)
            learner.w, learner.steps = mixture.w, epoch * sum(map(len, shard))
            for row in rows_of_shard(shard, recipe.order, seed, epoch, number):
                learner.visit(row)
            learned.append(learner)
        mixture.w = mix([(learner.visits if by_rows else learner.updates, learner.w) for learner in learned])[1]
        mixture.mistakes.append([learner.mistakes for learner in learned])
        mixture.path += [w for learner in learned for w in learner.path]
        mixture.visits += len(X)
        mixture.clean = not recipe.alpha and not any(learner.mistakes or learner.updates for learner in learned)
        if recipe.keep == "best" and (mixture.clean or mixture.visits < limit):
            mixture.check(everyone)
    return mixture


def rows_of_shard(shard: Shard, order: str, seed: int, epoch: int, number: int) -> list[int]:
    """The rows of a shard in the order of their visits in an epoch: block by block."""
    key = random_bits(random_bits(seed, epoch if order == "shuffle" else 0), number)
    if order == "cyclic":
        return [row for block in shard for row in block]
    blocks = [shard[k] for k in sorted(range(len(shard)), key=lambda k: random_bits(key, k))]
    return [block[k] for place, block in enumerate(blocks) for k in permutation(len(block), key, place)]


def mix(learned: list[tuple[int, list[Row]]]) -> tuple[int, list[Row]]:
    """The mean of weights by their shares, two and two along a tree: halves of 1, 2, 4, 8 .. shards first."""
    if len(learned) == 1:
        return learned[0]
    half = 1 << (len(learned) - 1).bit_length() - 1
    (a, left), (b, right) = mix(learned[:half]), mix(learned[half:])
    if not a or not b:
        return (a, left) if not b else (b, right)
    both = zip(left, right, strict=True)
    return a + b, [[x * (a / (a + b)) + z * (b / (a + b)) for x, z in zip(*rows, strict=True)] for rows in both]
