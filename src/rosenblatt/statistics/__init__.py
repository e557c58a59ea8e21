"""Inference for logistic regressions: standard errors, tests, profile-likelihood intervals, infinite estimates.

May import `classifiers` and below.
"""
