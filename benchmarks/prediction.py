"""Prediction: decision values of many rows, labels of many rows and of one."""

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.datasets import gaussian
from benchmarks.machine import reader
from benchmarks.tasks import Pair, faster, share, task, within
from benchmarks.timing import stopwatch
from rosenblatt import Perceptron

CALLS = 1000  # predictions of one row in a run


@task("decide-many", "decision_function, 2,000,000 x 100 float64", "reading the same 1.6 GB on all cores", share(0.8))
def decide_many() -> Pair:
    X, y = gaussian(2_000_000, 100)
    model = Perceptron(max_iter=1, random_state=0).fit(X[:10_000], y[:10_000])
    return Pair(stopwatch(lambda: model.decision_function(X)), stopwatch(reader(X)))


@task("predict-many", "predict, 1,000,000 x 100 float64", "X @ w", within(1.1))
def predict_many() -> Pair:
    X, y = gaussian(1_000_000, 100)
    model = Perceptron(max_iter=1, random_state=0).fit(X[:10_000], y[:10_000])
    w = model.coef_.ravel()

    def remark() -> str:
        return f"same labels as X @ w: {np.mean((model.predict(X) > 0) == (X @ w + model.intercept_ >= 0)):.2%}"

    return Pair(stopwatch(lambda: model.predict(X)), stopwatch(lambda: X @ w), remark)


@task("predict-one", "predict, one row of 100", "scikit-learn Perceptron", faster(5))
def predict_one() -> Pair:
    X, y = gaussian(10_000, 100)
    x = X[:1]
    ours = Perceptron(max_iter=10, random_state=0).fit(X, y)
    peer = ScikitPerceptron(max_iter=10, tol=None, random_state=0).fit(X, y)
    return Pair(stopwatch(lambda: ours.predict(x), CALLS), stopwatch(lambda: peer.predict(x), CALLS))
