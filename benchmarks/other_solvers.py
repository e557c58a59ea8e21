"""Solvers of other libraries with the interface of scikit-learn's classifiers.

The libraries are imported when a solver is made, so a missing one is told like any other missing library.
"""

from typing import Any, Self

import numpy as np

from benchmarks.machine import cores

SOLVER_TYPES = {"logistic": 0, "dual": 1, "primal": 2, "hinge": 3}  # LIBLINEAR's numbers


class Solver:
    """What the peers share. `random_state` and `tol` are taken and left out: `max_iter` alone ends the work."""

    max_iter = 1

    def set_params(self, max_iter: int | None = None, **_: object) -> Self:
        self.max_iter = self.max_iter if max_iter is None else max_iter
        return self


class MulticoreLiblinear(Solver):
    """liblinear-multicore on all cores. `train` alone is timed; its copy of the rows is made before.

    It has no limit on its iterations, so `max_iter` stands for its tolerance, 2^(-max_iter/4).
    """

    FREE_INTERCEPT = ("logistic", "primal")  # the others can only penalise it

    def __init__(self, kind: str, X: Any, y: np.ndarray) -> None:
        from liblinear import liblinearutil

        self.library, self.kind = liblinearutil, kind
        self.problem = liblinearutil.problem(y.astype(np.float64), X)

    def fit(self, X: Any, y: np.ndarray) -> Self:
        free = "-R" if self.kind in self.FREE_INTERCEPT else ""
        tolerance = max(2 ** (-self.max_iter / 4), 1e-300)
        options = f"-s {SOLVER_TYPES[self.kind]} -m {cores()} -B 1 {free} -e {tolerance} -q"
        self.model = self.library.train(self.problem, self.library.parameter(options))
        return self

    @property
    def weights(self) -> np.ndarray:
        """The weights and the intercept of the positive class; the model has those of its first label."""
        sign = 1 if self.model.get_labels()[0] > 0 else -1
        return sign * np.ctypeslib.as_array(self.model.w, (self.model.nr_feature + 1,))

    @property
    def coef_(self) -> np.ndarray:
        return self.weights[:-1]

    @property
    def intercept_(self) -> np.ndarray:
        return self.weights[-1:]


class Glum(Solver):
    """glum's logistic regression by iteratively reweighted least squares."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        import glum

        self.model = glum.GeneralizedLinearRegressor(
            family="binomial", alpha=1 / len(y), l1_ratio=0, solver="irls-ls", gradient_tol=1e-12
        )
        self.labels = (y > 0).astype(np.float64)

    def fit(self, X: Any, y: np.ndarray) -> Self:
        self.model.set_params(max_iter=self.max_iter).fit(X, self.labels)
        self.coef_, self.intercept_ = self.model.coef_, np.array([self.model.intercept_])
        return self


class SkglmSVC(Solver):
    """skglm's dual hinge by working sets. It has no intercept, so a column of ones makes a penalised one."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        import scipy.sparse
        from skglm import LinearSVC

        self.model = LinearSVC(C=1.0, fit_intercept=False, tol=1e-12)
        self.rows = scipy.sparse.hstack([X, np.ones((X.shape[0], 1))]).tocsc()

    def fit(self, X: Any, y: np.ndarray) -> Self:
        self.model.set_params(max_iter=self.max_iter, max_epochs=100).fit(self.rows, y)
        weights = np.ravel(self.model.coef_)
        self.coef_, self.intercept_ = weights[:-1], weights[-1:]
        return self


class GlumL1(Glum):
    """glum's logistic regression with an l1 penalty, by coordinate descent on least squares."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        super().__init__(X, y)
        self.model.set_params(l1_ratio=1, solver="irls-cd")


class SkglmL1(Solver):
    """skglm's logistic regression with an l1 penalty, by proximal Newton steps on working sets; the offset is free."""

    def __init__(self, X: Any, y: np.ndarray, C: float = 1.0) -> None:
        from skglm import GeneralizedLinearEstimator
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton

        self.solver = ProxNewton(fit_intercept=True, tol=1e-12)
        self.model = GeneralizedLinearEstimator(Logistic(), L1(1 / (C * len(y))), self.solver)
        self.columns = by_columns(X)

    def fit(self, X: Any, y: np.ndarray) -> Self:
        self.solver.max_iter = self.max_iter
        self.model.fit(self.columns, y)
        self.coef_, self.intercept_ = np.ravel(self.model.coef_), np.ravel(self.model.intercept_)
        return self


class CelerL1(Solver):
    """celer's logistic regression with an l1 penalty, by working sets; it has no offset."""

    def __init__(self, X: Any, y: np.ndarray, C: float = 1.0) -> None:
        from celer import LogisticRegression

        self.model = LogisticRegression(C=C, tol=1e-12, fit_intercept=False)
        self.columns = by_columns(X)

    def fit(self, X: Any, y: np.ndarray) -> Self:
        self.model.set_params(max_iter=self.max_iter).fit(self.columns, y)
        self.coef_, self.intercept_ = self.model.coef_[0], np.zeros(1)
        return self


def by_columns(X: Any) -> Any:
    """The rows in the order that solvers of single columns want; not timed."""
    return X.tocsc() if hasattr(X, "tocsc") else np.asfortranarray(X)
