"""
The widest margin, and the rows that hold it
============================================

Many lines separate these two clouds. ``max_margin`` finds the one that is as far as possible from both, with a
lower and an upper bound on how far that is. ``LinearSVM`` with a large ``C`` draws the same line.
"""

from sklearn.datasets import make_blobs

from rosenblatt import LinearSVM, max_margin, plots

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=3)
best = max_margin(X, y)
print(best)

ax = plots.decision_regions(LinearSVM(C=1000).fit(X, y), X, y)
ax.set(aspect="equal", title=f"{len(best.support.rows)} rows hold the margin")
