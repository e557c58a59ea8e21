"""Several classes to the joint optimum of the softmax loss: ours and the fastest peer, to a relative gap of 1e-4."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from benchmarks import optimum
from benchmarks.datasets import ten_digits, topics
from benchmarks.tasks import Pair, Task, faster, task
from rosenblatt import LogisticRegression


class JointObjective(optimum.Objective):
    """The softmax loss of all classes together; y holds their numbers."""

    def ours(self, tol: float) -> LogisticRegression:
        return LogisticRegression(multi_class="joint", tol=tol)

    def value(self, model: Any) -> float:
        scores = self.X @ model.coef_.T + model.intercept_
        own = scores[np.arange(len(self.y)), self.y]
        return float((logsumexp(scores, axis=1) - own).sum() + (model.coef_**2).sum() / 2)


def race(name: str, work: str, load: Callable[[], tuple[Any, np.ndarray]]) -> Task:
    def prepare() -> Pair:
        return optimum.race_to(JointObjective(*load(), "softmax"), name)

    return task(f"joint-logistic-{name}", f"joint logistic optimum, {work}", optimum.SCIKIT_LEARN, faster(2))(prepare)


pixels = race("pixels", "20,000 x 784 pixels in [0, 1], 10 classes", partial(ten_digits, False))
standardised = race("standardised", "20,000 x 784 pixels standardised, 10 classes", partial(ten_digits, True))
texts = race("topics", "11,000 texts of 100,000 words, 20 classes", topics)
