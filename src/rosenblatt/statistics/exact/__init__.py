"""Exact conditional logistic regression: every outcome with the same sufficient statistics is counted."""
