"""
The fewest mistakes of any line
===============================

These classes overlap, so every line makes mistakes. ``minimum_mistakes`` finds the fewest, and proves it by sets of
rows that no line classifies correctly all at once. The support vector machine minimises something else, and makes a
few more.
"""

import numpy as np
from sklearn.datasets import make_blobs

from rosenblatt import LinearSVM, minimum_mistakes, plots

X, y = make_blobs(60, centers=[[0, 0], [1.8, 1.0]], cluster_std=1.0, random_state=7)
best = minimum_mistakes(X, y)
model = LinearSVM().fit(X, y)
print(best)

ax = plots.decision_regions(model, X, y)
along = np.array(ax.get_xlim())
(w1, w2), b = best.hyperplane.coef, best.hyperplane.intercept
ax.plot(along, -(w1 * along + b) / w2, "k--", label=f"fewest: {best.mistakes}")
wrong = int((model.predict(X) != y).sum())
ax.set(
    title=f"{wrong} mistakes of LinearSVM, {best.mistakes} of the best line",
    xlim=along,
    ylim=(X[:, 1].min() - 1, X[:, 1].max() + 1),
)
ax.legend()
