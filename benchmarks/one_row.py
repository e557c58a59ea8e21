"""One row at a time: `partial_fit` and `predict` of one row of 30 columns, in every form that users have it in."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.datasets import gaussian
from benchmarks.tasks import Pair, Task, faster, needs, task
from benchmarks.timing import Stopwatch, stopwatch
from rosenblatt import LogisticRegression, Perceptron

COLUMNS, ROWS = 30, 500
CALLS = 500  # in a run


def as_pandas(X: np.ndarray) -> Any:
    import pandas

    return pandas.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])


def as_polars(X: np.ndarray) -> Any:
    import polars

    return polars.from_numpy(X, [f"c{k}" for k in range(X.shape[1])])


def as_series(y: np.ndarray) -> Any:
    import pandas

    return pandas.Series(y)


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": np.ascontiguousarray,
    "float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "list": lambda X: X.tolist(),
    "CSR": scipy.sparse.csr_matrix,
    "CSC": scipy.sparse.csc_matrix,
    "pandas": as_pandas,
    "polars": as_polars,
}
LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "int": lambda y: y,
    "float": lambda y: y.astype(np.float64),
    "bool": lambda y: y > 0,
    "str": lambda y: np.where(y > 0, "spam", "ham"),
    "object": lambda y: np.where(y > 0, "spam", "ham").astype(object),
    "list": lambda y: y.tolist(),
    "Series": as_series,
}


def rows_in(form: str) -> tuple[Any, list[Any], np.ndarray]:
    """All rows and single rows in a form, and the labels."""
    X, y = gaussian(ROWS, COLUMNS)
    make = FORMS[form]
    return make(X), [make(X[i : i + 1]) for i in range(ROWS)], y


def in_turn(method: Callable[..., Any], *inputs: Sequence[Any]) -> Stopwatch:
    calls = cycle(zip(*inputs, strict=True))
    return stopwatch(lambda: method(*next(calls)), CALLS)


def partial_fit(form: str, labels: str) -> Pair:
    _, rows, y = rows_in(form)
    make = LABELS[labels]
    single, classes = [make(y[i : i + 1]) for i in range(ROWS)], np.unique(np.asarray(make(y)))
    ours, peer = Perceptron(), ScikitPerceptron()
    for model in (ours, peer):
        model.partial_fit(rows[0], single[0], classes=classes)
    return Pair(in_turn(ours.partial_fit, rows, single), in_turn(peer.partial_fit, rows, single))


def predict(form: str) -> Pair:
    X, rows, y = rows_in(form)
    ours, peer = (model.fit(X, y) for model in (Perceptron(max_iter=10), ScikitPerceptron(max_iter=10, tol=None)))
    return Pair(in_turn(ours.predict, rows), in_turn(peer.predict, rows))


def name_of(*words: str) -> str:
    return "-".join(word.lower().replace(" ", "-") for word in words)


def learn_task(form: str, labels: str) -> Task:
    what = f"partial_fit, one row ({form}), labels {labels}"
    times = 5 if form == "CSC" else 20  # most of its time is SciPy's conversion to CSR
    return task(name_of("learn", form, labels), what, "scikit-learn Perceptron", faster(times))(
        lambda: partial_fit(form, labels)
    )


def predict_task(form: str) -> Task:
    times = 2 if form == "CSC" else 5
    return task(name_of("predict", form), f"predict, one row ({form})", "scikit-learn Perceptron", faster(times))(
        lambda: predict(form)
    )


learn_labels = tuple(learn_task("array", labels) for labels in LABELS)
learn_rows = tuple(learn_task(form, "int") for form in list(FORMS)[1:])
predict_rows = tuple(predict_task(form) for form in FORMS)


def against_river(ours: Any, name: str) -> Pair:
    """River takes a row as a dict; it is made before the timing."""
    X, y = gaussian(ROWS, COLUMNS)
    rows, labels = [X[i : i + 1] for i in range(ROWS)], [y[i : i + 1] for i in range(ROWS)]
    dicts, truths = [dict(enumerate(row)) for row in X.tolist()], (y > 0).tolist()
    ours.partial_fit(rows[0], labels[0], classes=[-1, 1])
    found: dict[str, Any] = {}

    def make_peer() -> None:
        needs("river")()
        from river import linear_model

        found["learn"] = in_turn(getattr(linear_model, name)().learn_one, dicts, truths)

    return Pair(in_turn(ours.partial_fit, rows, labels), lambda: found["learn"](), prepare_peer=make_peer)


@task("river-perceptron", "Perceptron.partial_fit, one row", "River Perceptron.learn_one", faster(2))
def river_perceptron() -> Pair:
    return against_river(Perceptron(), "Perceptron")


@task(
    "river-logistic", "LogisticRegression.partial_fit by SGD, one row", "River LogisticRegression.learn_one", faster(2)
)
def river_logistic() -> Pair:
    return against_river(LogisticRegression(solver="sgd", alpha=1e-4), "LogisticRegression")
