"""
Orders of the rows
==================

The same perceptron, the same rows, three ways to choose the next row. The classes do not quite separate with these
limits, so mistakes remain in every epoch.
"""

import warnings

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron, plots

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)

runs = {}
for order in ("cyclic", "shuffle", "random-mistake"):
    model = Perceptron(order=order, max_iter=30, n_iter_no_change=30, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it ends at its limit, on purpose
        runs[order] = model.fit(X, y)

plots.learning_curves(runs)
