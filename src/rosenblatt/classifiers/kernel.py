"""What classifiers in the space of a kernel share: the same training loop, on rows of the kernel matrix.

The weights are one alpha a row; w = sum_j alpha_j phi(x_j) is never formed. A row of the matrix K is a row like any
other, except that its `add_to` moves one alpha. After training only rows with an alpha other than 0 are kept.
"""

import time
from collections.abc import Callable
from dataclasses import fields, replace
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from ..engine.kernel_stream import KernelResult, KernelStream
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..engine.train import train
from ..foundation.matrices import as_rows, check_finite, is_sparse
from ..foundation.threads import thread_count
from ..foundation.types import Codes, Floats, History
from ..parts.kernels import (
    KERNELS,
    PRECOMPUTED,
    Kernel,
    Support,
    check_symmetric,
    default_gamma,
    symmetric_gram,
)
from ..parts.parameter_checks import check_bool, check_positive, check_whole_number
from ..parts.part import Part, choose
from ..parts.recipe import Recipe
from ..parts.sklearn_names import our_value
from ..parts.stops import Stops
from ..solvers.defaults import MULTI_CLASS
from .linear import LinearClassifier
from .messages import LIMITS, ended_as_asked, warn
from .training_problem import KernelProblem, TrainingProblem
from .validation import Examples, matrix

CHOICES = {**KERNELS, PRECOMPUTED: Part(-1, "X holds K of all rows with all")}
MOST_DEGREE = 1000


class KernelClassifier(LinearClassifier):
    """A linear classifier in the space of a kernel. Abstract: a named classifier picks the parts."""

    features = "identity"
    learns_weights = False
    step = "constant"
    eta0 = 1.0
    criterion = "mistakes"
    warm_start = False

    kernel: str | Callable[[Any, Any], Any] = "gaussian"  # scikit-learn reads it before __init__ has run
    gamma: float | str | None
    degree: int
    coef0: float
    budget: int | None
    cache_size: float
    fit_intercept: bool | None  # type: ignore[assignment]
    _learned: KernelResult | KernelStream

    # Training

    def training_problem(self, X: Any, y: Any, sample_weight: Any = None) -> KernelProblem:
        problem = super().training_problem(X, y, sample_weight)
        began, kernel = time.perf_counter(), self._kernel(problem.data.X)
        gram = self._gram(kernel, problem.data, thread_count(self.n_jobs))
        return KernelProblem(**vars(problem) | {"rows": gram.rows()}, kernel=kernel, gram=gram, began=began)

    def _train(self, problem: TrainingProblem, **how: Any) -> TrainingResult:
        assert isinstance(problem, KernelProblem)
        codes, classes, recipe = problem.codes, len(problem.classes), problem.plan.recipe
        how |= {"multi_class": problem.plan.multi_class, "began": problem.began}
        learned = train(problem.rows, codes, classes, recipe, weights=problem.weights, seed=problem.seed, **how)
        if learned.trace is not None:
            self._set_norms(learned.trace, recipe, codes, classes, problem.gram.diagonal())
        return learned

    def _kept(self, learned: TrainingResult, problem: TrainingProblem) -> TrainingResult:
        assert isinstance(problem, KernelProblem)
        return self._compact(learned, problem.kernel, problem.data, problem.gram.diagonal())

    def _sees_all_rows(self, recipe: Recipe) -> bool:
        return False

    def _gram(self, kernel: Kernel, data: Examples, threads: int) -> _core.Gram:
        if kernel.name != PRECOMPUTED:
            return symmetric_gram(kernel, data.X, self._budget(), float(self.cache_size), threads)
        rows, columns = data.X.shape
        if columns != rows if data.numbers is None else columns <= data.numbers[-1]:
            raise ValueError(f"kernel='precomputed' needs K of all rows with all, not a matrix of {rows} x {columns}.")
        K = data.X if data.numbers is None else np.ascontiguousarray(data.X[:, data.numbers])
        check_symmetric(K, "the precomputed kernel")
        return _core.Gram(as_rows(K), K.diagonal().astype(np.float64), 0, self._budget())

    def _compact(self, learned: TrainingResult, kernel: Kernel, data: Examples, diagonal: Floats) -> KernelResult:
        stay = np.flatnonzero(learned.coef.any(axis=0))
        numbers = stay if data.numbers is None else data.numbers[stay]
        rest = {field.name: getattr(learned, field.name) for field in fields(TrainingResult) if field.name != "coef"}
        if kernel.name == PRECOMPUTED:
            coef = np.zeros((len(learned.coef), data.X.shape[1]))
            coef[:, numbers] = learned.coef[:, stay]
            return KernelResult(coef, **rest, support=Support(kernel, np.empty((0, data.X.shape[1])), numbers))
        support = Support(kernel, data.X[stay], numbers, diagonal[stay])
        return KernelResult(np.ascontiguousarray(learned.coef[:, stay]), **rest, support=support)

    def _set_norms(self, trace: History, recipe: Recipe, codes: Codes, classes: int, diagonal: Floats) -> None:
        """Replace the norm of alpha, which the core traces, by that of w, from ||w + c y phi(x)||^2 update by update.

        Where a budget drops rows it is unknown: NaN.
        """
        if self.budget is not None or recipe.order == "batch":
            trace["norm"][:] = np.nan
            return
        row, rival, change = trace["row"], trace["rival"], trace["change"]
        apart = trace.get("class", np.zeros(len(row), np.intp))
        scaling = float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0
        own, times = codes[row], np.arange(len(row))
        signs = np.zeros((len(row), classes))  # which planes each move raises and lowers
        if (rival >= 0).any():
            signs[times, own], signs[times, rival] = 1.0, -1.0
        else:
            signs[times, apart] = np.where(own == (1 if classes == 2 else apart), 1.0, -1.0)
        offsets = np.cumsum(signs * (change * scaling)[:, None], axis=0)
        before = np.vstack([np.zeros((1, classes)), offsets])[:-1]
        score = trace["margin"] - scaling * (signs * before).sum(axis=1)
        grown = 2 * change * score + np.abs(signs).sum(axis=1) * change**2 * diagonal[row]
        for k in np.unique(apart):
            trace["norm"][apart == k] = np.sqrt(np.maximum(np.cumsum(grown[apart == k]), 0.0))

    def _warn(self, learned: TrainingResult, recipe: Recipe, weighted: bool) -> None:
        status = learned.status
        if not status.mistakes or ended_as_asked(status, recipe, weighted):
            return
        limit = LIMITS.get(status.reason)
        if limit is None:
            advice = "keep='last' returns the last weights." if recipe.keep == "average" else "Lower tol."
        elif self.budget is not None:
            advice = f"Raise budget={self.budget} or {limit}; keep='best' returns the best weights met."
        else:
            advice = f"Raise {limit}, or gamma or degree if the kernel is too smooth; keep='best' returns the best met."
        warn(f"{type(self).__name__}: {status}. {advice}", ConvergenceWarning)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit each row once, in the order given. Call again as more rows arrive.

        Rows that move w are kept, `budget` of them at most. Where `gamma` is None the first call's rows set it. A
        precomputed kernel has no rows to keep and is refused. See `Perceptron.partial_fit`.
        """
        if self._is_precomputed():
            raise ValueError("partial_fit does not go with kernel='precomputed': K of rows to come is not known.")
        return super().partial_fit(X, y, classes, sample_weight)

    def _stream(self, data: Examples) -> Stream:
        learned = self.__dict__.get("_learned")
        if type(learned) is KernelStream and self._is_recipe_of(learned):
            return learned.with_room_for(data.X, float(self.cache_size))
        recipe = self._recipe()
        kernel = self._kernel(data.X) if learned is None or learned.support is None else learned.support.kernel
        stream = KernelStream(recipe, kernel, self._budget(), self._multi_class(), self._seed(), data.label_form)
        if learned is not None and learned.support is not None:
            self._check_goes_on(learned.support)
            stream.columns, stream.support = len(learned.support), learned.support
            stream.grow([], len(self.classes_))
            parts = len(stream.states)
            offsets = np.split(learned.intercept / self.intercept_scaling, parts)
            for state, plane, offset in zip(stream.states, np.split(learned.coef, parts), offsets, strict=True):
                state.set_weights(np.ascontiguousarray(plane), offset)
        return stream.with_room_for(data.X, float(self.cache_size))

    def _check_goes_on(self, support: Support) -> None:
        """Refuse to continue with another kernel, whose space gives the alphas no meaning."""
        if self._same_kernel(support.kernel):
            return
        raise ValueError(
            "partial_fit cannot go on with another kernel than the model learned with: call fit, or clone."
        )

    def _same_kernel(self, other: Kernel) -> bool:
        name = self._kernel_name()
        if other.name != name:
            return False
        if name not in ("gaussian", "polynomial"):
            return True
        gamma = self.gamma is None or isinstance(self.gamma, str) or float(self.gamma) == other.gamma
        rest = name == "gaussian" or (other.degree, other.coef0) == (self.degree, float(self.coef0))
        return gamma and rest

    def _is_recipe_of(self, stream: Stream) -> bool:
        assert isinstance(stream, KernelStream)
        same = replace(self._recipe(), stops=stream.recipe.stops) == stream.recipe
        joint = self._multi_class() == ("joint" if stream.joint else "ovr")
        return same and joint and self._same_kernel(stream.kernel) and self._budget() == stream.budget

    # Prediction

    def decision_function(self, X: Any) -> Floats:
        """sum_j alpha_j K(x_j, x) + b of each row: one number for two classes, one a class for more."""
        return super().decision_function(X)

    def _evaluate(
        self, learned: Any, X: Any, see: Callable[..., tuple[npt.NDArray[Any], bool]], *more: Any
    ) -> npt.NDArray[Any]:
        support = learned.support
        assert support is not None
        if support.kernel.name == PRECOMPUTED:
            return super()._evaluate(learned, X, see, *more)
        found, threads = matrix(self, X), thread_count(self.n_jobs)
        check_finite(found.rows, found.given, found.names, threads)
        scores: Floats = support.scores(found.X, *learned.returned, threads)
        return more[0].take((scores >= 0).astype(np.intp)) if more else scores

    # What was learned

    @property
    def coef_(self) -> Floats:
        raise AttributeError(
            f"{type(self).__name__} has no coef_: its weights are in the kernel's space. See dual_coef_ and "
            "support_vectors_."
        )

    @property
    def dual_coef_(self) -> Floats:
        learned = self._fitted("dual_coef_")
        support = self._learned.support
        assert support is not None
        return learned.coef[:, support.numbers] if support.kernel.name == PRECOMPUTED else learned.coef

    @property
    def support_(self) -> npt.NDArray[np.intp]:
        self._fitted("support_")
        support = self._learned.support
        if support is None or support.numbers is None:
            raise AttributeError("there is no support_: rows of a stream have no numbers. See support_vectors_.")
        numbers: npt.NDArray[np.intp] = support.numbers
        return numbers

    @property
    def support_vectors_(self) -> Any:
        self._fitted("support_vectors_")
        support = self._learned.support
        return None if support is None else support.X

    @property
    def gamma_(self) -> float:
        self._fitted("gamma_")
        support = self._learned.support
        assert support is not None
        return support.kernel.gamma

    # Parameters

    def _kernel(self, X: Any) -> Kernel:
        """The kernel that the parameters name. A gamma of None comes from X."""
        name = self._kernel_name()
        if name == PRECOMPUTED:
            if is_sparse(X):
                raise ValueError("kernel='precomputed' takes a dense matrix, not a sparse one.")
            return Kernel(PRECOMPUTED)
        if callable(name) or name == "linear":
            return Kernel(name)
        if name == "gaussian":
            return Kernel("gaussian", self._gamma(X))
        return Kernel("polynomial", self._gamma(X), int(self.degree), float(self.coef0))

    def _kernel_name(self) -> Any:
        """The kernel's name here, or the function that was given."""
        return our_value("kernel", self.kernel)

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == PRECOMPUTED

    def _gamma(self, X: Any) -> float:
        """The gamma given, or the one that comes from X: "scale" and "auto" are those of scikit-learn."""
        if self.gamma == "auto":
            return 1.0 / float(X.shape[1])
        if self.gamma == "scale" or (self.gamma is None and self._kernel_name() == "gaussian"):
            return default_gamma(X)
        return 1.0 if self.gamma is None else float(self.gamma)

    def _recipe(self) -> Recipe:
        choose("multi_class", self.multi_class, MULTI_CLASS)
        self._check_kernel()
        if self.keep == "vote":
            raise ValueError("keep='vote' does not go with a kernel: VotedPerceptron votes in the space of `features`.")
        if self.budget is not None:
            check_whole_number("budget", self.budget)
            if self.order == "batch":
                raise ValueError("budget does not go with order='batch': rows go one by one, as others come.")
            if self.keep == "average":
                raise ValueError("budget does not go with keep='average': the mean remembers rows that have gone.")
        tol = 0 if self.tol is None else self.tol
        return Recipe(
            order=self.order,
            keep=self.keep,
            fit_intercept=self._has_offset(),
            intercept_scaling=self.intercept_scaling,
            stops=Stops(self.criterion, tol, self.max_iter, self.n_iter_no_change, self.max_seconds),
        )

    def _check_kernel(self) -> None:
        if not callable(self.kernel):
            choose("kernel", self._kernel_name(), CHOICES)
        if not (self.gamma is None or (isinstance(self.gamma, str) and self.gamma in ("scale", "auto"))):
            check_positive("gamma", self.gamma)
        check_whole_number("degree", self.degree)
        if self.degree > MOST_DEGREE:
            raise ValueError(f"degree must be at most {MOST_DEGREE}, not {self.degree!r}.")
        if not isinstance(self.coef0, Real) or isinstance(self.coef0, bool) or not np.isfinite(float(self.coef0)):
            raise ValueError(f"coef0 must be a finite number, not {self.coef0!r}.")
        check_positive("cache_size", self.cache_size, or_zero=True)

    def _has_offset(self) -> bool:
        """Whether to learn an offset. None means: where the kernel's space has no nearly constant coordinate."""
        if self.fit_intercept is not None:
            return check_bool("fit_intercept", self.fit_intercept)
        name = self._kernel_name()
        return not (name == "gaussian" or (name == "polynomial" and self.coef0 != 0))

    def _budget(self) -> int:
        return 0 if self.budget is None else min(int(self.budget), 2**62)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
