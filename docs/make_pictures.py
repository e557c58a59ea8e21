"""Draw the pictures of docs/guide/plots.md: `python docs/make_pictures.py FOLDER` writes one PNG for each plot."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import numpy as np
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from rosenblatt import (
    KnownDistribution,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    audit,
    empirical_risk,
    margins,
    plots,
    regularization_path,
)
from rosenblatt.risk.vc import vc_confidence

STYLE = {
    "figure.figsize": (6.4, 4.0),
    "figure.dpi": 90,
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "legend.frameon": False,
}


def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Two that nearly touch."""
    X, y = make_blobs(80, centers=[[0, 0], [3, 2]], cluster_std=0.9, random_state=5)
    gap = margins(LogisticRegression(C=100).fit(X, y), X, y)
    return X[gap > 0.1], y[gap > 0.1]


def cancer() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = load_breast_cancer()
    return StandardScaler().fit_transform(data.data), data.target_names[data.target], data.feature_names


def pictures() -> Iterator[tuple[str, Any]]:
    X, y = blobs()
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    ax = plots.decision_regions(LinearSVM(C=1000).fit(X, y), X, y)
    ax.set_aspect("equal")
    ax.legend(loc="upper left", frameon=True)
    yield "decision-regions", ax
    yield "mistakes-against-bound", plots.mistakes_against_bound(audit(model, X, y))

    X, y, names = cancer()
    orders = ("cyclic", "shuffle", "random-mistake")
    runs = {order: Perceptron(order=order, max_iter=30, random_state=0).fit(X, y) for order in orders}
    yield "learning-curves", plots.learning_curves(runs)

    best = LogisticRegression(tol=1e-10).fit(X, y)
    limits = {"criterion": "loss", "tol": 0, "max_iter": 40, "random_state": 0}
    yield (
        "descents",
        plots.descents(
            {
                "gradient descent": LogisticRegression(solver="gd", **limits).fit(X, y),
                "stochastic, last": LogisticRegression(solver="sgd", keep="last", **limits).fit(X, y),
                "stochastic, average": LogisticRegression(solver="sgd", keep="average", **limits).fit(X, y),
            },
            optimum=best.objective_,
        ),
    )
    yield "signed-distances", plots.signed_distances(best, X, y)
    yield "weights", plots.weights(best, names=names, top=12)
    yield "path", plots.path(regularization_path(X, y, LogisticRegression(penalty="l1")), names=names, top=6)
    truth, held_out = evaluated(X, y)
    classes, scores = ["benign", "malignant"], held_out.decision_function(X[::2])[:, None]
    yield "roc-curves", plots.roc_curves(truth, scores, classes)
    yield "calibration", plots.calibration(truth, held_out.predict_proba(X[::2]), classes, bins=5)
    yield "risk-against-capacity", plots.risk_against_capacity(over_degrees())


def evaluated(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, LogisticRegression]:
    """The classes of every second row, and a model of the other rows."""
    model = LogisticRegression(C=0.01).fit(X[1::2], y[1::2])
    return np.searchsorted(model.classes_, y[::2]), model


def over_degrees() -> dict[str, list[float]]:
    """Polynomials of growing degree in two columns, where the truth is known and quadratic."""
    known = KnownDistribution(
        {0: multivariate_normal([0, 0], np.eye(2)), 1: multivariate_normal([0, 0], 6 * np.eye(2))}
    )
    X, y = known.draw(500, random_state=0)
    X_new, y_new = known.draw(2000, random_state=1)
    record: dict[str, list[float]] = {"capacity": [], "training": [], "confidence": [], "held_out": []}
    for degree in range(1, 9):
        lift = PolynomialFeatures(degree, include_bias=False)
        model = make_pipeline(lift, StandardScaler(), LogisticRegression(C=1e3)).fit(X, y)
        capacity = int(lift.fit(X).n_output_features_) + 1
        record["capacity"].append(capacity)
        record["training"].append(empirical_risk(y, model.predict(X)))
        record["confidence"].append(vc_confidence(len(X), capacity, 0.05 / 8))
        record["held_out"].append(empirical_risk(y_new, model.predict(X_new)))
    return record


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runs end at their limits
        for name, ax in pictures():
            ax.figure.savefig(folder / f"{name}.png", metadata={"Software": None})
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
