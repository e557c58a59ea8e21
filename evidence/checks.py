"""Perceptrons checked against the claims: no mistakes on separable data, near the best known accuracy elsewhere."""

import time
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import AveragedPerceptron, Perceptron, PocketPerceptron, separability

from .claims import Claim

ALLOWED_GAP = 0.03
SEPARATING_SECONDS = 120.0
SEARCHING_SECONDS = 5.0
PROVING_SECONDS = 60.0


class Finding(NamedTuple):
    """The result of one check on one dataset."""

    learner: str
    claim: str
    result: str
    seconds: float
    holds: bool


def print_findings(findings: Iterable[Finding]) -> int:
    """Print findings as they come, and return the exit code: 1 if a check failed, 0 otherwise."""
    failures = 0
    for f in findings:
        ok = "yes" if f.holds else "NO"
        print(f"{f.learner:20} {f.claim:22} {f.seconds:7.1f}  {ok:3}  {f.result}", flush=True)
        failures += not f.holds
    return 1 if failures else 0


def check(claim: Claim, X: Any, y: np.ndarray) -> Iterator[Finding]:
    yield check_separability(X, y, claim.separable)
    if claim.separable:
        yield check_no_mistakes(X, y)
    else:
        yield from check_accuracy(X, y, claim.best_accuracy)


def check_separability(X: Any, y: np.ndarray, separable: bool) -> Finding:
    """Each pair of classes has a verdict whose certificate verifies. A proof counts more than the claim."""
    start = time.perf_counter()
    answers = separability(X, y, multi_class="ovo", time_limit=PROVING_SECONDS).values()
    seconds = time.perf_counter() - start
    kinds = [answer.kind for answer in answers]
    proved = all(answer.verify(X, y) for answer in answers)
    agrees = (set(kinds) == {"complete"}) == separable
    result = f"{', '.join(kinds)}; {'proved' if proved else 'NOT PROVED'}{'' if agrees else ', unlike the claim'}"
    return Finding("separability", "separable" if separable else "not separable", result, seconds, proved)


def check_no_mistakes(X: Any, y: np.ndarray) -> Finding:
    model = Perceptron(order="working-set", max_iter=10**9, max_seconds=SEPARATING_SECONDS, random_state=0)
    seconds = fit_seconds(model, X, y)
    wrong = int((model.predict(X) != y).sum())
    holds = wrong == 0 and model.status_.mistakes == 0
    return Finding("Perceptron, working-set", "separable", model.status_, seconds, holds)


def check_accuracy(X: Any, y: np.ndarray, best: float | None) -> Iterator[Finding]:
    shared = {"multi_class": "joint", "random_state": 0}
    pocket = PocketPerceptron(n_iter_no_change=1000, max_iter=100_000, max_seconds=SEARCHING_SECONDS, **shared)
    for model in (pocket, AveragedPerceptron(**shared)):
        seconds = fit_seconds(model, X, y)
        accuracy = float((model.predict(X) == y).mean())
        goal = best if best is not None else np.unique(y, return_counts=True)[1].max() / len(y)
        claim = f"best {best:.2%}" if best is not None else f"largest class {goal:.2%}"
        result = f"accuracy {accuracy:.2%}, {accuracy - goal:+.2%}"
        yield Finding(type(model).__name__, claim, result, seconds, accuracy >= goal - ALLOWED_GAP)


def fit_seconds(model: Any, X: Any, y: np.ndarray) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks measure the mistakes that are left
        model.fit(X, y)
    return time.perf_counter() - start
