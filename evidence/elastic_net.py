"""Penalties with an l1 norm against other programs: the same least objective, and weights of 0 in the same places.

    python -m evidence.elastic_net                  # all datasets and peers
    python -m evidence.elastic_net a9a leukemia     # some of them

C is 20 times the largest at which all weights are 0. Peers run for at most about a minute; a slower one is printed with
how far it came. The exit code is 1 if a peer finds an objective that lies below ours by more than 1e-6 of it, or one
within 1e-8 of ours whose zeros differ in a column that has no weight in any optimum.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import datasets
from rosenblatt import LogisticRegression, regularization_path

FIRST = 20.0  # times the largest C at which all weights are 0
SECONDS = 60.0
NEAR, TIGHT, CLEAR = 1e-6, 1e-8, 1e-3
LINE = "{:10} {:16} {:11} {:9} {:>10} {:>9} {:>7} {:>8} {:>9}  {}"

Plane = tuple[np.ndarray, float]  # weights and offset
Fit = Callable[[float], Plane]  # by tolerance


DATASETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "cancer": datasets.breast_cancer,
    "leukemia": datasets.leukemia,
    "ijcnn1": datasets.ijcnn1,
    "a9a": datasets.a9a,
    "w8a": datasets.w8a,
    "imdb": datasets.imdb,
}


def ours(X: Any, y: np.ndarray, C: float, ratio: float, offset: str) -> LogisticRegression:
    offsets = {"fit_intercept": offset != "none", "penalize_intercept": offset == "penalised"}
    return LogisticRegression(penalty="elasticnet", l1_ratio=ratio, C=C, tol=1e-10, **offsets).fit(X, y)


def value(X: Any, y: np.ndarray, plane: Plane, C: float, ratio: float, offset: str) -> float:
    w, b = plane
    length, square = np.abs(w).sum(), w @ w
    if offset == "penalised":
        length, square = length + abs(b), square + b * b
    return float(C * np.logaddexp(0, -y * (X @ w + b)).sum() + ratio * length + (1 - ratio) / 2 * square)


# The peers: the offset that each has, and its weights


def scikit_learn(solver: str, X: Any, y: np.ndarray, C: float, ratio: float) -> Fit:
    from sklearn.linear_model import LogisticRegression as Peer

    def fit(tol: float) -> Plane:
        kind = {"penalty": "l1"} if ratio == 1 else {"penalty": "elasticnet", "l1_ratio": ratio}
        model = Peer(solver=solver, C=C, tol=tol, max_iter=100_000, random_state=0, **kind).fit(X, y)
        return model.coef_[0], float(model.intercept_[0])

    return fit


def glum(X: Any, y: np.ndarray, C: float, ratio: float) -> Fit:
    from glum import GeneralizedLinearRegressor

    def fit(tol: float) -> Plane:
        strength = {"alpha": 1 / (C * len(y)), "l1_ratio": ratio}
        model = GeneralizedLinearRegressor(family="binomial", gradient_tol=tol, max_iter=1000, **strength)
        model.fit(X, (y > 0).astype(float))
        return model.coef_, float(model.intercept_)

    return fit


def skglm(X: Any, y: np.ndarray, C: float, ratio: float) -> Fit:
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import ProxNewton

    def fit(tol: float) -> Plane:
        solver = ProxNewton(fit_intercept=True, tol=tol, max_iter=200, max_pn_iter=200)
        model = GeneralizedLinearEstimator(Logistic(), L1_plus_L2(1 / (C * len(y)), ratio), solver).fit(X, y)
        return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])

    return fit


def celer(X: Any, y: np.ndarray, C: float, ratio: float) -> Fit:
    from celer import LogisticRegression as Peer

    def fit(tol: float) -> Plane:
        return Peer(C=C, tol=tol, max_iter=200, fit_intercept=False).fit(X, y).coef_[0], 0.0

    return fit


def peers(X: Any, y: np.ndarray, C: float, ratio: float) -> Iterator[tuple[str, str, Callable[[], Fit]]]:
    """Name, offset and fit. glum's square matrix of all columns rules out wide data."""
    yield "skglm", "free", lambda: skglm(X, y, C, ratio)
    yield "saga", "free", lambda: scikit_learn("saga", X, y, C, ratio)
    if X.shape[1] <= 5000:
        yield "glum", "free", lambda: glum(X, y, C, ratio)
    if ratio == 1:
        yield "liblinear", "penalised", lambda: scikit_learn("liblinear", X, y, C, ratio)
        yield "celer", "none", lambda: celer(X, y, C, ratio)


def nearest(fit: Fit, measure: Callable[[Plane], float], least: float) -> tuple[Plane, float]:
    """The plane of the loosest tolerance that comes within 1e-9 of `least`, or of the last that time allows."""
    began = time.perf_counter()
    for digits in range(4, 15, 2):
        start = time.perf_counter()
        plane = fit(10.0**-digits)
        seconds = time.perf_counter() - start
        if measure(plane) <= least * (1 + 1e-9) or time.perf_counter() - began + 10 * seconds > SECONDS:
            break
    return plane, seconds


def check(name: str, ratio: float) -> bool:
    X, y = DATASETS[name]()
    kind = LogisticRegression(penalty="elasticnet", l1_ratio=ratio)
    C = FIRST * float(regularization_path(X, y, kind, Cs=1).C[0])
    found, holds = {}, True
    for peer, offset, make in peers(X, y, C, ratio):
        if offset not in found:
            found[offset] = ours(X, y, C, ratio, offset)
        holds &= compare(name, X, y, found[offset], peer, make(), (C, ratio, offset))
    return holds


def compare(
    name: str, X: Any, y: np.ndarray, model: LogisticRegression, peer: str, fit: Fit, kind: tuple[float, float, str]
) -> bool:
    mine = model.coef_[0], float(model.intercept_[0])
    least = value(X, y, mine, *kind)
    plane, seconds = nearest(fit, lambda plane: value(X, y, plane, *kind), least)
    above = value(X, y, plane, *kind) / least - 1
    different = (plane[0] != 0) != (mine[0] != 0)
    good = above >= -NEAR and (above > TIGHT or not (different & ~tied(X, y, mine, *kind)).any())
    verdict = "the same" if above <= TIGHT else "the same objective" if above <= NEAR else "too slow"
    verdict = verdict if good else "DIFFERENT"
    shape, penalty = f"{X.shape[0]} x {X.shape[1]}", "l1" if kind[1] == 1 else f"l1_ratio={kind[1]:g}"
    gap, zeros = f"{model.duality_gap_:.0e}", int((mine[0] == 0).sum())
    numbers = (gap, f"{above:+.0e}", zeros, int(different.sum()), f"{seconds:.2f} s")
    print(LINE.format(name, shape, f"{penalty}", peer, *numbers, verdict), flush=True)
    return good


def tied(X: Any, y: np.ndarray, plane: Plane, C: float, ratio: float, offset: str) -> np.ndarray:
    """The columns whose slope is as steep as the penalty. Only these have a weight in some optimum; a9a has several."""
    w, b = plane
    slopes = C * (X.T @ (y / (1 + np.exp(y * (X @ w + b))))) - (1 - ratio) * w
    return np.abs(slopes) >= ratio * (1 - CLEAR)


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    print(LINE.format("data", "size", "penalty", "peer", "our gap", "peer", "zeros", "differ", "peer", ""))
    failed = sum(not check(name, ratio) for name in names or DATASETS for ratio in (1.0, 0.5))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
