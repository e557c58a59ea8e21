"""
A regression that cannot converge
=================================

Without a penalty, logistic regression on separated classes has no optimum: the loss falls for ever while the
weights grow. Gradient descent shows it. Adding one row of the other class, far on the wrong side, makes the classes
overlap, and the weights settle. ``separability`` tells the two cases apart with a proof.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LogisticRegression, separability

X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
y = np.array([0, 0, 0, 1, 1, 1])
cases = {
    "separated": (X, y),
    "one row added": (np.vstack([X, [[6.0]]]), np.append(y, 0)),
}

passes = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000]
figure, ax = plt.subplots()
for name, (rows, labels) in cases.items():
    kind = separability(rows, labels).kind
    weights = []
    for limit in passes:
        model = LogisticRegression(penalty=None, solver="gd", tol=0, max_iter=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it ends at its limit, on purpose
            weights.append(abs(model.fit(rows, labels).coef_[0, 0]))
    ax.plot(passes, weights, marker="o", label=f"{name}: {kind}")
ax.set(xscale="log", xlabel="passes of gradient descent", ylabel="|w|", title="The weight grows for ever, or settles")
ax.legend()
