"""The definition: the whole family in plain Python, for reading and for the tests.

`train` visits rows exactly as the core does, one at a time, with plain lists. The core must agree with it: exactly
where sums are exact (small whole numbers), closely elsewhere. Rows are lists without the constant coordinate; two
classes are labels -1 and +1, more are numbers 0, 1, .. trained jointly. Rules and names: `recipe.py`.
"""

from dataclasses import dataclass, field
from itertools import combinations_with_replacement, count, cycle
from math import exp, inf, log1p, prod, sqrt
from typing import TypeVar

from ..parts.features import Features, Polynomial, chosen
from ..parts.recipe import Recipe

Row = list[float]
Kind = TypeVar("Kind", bound="Learner")
FEW = 16384  # rows of which any permutation may come
LOWEST = 256  # rows in the smallest working set, at most


def loss_and_push(name: str, m: float) -> tuple[float, float]:
    """The loss of a margin, and -d loss / d m."""
    if name == "perceptron":
        return max(0.0, -m), float(m <= 0)
    if name == "hinge":
        return max(0.0, 1 - m), float(m < 1)
    if name == "squared-hinge":
        return max(0.0, 1 - m) ** 2, 2 * max(0.0, 1 - m)
    z = exp(-abs(m))
    return log1p(z) + max(0.0, -m), 1 / (1 + z) if m < 0 else z / (1 + z)


def step_size(recipe: Recipe, t: int, loss: float, squared_norm: float) -> float:
    """eta_t, or tau for the passive-aggressive steps."""
    if recipe.step == "pa2":
        return loss / (squared_norm + 0.5 / recipe.C)
    if recipe.step in ("pa", "pa1"):
        tau = loss / squared_norm if squared_norm else 0.0
        return min(recipe.C, tau) if recipe.step == "pa1" else tau
    constant = 1 / recipe.alpha if recipe.step == "pegasos" else recipe.eta0
    return constant / {"constant": 1, "1/t": t, "pegasos": t, "1/sqrt(t)": sqrt(t)}[recipe.step]


def random_bits(seed: int, counter: int) -> int:
    """64 random bits, a function of seed and counter (SplitMix64)."""
    z = (seed + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def random_below(seed: int, counter: int, limit: int) -> int:
    return (random_bits(seed, counter) >> 32) * limit >> 32


def shuffled(cards: list[int], key: int, first: int) -> list[int]:
    """Fisher and Yates, from the front; the random numbers are those from `first` on."""
    for i in range(len(cards)):
        j = i + random_below(key, first + i, len(cards) - i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def chunk_rows(n: int) -> int:
    """Neighbours that a shuffle of n rows takes together; 64 chunks are a window."""
    return min(max(n // 4096, 64), 512)


def permutation(n: int, seed: int, number: int) -> list[int]:
    """Of few rows any; of many, chunks of neighbours in any order, then the rows of each window of chunks."""
    key, chunk = random_bits(seed, number), chunk_rows(n)
    if n <= FEW:
        return shuffled(list(range(n)), key, 0)
    window, whole = 64 * chunk, n // chunk * chunk
    begins = shuffled(list(range(0, whole, chunk)), key, n)
    rows = [row for begin in begins for row in range(begin, begin + chunk)] + list(range(whole, n))
    windows = [shuffled(rows[k : k + window], key, k) for k in range(0, n, window)]
    return [row for window in windows for row in window]


def lifted(x: Row, features: Features) -> Row:
    """All products of up to `degree` coordinates, by degree; any other features only their own `transform` defines."""
    if isinstance(features, Polynomial):
        return [float(prod(term)) for d in range(features.degree) for term in combinations_with_replacement(x, d + 1)]
    return [float(value) for value in features.transform([x])[0]]


@dataclass
class Learner:
    """A recipe at work. The constant coordinate is the last weight of each plane."""

    X: list[Row]
    y: list[int]
    recipe: Recipe
    planes: int = 1
    seed: int = 0
    weights: list[float] | None = None
    visits: int = 0
    steps: int = 0
    updates: int = 0
    mistakes: int = 0
    run: int = 0
    bar: int = 0
    best_mistakes: float = inf
    clean: bool = False
    path: list[list[Row]] = field(default_factory=list)  # w after each visit that could move it
    moves: list[tuple[int, float, float]] = field(default_factory=list)  # row, margin, change

    def __post_init__(self) -> None:
        constant = self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        self.X = [[*lifted(x, chosen(self.recipe.features)), constant] for x in self.X]
        self.w = self.best = [[0.0] * len(self.X[0]) for _ in range(self.planes)]
        self.limit = self.recipe.stops.max_iter * len(self.X)
        self.rests = self.recipe.loss == "perceptron" and self.recipe.alpha == 0

    def done(self) -> bool:
        return self.clean or self.visits >= self.limit

    def returned(self) -> list[Row]:
        """The weights kept, the constant coordinate's last."""
        if self.recipe.keep == "average":
            flat = [[coordinate for plane in w for coordinate in plane] for w in self.path]
            mean = [sum(column) / len(flat) for column in zip(*flat, strict=True)]
            size = len(self.X[0])
            return [mean[k * size : (k + 1) * size] for k in range(self.planes)]
        return self.best if self.recipe.keep == "best" and self.best_mistakes < inf else self.w

    def margin(self, i: int) -> tuple[float, list[tuple[int, float]]]:
        """The margin of row i, and which planes a move would push, with what sign."""
        scores = [sum(a * b for a, b in zip(plane, self.X[i], strict=True)) for plane in self.w]
        if self.planes == 1:
            return self.y[i] * scores[0], [(0, self.y[i])]
        rival = max((k for k in range(self.planes) if k != self.y[i]), key=lambda k: (scores[k], -k))
        return scores[self.y[i]] - scores[rival], [(self.y[i], 1.0), (rival, -1.0)]

    def weight(self, i: int) -> float:
        return 1.0 if self.weights is None else self.weights[i]

    def shrink(self, eta: float) -> None:
        """The L2 penalty; the constant coordinate is free unless penalize_intercept."""
        free = [not self.recipe.penalize_intercept and j == len(self.w[0]) - 1 for j in range(len(self.w[0]))]
        factor = 1 - eta * self.recipe.alpha
        self.w = [[a if f else a * factor for a, f in zip(plane, free, strict=True)] for plane in self.w]

    def move(self, i: int, change: float, planes: list[tuple[int, float]]) -> None:
        for k, sign in planes:
            moved = [a + sign * change * b for a, b in zip(self.w[k], self.X[i], strict=True)]
            self.w = [*self.w[:k], moved, *self.w[k + 1 :]]

    def visit(self, i: int) -> None:
        """Look at one row; move where the loss pushes."""
        m, planes = self.margin(i)
        if m <= 0 and self.recipe.keep == "best" and self.run > self.bar:
            self.check()
            if self.done():
                return
        self.visits, self.steps = self.visits + 1, self.steps + 1
        self.mistakes += m <= 0
        self.run = 0 if m <= 0 else self.run + 1
        loss, push = loss_and_push(self.recipe.loss, m)
        eta = step_size(self.recipe, self.steps, loss, len(planes) * sum(a * a for a in self.X[i]))
        if self.recipe.alpha:
            self.shrink(eta)
        if push:
            self.updates += 1
            self.moves.append((i, m, eta * push * self.weight(i)))
            self.move(i, eta * push * self.weight(i), planes)
        self.path.append(self.w)
        if self.steps % len(self.X) == 0:
            self.bar //= 2

    def check(self) -> None:
        """Look at all rows, and keep the weights if they are the best so far."""
        self.visits += len(self.X)
        wrong = sum(self.weight(i) for i in range(len(self.X)) if self.margin(i)[0] <= 0)
        if wrong < self.best_mistakes:
            self.best, self.best_mistakes = self.w, wrong
        self.clean = wrong == 0 and self.rests
        self.bar, self.run = self.run, 0

    def in_passes(self) -> None:
        """cyclic, shuffle-once, shuffle."""
        for number in count():
            before = self.updates, self.mistakes
            for i in rows_of_pass(self.recipe.order, len(self.X), self.seed, number):
                if self.done():
                    return
                self.visit(i)
            self.clean = self.clean or (before == (self.updates, self.mistakes) and not self.recipe.alpha)
            if self.clean:
                self.best, self.best_mistakes = self.w, 0.0

    def by_lot(self) -> None:
        """random-mistake: draw with replacement; n right draws in a row call for a check of all."""
        draws, n = 0, len(self.X)
        while not self.done():
            if self.run >= n and self.rests:
                self.check()
                continue
            before = self.visits
            self.visit(random_below(self.seed, draws, n))
            draws += self.visits > before

    def hard_rows_first(self) -> None:
        """working-set: a stack of sets, each the hardest quarter of the one below it."""
        stack = [list(range(len(self.X)))]
        while not self.done():
            rows = stack[-1]
            if len(rows) <= LOWEST:
                self.run = 0
                for i in cycle(rows):
                    if self.run >= len(rows) or self.done():
                        break
                    self.visit(i)
                right = self.run >= len(rows) and not self.done()
            else:
                self.visits += len(rows)
                margins = {i: self.margin(i)[0] for i in rows}
                right = min(margins.values()) > 0
                while not right and len(stack[-1]) > LOWEST:
                    hardest = sorted(stack[-1], key=lambda i: (margins[i], random_bits(self.seed, i)))
                    stack.append(sorted(hardest[: len(stack[-1]) // 4]))
            if right:
                self.clean = len(stack) == 1
                stack.pop()

    def in_batches(self) -> None:
        """batch: all rows at once."""
        while not self.done():
            self.visits, self.steps = self.visits + len(self.X), self.steps + 1
            looks = [(i, *self.margin(i)) for i in range(len(self.X))]
            pushes = [(i, loss_and_push(self.recipe.loss, m)[1] * self.weight(i), planes) for i, m, planes in looks]
            wrong = [i for i, m, _ in looks if m <= 0]
            self.mistakes += len(wrong)
            if sum(map(self.weight, wrong)) < self.best_mistakes:
                self.best, self.best_mistakes = self.w, sum(map(self.weight, wrong))
            self.clean = not wrong and not any(push for _, push, _ in pushes) and not self.recipe.alpha
            if not self.clean:
                eta = step_size(self.recipe, self.steps, 0.0, 0.0)
                if self.recipe.alpha:
                    self.shrink(eta)
                self.updates += 1
                for i, push, planes in pushes:
                    self.move(i, eta * push, planes)
            self.path.append(self.w)


@dataclass
class KernelLearner(Learner):
    """The same in a kernel's space: rows are those of the kernel matrix, weights one alpha a row, a move changes one.

    Beyond the budget a row of the support goes, drawn by lot; not the one just added.
    """

    budget: int | None = None

    def move(self, i: int, change: float, planes: list[tuple[int, float]]) -> None:
        self.w = [list(plane) for plane in self.w]
        for k, sign in planes:
            self.w[k][i] += sign * change
            self.w[k][-1] += sign * change * self.X[i][-1]
        others = [j for j in range(len(self.X)) if j != i and any(plane[j] for plane in self.w)]
        if self.budget is not None and len(others) >= self.budget:
            gone = others[random_below(2**64 - 1 - self.seed, self.updates, len(others))]
            for plane in self.w:
                plane[gone] = 0.0


def rows_of_pass(order: str, n: int, seed: int, number: int) -> list[int]:
    if order == "cyclic":
        return list(range(n))
    return permutation(n, seed, number if order == "shuffle" else 0)


def train(
    X: list[Row], y: list[int], recipe: Recipe, planes: int = 1, seed: int = 0, weights: list[float] | None = None
) -> Learner:
    """Train until nothing moves or max_iter epochs of visits are used up.

    >>> learner = train([[3, 3], [4, 3], [1, 1]], [1, 1, -1], Recipe(order="cyclic"))
    >>> learner.w, learner.mistakes, learner.clean
    ([[1.0, 1.0, -3.0]], 7, True)
    """
    return run(Learner(X, y, recipe, planes, seed, weights))


def train_kernel(
    K: list[Row], y: list[int], recipe: Recipe, planes: int = 1, seed: int = 0, budget: int | None = None
) -> KernelLearner:
    """Train in the space of a kernel, given K of all rows with all.

    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> K = [[(1.0 + a[0] * b[0] + a[1] * b[1]) ** 2 for b in xor] for a in xor]
    >>> train_kernel(K, [-1, 1, 1, -1], Recipe(order="cyclic", fit_intercept=False)).clean
    True
    """
    return run(KernelLearner(K, y, recipe, planes, seed, budget=budget))


def run(learner: Kind) -> Kind:
    """To the end, by the order of its recipe."""
    loops = {"random-mistake": learner.by_lot, "working-set": learner.hard_rows_first, "batch": learner.in_batches}
    loops.get(learner.recipe.order, learner.in_passes)()
    return learner
