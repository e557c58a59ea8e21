"""All forms of X and of y together: no form is far slower than another, and none slower than scikit-learn.

`fit` learns 150 rows of four columns; the other methods take one row. A form's time is that beyond its conversion to an
array, or to CSR, which the caller could make as well.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.datasets import gaussian
from benchmarks.one_row import FORMS, LABELS
from benchmarks.tasks import Mark, Pair, Task, faster, format_seconds, task, within
from rosenblatt import Perceptron

ROWS, COLUMNS, EPOCHS = 150, 4, 5
REPEATS = 5  # of each call; the best counts
CALLS = {"fit": 2, "predict": 20, "decision_function": 20, "partial_fit": 20}  # in a row, timed together
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "list": np.asarray,
    "CSC": lambda X: X.tocsr(),
    "pandas": lambda X: X.to_numpy(),
    "polars": lambda X: X.to_numpy(),
}


class Form(NamedTuple):
    """A form of X, by its name, and one of y."""

    X: str
    y: str

    def __str__(self) -> str:
        return f"X {self.X}, y {self.y}"


class Inputs(NamedTuple):
    """Rows and labels in one form, and the same for one row."""

    X: Any
    y: Any
    row: Any
    label: Any

    @classmethod
    def of(cls, form: Form) -> "Inputs":
        X, y = gaussian(ROWS, COLUMNS)
        rows, labels = FORMS[form.X], LABELS[form.y]
        return cls(rows(X), labels(y), rows(X[:1]), labels(y[:1]))


def forms() -> Iterator[Form]:
    return (Form(*names) for names in product(FORMS, LABELS))


def best_seconds(work: Callable[[], object], calls: int) -> float:
    """The best processor time of one call. One call comes first, for what is prepared once."""
    work()
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(calls):
            work()
        found.append((time.process_time() - start) / calls)
    return min(found)


def call_of(method: str, make: Callable[[], Any], given: Inputs) -> Callable[[], object]:
    """A call of one method with these inputs."""
    if method == "fit":
        return lambda: make().fit(given.X, given.y)
    model = make().fit(given.X, given.y)
    if method == "partial_fit":
        return lambda: model.partial_fit(given.row, given.label)
    return lambda: getattr(model, method)(given.row)


def ours() -> Perceptron:
    return Perceptron(max_iter=EPOCHS, random_state=0)


def scikit() -> ScikitPerceptron:
    return ScikitPerceptron(max_iter=EPOCHS, tol=None, random_state=0)


def conversion_seconds(method: str, form: Form, given: Inputs) -> float:
    X = given.X if method == "fit" else given.row
    convert = CONVERSIONS.get(form.X)
    return best_seconds(lambda: convert(X), CALLS[method]) if convert is not None else 0.0


def seconds_of(method: str, form: Form, make: Callable[[], Any], whole: bool) -> float:
    """The seconds of a call: the whole, or what is beyond the conversion."""
    given = Inputs.of(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = best_seconds(call_of(method, make, given), CALLS[method])
    return seconds if whole else max(seconds - conversion_seconds(method, form, given), 1e-9)


def worst_against_best(method: str) -> Pair:
    """The slowest form on our side, the fastest one on the other; both are ours."""
    found: dict[Form, float] = {}

    def slowest() -> float:
        for form in forms():
            found[form] = min(found.get(form, np.inf), seconds_of(method, form, ours, whole=False))
        return max(found.values())

    def remark() -> str:
        three = sorted(found, key=lambda form: -found[form])[:3]
        return "; ".join(f"{form}: {format_seconds(found[form])}" for form in three)

    def fastest() -> float:  # what is left of a short call beyond its conversion may be nothing
        return min(seconds for form, seconds in found.items() if form.X not in CONVERSIONS)

    return Pair(slowest, fastest, remark)


def nearest_to_scikit(method: str) -> Pair:
    """The form in which scikit-learn comes nearest to our time."""
    found: dict[Form, tuple[float, ...]] = {}

    def measure() -> float:
        for form in forms():
            before = found.get(form, (np.inf, np.inf))
            now = (seconds_of(method, form, make, whole=True) for make in (ours, scikit))
            found[form] = tuple(map(min, before, now))
        return found[nearest()][0]

    def nearest() -> Form:
        return min(found, key=lambda form: found[form][1] / found[form][0])

    return Pair(measure, lambda: found[nearest()][1], lambda: str(nearest()))


def form_task(name: str, method: str, what: str, peer: str, mark: Mark, prepare: Callable[[str], Pair]) -> Task:
    rows = f"{ROWS} x {COLUMNS}" if method == "fit" else "one row"
    return task(f"{name}-{method.replace('_', '-')}", f"{method}, {rows}: {what}", peer, mark)(lambda: prepare(method))


AGAINST_BEST = tuple(
    form_task(
        "worst",
        method,
        "the slowest of all forms",
        "the fastest form without conversion",
        within(3),
        worst_against_best,
    )
    for method in CALLS
)
AGAINST_SCIKIT = tuple(
    form_task(
        "nearest", method, "the form nearest to the peer", "scikit-learn Perceptron", faster(1), nearest_to_scikit
    )
    for method in CALLS
)
