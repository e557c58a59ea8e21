"""The learners held to the claims: no mistakes where a plane separates the classes, near the best plane elsewhere."""

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
    """What one learner did with one dataset."""

    learner: str
    claimed: str
    found: str
    seconds: float
    holds: bool


def told(findings: Iterable[Finding]) -> int:
    """Print findings as they come; 1 if one goes against the claim, 0 if none does."""
    failures = 0
    for f in findings:
        ok = "yes" if f.holds else "NO"
        print(f"{f.learner:20} {f.claimed:22} {f.seconds:7.1f}  {ok:3}  {f.found}", flush=True)
        failures += not f.holds
    return 1 if failures else 0


def check(claim: Claim, X: Any, y: np.ndarray) -> Iterator[Finding]:
    yield proves(X, y, claim.separable)
    if claim.separable:
        yield separates(X, y)
    else:
        yield from comes_near(X, y, claim.best_accuracy)


def proves(X: Any, y: np.ndarray, separable: bool) -> Finding:
    """A verdict on every pair of classes, each with a certificate that verifies. What is proved outweighs the claim."""
    began = time.perf_counter()
    answers = separability(X, y, multi_class="ovo", time_limit=PROVING_SECONDS).values()
    seconds = time.perf_counter() - began
    kinds = [answer.kind for answer in answers]
    proved = all(answer.verify(X, y) for answer in answers)
    agrees = (set(kinds) == {"complete"}) == separable
    found = f"{', '.join(kinds)}; {'proved' if proved else 'NOT PROVED'}{'' if agrees else ', against the claim'}"
    return Finding("separability", "separable" if separable else "not separable", found, seconds, proved)


def separates(X: Any, y: np.ndarray) -> Finding:
    model = Perceptron(order="working-set", max_iter=10**9, max_seconds=SEPARATING_SECONDS, random_state=0)
    seconds = fit_seconds(model, X, y)
    wrong = int((model.predict(X) != y).sum())
    holds = wrong == 0 and model.status_.mistakes == 0
    return Finding("Perceptron, working-set", "separable", model.status_, seconds, holds)


def comes_near(X: Any, y: np.ndarray, best: float | None) -> Iterator[Finding]:
    shared = {"multi_class": "joint", "random_state": 0}
    pocket = PocketPerceptron(n_iter_no_change=1000, max_iter=100_000, max_seconds=SEARCHING_SECONDS, **shared)
    for model in (pocket, AveragedPerceptron(**shared)):
        seconds = fit_seconds(model, X, y)
        accuracy = float((model.predict(X) == y).mean())
        goal = best if best is not None else np.unique(y, return_counts=True)[1].max() / len(y)
        claimed = f"best {best:.2%}" if best is not None else f"largest class {goal:.2%}"
        found = f"{accuracy:.2%} right, {accuracy - goal:+.2%}"
        yield Finding(type(model).__name__, claimed, found, seconds, accuracy >= goal - ALLOWED_GAP)


def fit_seconds(model: Any, X: Any, y: np.ndarray) -> float:
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mistakes left are what is measured here
        model.fit(X, y)
    return time.perf_counter() - began
