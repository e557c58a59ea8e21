"""scikit-learn's face of the engine: check the input, number the classes, train, predict."""

import sys
import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_sample_weight,
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _core
from .engine import Floats, History, Progress, Stream, Trained, train
from .labels import Codes, balanced_weights, codes_of, encode
from .parts import Part, choose
from .recipe import Recipe
from .rows import as_rows, check_finite, thread_count
from .stops import Status, Stops

MULTI_CLASS = {
    "ovr": Part(0, "one plane a class, each trained against the rest"),
    "joint": Part(1, "one plane a class, trained together: the true class must win"),
}
PATIENCE_SECONDS = 10.0


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """What all classifiers of the family share. Abstract: a named classifier only picks parts.

    Parts that a classifier does not offer as parameters are fixed here or in its class.
    """

    loss = "perceptron"
    keep = "last"
    C = 1.0
    alpha = 0.0
    penalize_intercept = False
    features = "identity"

    order: str
    eta0: float
    step: str
    criterion: str
    tol: float
    max_iter: int
    n_iter_no_change: int | None
    max_seconds: float | None
    fit_intercept: bool
    intercept_scaling: float
    multi_class: str
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    verbose: int

    classes_: npt.NDArray[Any]
    n_features_in_: int
    _learned: Trained | Stream

    # Training

    def fit(self, X: Any, y: Any, sample_weight: Any = None, trace: bool = False) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (rows, columns)
            float32 and float64, C-ordered or CSR, are used as they are; the rest is converted.
        y : array of shape (rows,)
            Two or more classes of any type.
        sample_weight : array of shape (rows,), optional
            Multiplies each row's step. Rows of weight 0 are ignored, negative weights refused.
        trace : bool
            Leave `trace_`: every move of w with its row, margin, amount and the norm of w after it.

        Returns
        -------
        self
            A failed fit leaves the model as it was; an interrupted one (Ctrl-C) leaves what it has learned so far.
        """
        recipe = self._recipe()
        choose("multi_class", self.multi_class, MULTI_CLASS)
        X, names = self._checked_matrix(X)
        y = self._checked_labels(y, X.shape[0])
        kept = None
        weights = None if sample_weight is None else checked_weights(sample_weight, X)
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            X, y, weights = X[kept], y[kept], weights[kept]
        classes, codes = encode(y)
        if len(classes) < 2:
            seen = f"one class, {classes[0]!r}" if len(classes) else "no class"
            raise ValueError(f"y has only {seen}; {type(self).__name__} needs two classes or more.")
        weights = self._with_class_weights(weights, codes, classes)
        threads = thread_count(self.n_jobs)
        rows = as_rows(X)
        check_finite(rows, X, names, threads)
        learned = train(
            rows,
            codes,
            len(classes),
            recipe,
            multi_class=self.multi_class,
            weights=weights,
            seed=self._seed(),
            threads=threads,
            start=self._start(classes, X.shape[1]),
            trace=trace,
            watch=self._watch(recipe),
        )
        if kept is not None and learned.trace is not None:
            learned.trace["row"][:] = np.where(learned.trace["row"] < 0, -1, kept[learned.trace["row"]])
        self._adopt(learned, classes, X.shape[1], names)
        if learned.interrupted:
            raise KeyboardInterrupt
        self._warn_of_mistakes(learned.status, recipe)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit each row once, in the order given; call again as more rows come.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. One row is enough.
        classes : array, optional
            Classes to expect. Classes that turn up later, in `y` or here, get a new plane that starts from zero.
        """
        stream = self.__dict__.get("_learned")
        if type(stream) is not Stream:
            return self._begin_stream(X, y, classes, sample_weight)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.shape[1] == self.n_features_in_ and len(X) > 0
        plain = plain and X.dtype in (np.float64, np.float32) and "feature_names_in_" not in self.__dict__
        if not plain:
            X, names = self._checked_matrix(X, reset=False)
        else:
            names = None
        y = self._checked_labels(y, X.shape[0])
        weights = None if sample_weight is None else checked_weights(sample_weight, X)
        if weights is not None and not weights.all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        rows = as_rows(X)
        threads = thread_count(self.n_jobs) if rows.stored_values > 1 << 17 else 1
        check_finite(rows, X, names, threads)
        codes = self._stream_codes(stream, y, classes)
        weights = self._with_class_weights(weights, codes, self.classes_, whole=False)
        stream.learn(rows, codes, weights, threads)
        return self

    def _begin_stream(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """The first call: check everything once, and start from a fitted model's weights if there is one."""
        recipe = self._recipe()
        choose("multi_class", self.multi_class, MULTI_CLASS)
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once and does not go with partial_fit: "
                "give a dict of weights instead."
            )
        learned = self.__dict__.get("_learned")
        matrix, names = self._checked_matrix(X, reset=learned is None)
        y = self._checked_labels(y, matrix.shape[0])
        check_finite(as_rows(matrix), matrix, names)
        if sample_weight is not None:
            checked_weights(sample_weight, matrix)
        columns = matrix.shape[1]
        stream = Stream(recipe, columns, self.multi_class, self._seed())
        known = np.array([]) if learned is None else self.classes_
        if learned is not None:
            stream.grow([], len(known))
            first = 0
            for state in stream.states:
                size = len(learned.coef) if len(stream.states) == 1 else 1
                part = slice(first, first + size)
                state.set_weights(np.ascontiguousarray(learned.coef[part]), learned.intercept[part] / self.intercept_scaling)
                first += size
        self._adopt(stream, known, columns, names)
        return self.partial_fit(X, y, classes, sample_weight)

    def _stream_codes(self, stream: Stream, y: npt.NDArray[Any], classes: Any) -> Codes:
        """Number the labels, making room for classes not seen before."""
        known = self.classes_
        codes = codes_of(y, known) if len(known) else np.full(len(y), -1, np.int32)
        if classes is not None or (codes < 0).any():
            more = y if classes is None else np.concatenate([np.asarray(classes), y])
            grown = np.unique(more if not len(known) else np.concatenate([known, more]))
            if len(grown) > len(known):
                stream.grow(codes_of(known, grown).tolist() if len(known) else [], len(grown))
                self.classes_ = grown
                codes = codes_of(y, grown)
        return codes

    # Prediction

    def decision_function(self, X: Any) -> Floats:
        """w.x + b of each row: one number for two classes, one a class for more."""
        scores = self._scores(X)
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row. A score of exactly 0 is the second class."""
        scores = self._scores(X)
        if scores.shape[1] == 1 and len(self.classes_) == 2:
            return self.classes_[(scores[:, 0] >= 0).view(np.int8)]
        return self.classes_[scores.argmax(axis=1)]

    def _scores(self, X: Any) -> Floats:
        learned = self.__dict__.get("_learned")
        if learned is None:
            check_is_fitted(self)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.shape[1] == self.n_features_in_ and len(X) > 0
        names = self.__dict__.get("feature_names_in_")
        if not (plain and names is None and X.dtype in (np.float64, np.float32)):
            X, names = self._checked_matrix(X, reset=False)
        rows = as_rows(X)
        threads = thread_count(self.n_jobs) if rows.stored_values > 1 << 17 else 1
        scores = _core.scores(rows, learned.coef, learned.intercept, threads)
        if not np.isfinite(scores.sum()):  # the cheap sign that some number was not finite
            check_finite(rows, X, names, threads)
        return scores

    # What was learned

    @property
    def coef_(self) -> Floats:
        return self._fitted("coef_").coef

    @property
    def intercept_(self) -> Floats:
        return self._fitted("intercept_").intercept

    @property
    def n_iter_(self) -> int:
        return self._fitted("n_iter_").n_iter

    @property
    def n_visits_(self) -> int:
        return self._fitted("n_visits_").n_visits

    @property
    def n_updates_(self) -> int:
        return self._fitted("n_updates_").n_updates

    @property
    def n_mistakes_(self) -> int:
        return self._fitted("n_mistakes_").n_mistakes

    @property
    def status_(self) -> Status:
        return self._fitted("status_").status

    @property
    def history_(self) -> History:
        return self._fitted("history_").history

    @property
    def trace_(self) -> History:
        trace = self._fitted("trace_").trace
        if trace is None:
            raise AttributeError("there is no trace_: call fit(X, y, trace=True) to keep one.")
        return trace

    def _fitted(self, name: str) -> Trained | Stream:
        learned = self.__dict__.get("_learned")
        if learned is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return learned

    def _adopt(self, learned: Trained | Stream, classes: npt.NDArray[Any], columns: int, names: Any) -> None:
        """The one place where a model changes."""
        self._learned = learned
        self.classes_ = classes
        self.n_features_in_ = columns
        if names is not None:
            self.feature_names_in_ = names
        else:
            self.__dict__.pop("feature_names_in_", None)

    # Parameters and input

    def _recipe(self) -> Recipe:
        stops = Stops(self.criterion, self.tol, self.max_iter, self.n_iter_no_change, self.max_seconds)
        return Recipe(
            loss=self.loss,
            order=self.order,
            step=self.step,
            keep=self.keep,
            features=self.features,
            eta0=self.eta0,
            C=self.C,
            alpha=self.alpha,
            fit_intercept=bool(self.fit_intercept),
            intercept_scaling=self.intercept_scaling,
            penalize_intercept=self.penalize_intercept,
            stops=stops,
        )

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _start(self, classes: npt.NDArray[Any], columns: int) -> tuple[Floats, Floats] | None:
        learned = self.__dict__.get("_learned")
        if not self.warm_start or learned is None:
            return None
        if columns != self.n_features_in_ or not np.array_equal(classes, self.classes_):
            raise ValueError(
                "warm_start needs the columns and classes of the model it starts from; set warm_start=False to begin anew."
            )
        return learned.coef, learned.intercept

    def _checked_matrix(self, X: Any, reset: bool = True) -> tuple[Any, Any]:
        """X as an array or CSR matrix, and its column names if it has any. Changes nothing in the model."""
        probe = self if not reset else _Probe(type(self).__name__)
        if reset:
            _check_feature_names(probe, X, reset=True)
        X = validate_data(
            probe,
            X,
            reset=reset,
            skip_check_array=False,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        return X, probe.__dict__.get("feature_names_in_")

    def _checked_labels(self, y: Any, rows: int) -> npt.NDArray[Any]:
        if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "iubUS":
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
            y = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)
            check_classification_targets(y)
        if len(y) != rows:
            raise ValueError(f"X and y have inconsistent lengths: {rows} rows in X, {len(y)} labels in y.")
        return y

    def _with_class_weights(
        self, weights: Floats | None, codes: Codes, classes: npt.NDArray[Any], whole: bool = True
    ) -> Floats | None:
        wanted = self.class_weight
        if wanted is None:
            return weights
        if isinstance(wanted, str):
            if wanted != "balanced":
                raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {wanted!r}.")
            each = balanced_weights(codes, len(classes))
        elif isinstance(wanted, Mapping):
            known = list(classes)
            unknown = [label for label in wanted if label not in known]
            if unknown and whole:
                raise ValueError(f"class_weight names {unknown[0]!r}, which is not among the classes {known}.")
            each = np.array([float(wanted.get(label, 1.0)) for label in known])
        else:
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {wanted!r}.")
        if not (np.isfinite(each).all() and (each > 0).all()):
            raise ValueError("class_weight must hold finite numbers above 0.")
        return each[codes] if weights is None else weights * each[codes]

    # Showing

    def _watch(self, recipe: Recipe) -> Any:
        """Tell a waiting user how it goes, and after a while what else could be done."""
        shown = told = 0.0
        hopeful = recipe.stops.criterion == "mistakes" and recipe.keep != "best"

        def watch(progress: Progress) -> None:
            nonlocal shown, told
            if self.verbose and progress.seconds - shown >= (2.0 if self.verbose == 1 else 0.2):
                shown = progress.seconds
                left = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes in the last epoch"
                line = f"[{type(self).__name__}] epoch {progress.epochs:,.1f} of {progress.max_iter:,}{left}"
                print(f"{line}, {progress.seconds:.1f} s", file=sys.stderr)
            if hopeful and not told and progress.seconds > PATIENCE_SECONDS:
                told = progress.seconds
                warnings.warn(
                    f"{type(self).__name__} is still training after {PATIENCE_SECONDS:.0f} s, in epoch "
                    f"{progress.epochs:,.0f} of at most {progress.max_iter:,}. If the classes overlap it will never "
                    "end without mistakes: separability(X, y) tells, and PocketPerceptron keeps the best weights met.",
                    UserWarning,
                    stacklevel=2,
                )

        return watch

    def _warn_of_mistakes(self, status: Status, recipe: Recipe) -> None:
        """Say what to do where the weights returned leave mistakes. The pocket expects some."""
        done = status.reason == recipe.stops.criterion or (recipe.keep == "best" and status.reason == "no-change")
        if not status.mistakes or (done and status.mistakes <= recipe.stops.tol * status.rows):
            return
        if done and (recipe.keep == "best" or recipe.stops.criterion != "mistakes"):
            return
        if status.reason == "mistakes":
            hint = "The last weights make none; keep='last' returns them."
        elif recipe.keep == "best":
            hint = "These are the best weights met; raise max_iter, or set n_iter_no_change, to go on until nothing improves."
        else:
            hint = (
                "If the classes overlap no plane is right everywhere: separability(X, y) tells. PocketPerceptron keeps "
                "the best weights met; otherwise raise max_iter."
            )
        warnings.warn(f"{type(self).__name__}: {status}. {hint}", ConvergenceWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Probe(BaseEstimator):
    """Stands in for the model while new input is checked, so that a refused input leaves the model untouched."""

    def __init__(self, name: str) -> None:
        self.name = name


def checked_weights(sample_weight: Any, X: Any) -> Floats:
    """Weights as float64, one a row, finite and not negative; some of them above 0."""
    weights: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(f"sample_weight must not be negative: row {row} has {weights[row]}.")
    if not weights.any():
        raise ValueError("sample_weight is 0 for every row: there is nothing to learn from.")
    return np.ascontiguousarray(weights)
