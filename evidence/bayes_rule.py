"""BayesRule against plain predictions: where one mistake costs ten times the other, its decisions cost less."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from rosenblatt import BayesRule, LogisticRegression, held_out_risk

from .checks import Finding, fit_seconds
from .datasets import read

LOWER = 0.20  # the least saving, relative to the cost of the plain decisions
SPLITS = 3  # random splits


class Problem(NamedTuple):
    """The cost of miproblem, and the columns that are unknown at the time of the decision."""

    loss_matrix: dict[str, dict[str, float]]
    unknown: tuple[str, ...]


# Not calling a client who would say yes costs as much as ten useless calls. The duration is known after the call only.
FILES = {"bank_full.csv.xz": Problem({"no": {"yes": 10}, "yes": {"no": 1}}, ("duration",))}


def check_bayes_rule(path: Path) -> Iterator[Finding]:
    if path.name not in FILES:
        return
    problem = FILES[path.name]
    X, y = read(path, leave_out=problem.unknown)
    for seed in range(SPLITS):
        yield check_cost(X, y, problem, seed)


def check_cost(X: np.ndarray, y: np.ndarray, problem: Problem, seed: int) -> Finding:
    """Compare decisions by expected loss with decisions for the more probable class, from the same probabilities."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    rule = BayesRule(LogisticRegression(), problem.loss_matrix)
    seconds = fit_seconds(rule, X_train, y_train)
    start = time.perf_counter()
    ours = held_out_risk(y_test, rule.predict(X_test), problem.loss_matrix)
    seconds += time.perf_counter() - start
    plain = held_out_risk(y_test, rule.estimator_.predict(X_test), problem.loss_matrix)
    change = ours.risk / plain.risk - 1
    result = f"cost {ours.risk:.3f} ({ours.lower:.3f} to {ours.upper:.3f}) against {plain.risk:.3f}: {change:+.1%}"
    return Finding("BayesRule, 10:1", f"{LOWER:.0%} less cost", result, seconds, change <= -LOWER)
