"""Rows, plans and shards for parameter mixing, and the bits of what was learned."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.distributed.block import blocks_of_arrays
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.train_blocks import train_blocks
from rosenblatt.parts.catalogue import recipe
from rosenblatt.solvers.penalised_plan import penalised_plan
from rosenblatt.solvers.training_plan import TrainingPlan


def plan_of(name="perceptron", multi_class="ovr", **parameters):
    return TrainingPlan(recipe(name, **parameters), multi_class)


def sgd(loss="logistic", **parameters):
    return penalised_plan("logistic" if loss == "logistic" else "svm", loss=loss, solver="sgd", **parameters)


def separable(seed, rows=90, columns=2, margin=0.2):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((rows, columns))
    side = np.where(X @ w > 0, 1, -1)
    return X + np.outer(side * margin, w), (side > 0).astype(np.int32)


def overlapping(rows=600, columns=4, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    scores = X @ rng.standard_normal((columns, classes)) + rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1).astype(np.int32)


def trained(plan, X, codes, classes=2, *, executor=None, rows=10, weights=None, factors=None, **options):
    with ThreadPoolExecutor(2) as threads:
        cluster = Cluster(executor or threads, list(blocks_of_arrays(X, codes, weights, rows)))
        return train_blocks(plan, cluster, classes, class_factors=factors, **{"seed": 7, **options})


def stacked(learned):
    return np.hstack([learned.coef, learned.intercept[:, None]])


def digest(learned):
    parts = [
        learned.coef,
        learned.intercept,
        *(values for name, values in learned.history.items() if name != "seconds"),
    ]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


CASES = [
    (plan_of(order="cyclic", max_iter=5), 2),
    (plan_of("averaged", max_iter=5), 3),
    (plan_of("pocket", "joint", order="shuffle", max_iter=5), 3),
    (plan_of("passive-aggressive", max_iter=5), 2),
    (sgd(max_iter=5), 3),
]
