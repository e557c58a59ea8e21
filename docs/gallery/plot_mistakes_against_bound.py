"""
Novikoff's proof, drawn
=======================

After ``k`` mistakes the component of w along the best direction has grown at least like ``k``, and the length of w
at most like the square root of ``k``. The two dashed lines meet at the bound, which no run can pass. ``audit``
checks both inequalities at every mistake of this run.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Perceptron, audit, plots

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=3)
report = audit(Perceptron(order="cyclic").fit(X, y, trace=True), X, y)
print(str(report).splitlines()[-1])

plots.mistakes_against_bound(report)
