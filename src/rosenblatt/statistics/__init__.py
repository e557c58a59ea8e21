"""Inference for logistic regressions: standard errors, tests, profile-likelihood intervals, infinite estimates."""
