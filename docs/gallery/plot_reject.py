"""
Decide, or ask a human
======================

If a mistake costs 1 and a rejection 0.2, the best decision for some rows is neither class. ``BayesRule`` turns
probabilities into the decisions with the smallest expected loss; the white band is where it rejects.
"""

from sklearn.datasets import make_blobs

from rosenblatt import BayesRule, LogisticRegression, plots

X, y = make_blobs(160, centers=[[0, 0], [2.5, 1.5]], cluster_std=1.1, random_state=1)
rule = BayesRule(LogisticRegression(), [[0, 1], [1, 0], [0.2, 0.2]]).fit(X, y)
share = (rule.predict(X) == "reject").mean()

ax = plots.decision_regions(rule, X, y)
ax.set(title=f"{share:.0%} of the rows are rejected", aspect="equal")
