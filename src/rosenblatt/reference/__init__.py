"""The definition: the whole family in plain Python, for reading and for the tests.

`learner.py` is the heart, to be read in one sitting; how weights move, the other orders, random numbers, lifts and
kernels stand beside it. `train` visits rows exactly as the core does. The core must agree with it: exactly where sums
are exact (small whole numbers), closely elsewhere. May import `plots` and below.
It imports `parts` alone.
"""

from ..parts.recipe import Recipe
from .kernel_learner import KernelLearner
from .learner import Learner
from .random_numbers import permutation as permutation
from .random_numbers import rows_of_pass as rows_of_pass
from .visit_orders import ORDERS
from .weights import Row


def train(
    X: list[Row], y: list[int], recipe: Recipe, planes: int = 1, seed: int = 0, weights: list[float] | None = None
) -> Learner:
    """Train until nothing moves or max_iter epochs of visits are used up.

    >>> learner = train([[3, 3], [4, 3], [1, 1]], [1, 1, -1], Recipe(order="cyclic"))
    >>> learner.w, learner.mistakes, learner.clean
    ([[1.0, 1.0, -3.0]], 7, True)
    """
    learner = Learner(X, y, recipe, planes, seed, weights)
    ORDERS[recipe.order](learner)
    return learner


def train_labels(X: list[Row], labels: list[set[int]], count: int, recipe: Recipe, seed: int = 0) -> list[Learner]:
    """Train rows that may have several of so many labels: each label has a learner of its own, and none knows another.

    >>> learners = train_labels([[1], [2], [-1]], [{0}, {0, 1}, set()], 2, Recipe(order="cyclic"))
    >>> [learner.w for learner in learners]
    [[[2.0, 0.0]], [[2.0, -3.0]]]
    """
    return [train(X, [1 if k in has else -1 for has in labels], recipe, seed=seed) for k in range(count)]


def train_kernel(
    K: list[Row], y: list[int], recipe: Recipe, planes: int = 1, seed: int = 0, budget: int | None = None
) -> KernelLearner:
    """Train in the space of a kernel, given K of all rows with all.

    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> K = [[(1.0 + a[0] * b[0] + a[1] * b[1]) ** 2 for b in xor] for a in xor]
    >>> train_kernel(K, [-1, 1, 1, -1], Recipe(order="cyclic", fit_intercept=False)).clean
    True
    """
    learner = KernelLearner(K, y, recipe, planes, seed, budget=budget)
    ORDERS[recipe.order](learner)
    return learner
