"""scikit-learn's face of the engine: check the input, number the classes, train, predict."""

from collections.abc import Callable, Mapping
from copy import copy
from operator import attrgetter, itemgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.errors import TooLarge
from ..foundation.label_sets import LabelSets, extended, named
from ..foundation.labels import class_factors, codes_of, encode
from ..foundation.seeds import checked_random_state, draw_seed
from ..foundation.threads import thread_count, threads_for
from ..foundation.types import Codes, Floats, Labels
from ..parts.features import IDENTITY, Features, as_features
from ..parts.orders import WHOLE_PASSES
from ..parts.parameter_checks import check_bool
from ..parts.recipe import Recipe
from ..parts.sklearn_names import AnswersUnknownParameters, our_value
from ..parts.stops import Stops
from ..solvers.defaults import resolve_multi_class
from ..solvers.training_plan import TrainingPlan
from .calibrated import CalibratedScores, check_calibration, cross_fitted
from .calibration.calibration import Calibration
from .callbacks import ReportsToCallbacks, reports_to_callbacks
from .dask_collections import lazy_on_dask, trains_on_dask
from .encoded_tables import EncodesTables, refuse_encoding
from .evaluation import evaluate
from .label_problems import calibrate_labels, check_labels, check_stream, train_labels
from .learned_attributes import LearnedAttributes
from .messages import Watcher, say, warn_of_constant_labels, warn_of_mistakes
from .one_row import prepare_for_rows
from .one_trainer import one_trainer
from .training_problem import TrainingProblem
from .validation import NO_CLASSES, Examples, examples, expected_classes
from .warm_start import start_of

FIRST_OR_SECOND = np.array([0, 1], np.uint64)
NO_CODES: Codes = np.empty(0, np.int32)
LEARNED_AND_CLASSES: Callable[[dict[str, Any]], tuple[Any, Labels]] = itemgetter("_learned", "classes_")
RECIPE_PARTS = (
    *("loss", "order", "step", "keep", "features", "eta0", "C", "margin", "alpha"),
    *("fit_intercept", "intercept_scaling", "penalize_intercept"),
)
recipe_parts = attrgetter(*RECIPE_PARTS)


class LinearClassifier(
    AnswersUnknownParameters,
    EncodesTables,
    CalibratedScores,
    ReportsToCallbacks,
    LearnedAttributes,
    ClassifierMixin,  # type: ignore[misc]  # scikit-learn has no types
    BaseEstimator,  # type: ignore[misc]
):
    """What all classifiers of the family share. Abstract: a named classifier only picks parts.

    Parts that a classifier does not offer as parameters are fixed here or in its class.
    """

    loss = "perceptron"
    keep = "last"
    C = 1.0
    margin = 0.0
    alpha = 0.0
    penalize_intercept = False
    returns_planes = True  # rather than the vote of many
    learns_weights = True  # of columns, rather than of rows as with a kernel
    features: str | Features
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
    multi_class: str = "ovr"  # scikit-learn reads it before __init__ has run
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    verbose: int

    classes_: Labels
    n_features_in_: int
    _features: Features = IDENTITY  # those that the weights were learned with

    # Training

    @one_trainer
    @reports_to_callbacks
    @trains_on_dask
    def fit(self, X: Any, y: Any, sample_weight: Any = None, trace: bool = False) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (rows, columns), of Dask too
            float32 and float64 in whole rows, or CSR, are used as they are; the rest is converted.
        y : array of shape (rows,), or several labels a row
            Two or more classes of any type. Several labels: a matrix of 0 and 1, a data frame of these, or lists.
        sample_weight : array of shape (rows,), optional
            Multiplies each row's step. Rows of weight 0 are ignored, negative weights refused.
        trace : bool
            Leave `trace_`: every move of w with its row, margin, amount and the norm of w after it.

        Returns
        -------
        self
            A failed fit leaves the model as it was; an interrupted one (Ctrl-C) leaves what it has learned so far.
        """
        return self._fit_problem(self.training_problem(X, y, sample_weight), trace)

    def _fit_problem(self, problem: TrainingProblem, trace: bool = False) -> Self:
        """Train a checked problem, and adopt what was learned."""
        data, recipe, form = problem.data, problem.plan.recipe, problem.label_form
        watch = self._reported(Watcher(type(self).__name__, recipe, self.verbose, self.learns_weights))
        how: dict[str, Any] = {"threads": thread_count(self.n_jobs), "trace": trace, "watch": watch}
        how["start"] = start_of(self, data.columns, problem.classes, form)
        try:
            learned = self._train(problem, **how) if form is None else train_labels(self, problem, **how)
            learned = self._kept(learned, problem)
        except TooLarge:
            data.check_finite(self.n_jobs)
            raise
        if learned.trace is not None and data.numbers is not None:
            row = learned.trace["row"]
            row[:] = np.where(row < 0, row, data.numbers[row])
        calibration, interrupted = self._calibrate(problem, learned.interrupted)
        features = as_features(self.features)
        self._adopt(learned, problem.classes, data.columns, data.names, features, calibration, data.encoder)
        if self.verbose:
            say(type(self).__name__, learned.status)
        if interrupted:
            raise KeyboardInterrupt
        self._warn(learned, recipe, problem.weights is not None)
        if form is not None:
            warn_of_constant_labels(type(self).__name__, problem.classes, problem.sets.has)
        return self

    def training_problem(self, X: Any, y: Any, sample_weight: Any = None) -> TrainingProblem:
        """What `fit` trains on these rows, checked; the lab replays it. The model stays as it is."""
        plan = self._plan()
        thread_count(self.n_jobs)
        data = examples(self, X, y, sample_weight, anew=True).lifted(as_features(self.features))
        if data.label_form is not None or not self._sees_all_rows(plan.recipe):
            data.check_finite(self.n_jobs)
        classes, codes, weights = self._classes(data)
        seed = self._seed() if plan.is_random else 0
        problem = TrainingProblem(plan, data, classes, data.rows, codes, weights, seed)
        return self._prepared(problem) if problem.label_form is None else problem

    def _classes(self, data: Examples) -> tuple[Labels, Codes, Floats | None]:
        """The classes, the class of each row, and its weight. Of several labels: no class, and the weight for all."""
        if isinstance(data.labels, LabelSets):
            check_labels(self, data.labels)
            return data.labels.labels, NO_CODES, data.weights
        classes, codes = encode(data.labels)
        if len(classes) < 2:
            [only] = classes.tolist()
            raise ValueError(f"y has only one class, {only!r}; {type(self).__name__} needs two classes or more.")
        check_calibration(self.calibration, classes, codes)
        return classes, codes, self._weights(data, classes, codes)

    def _prepared(self, problem: TrainingProblem) -> TrainingProblem:
        """The problem with what the parameters ask for before training."""
        return problem

    def _sees_all_rows(self, recipe: Recipe) -> bool:
        """Whether the first epoch checks that all numbers are finite. Otherwise a pass before training does."""
        return recipe.order in WHOLE_PASSES and recipe.stops.max_seconds is None

    def _train(self, problem: TrainingProblem, **how: Any) -> TrainingResult:
        """Train one class a row. `how` is passed on to `TrainingPlan.train`."""
        how |= {"weights": problem.weights, "total": problem.total_weight, "seed": problem.seed}
        return problem.plan.train(problem.rows, problem.codes, len(problem.classes), **how)

    def _kept(self, learned: TrainingResult, problem: TrainingProblem) -> TrainingResult:
        """What the model keeps of a training."""
        return learned

    def _calibrate(self, problem: TrainingProblem, interrupted: bool) -> tuple[Calibration | None, bool]:
        """The calibration if the parameters ask for one, and whether Ctrl-C ended the training."""
        if self.calibration is None or interrupted:
            return None, interrupted
        try:
            return (cross_fitted if problem.label_form is None else calibrate_labels)(self, problem), False
        except KeyboardInterrupt:
            return None, True

    def _warn(self, learned: TrainingResult, recipe: Recipe, weighted: bool) -> None:
        warn_of_mistakes(type(self).__name__, learned, recipe, weighted)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit each row once, in the order given. Call again as more rows arrive.

        The first call goes on from the weights of a fitted model, and so does the first after a parameter has changed.
        A failed call leaves the model as it was.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. One row is enough.
        classes : array, optional
            Classes or labels to expect. Those that turn up later, in `y` or here, get a new plane that starts from 0.
        """
        model = self.__dict__
        stream = model.get("_learned")
        if type(stream) is not Stream or classes is not None or sample_weight is not None:
            return self._partial_fit(X, y, classes, sample_weight)
        return self if stream.learn_row(model, X, y) else self._partial_fit(X, y, classes, sample_weight)

    @one_trainer
    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """`partial_fit` of any rows."""
        refuse_encoding(self, "partial_fit", "which learns from rows as they come")
        features = self._same_features("partial_fit")
        data = examples(self, X, y, sample_weight, anew="_learned" not in self.__dict__).lifted(features)
        data.check_finite(self.n_jobs)
        check_stream(self, data)
        stream = self._stream(data)
        known = self.__dict__.get("classes_", NO_CLASSES)
        codes: Any = codes_of(data.labels, known) if classes is None and data.label_form is None else None
        if codes is None:
            expected = NO_CLASSES if classes is None else expected_classes(classes)
            known, codes, places = extended(known, data.labels, expected)
        weights = self._weights(data, known, codes, whole=False)
        threads = threads_for(data.rows, self.n_jobs)
        if len(known) > stream.classes:
            stream = copy(stream)  # the model keeps the old one until these rows are learned
            stream.grow(places.tolist(), len(known))
        stream.learn(data.rows, codes, weights, threads)
        self._adopt(stream, known, data.columns, data.names, features)
        prepare_for_rows(self, stream, RECIPE_PARTS)
        return self

    def _stream(self, data: Examples) -> Stream:
        """The stream under way, or a new one that continues from this model's weights."""
        learned = self.__dict__.get("_learned")
        if type(learned) is Stream and self._is_recipe_of(learned):
            return learned
        stream = self._new_stream(data)
        if learned is not None:
            stream.go_on_from(learned.coef, learned.intercept, learned.n_updates, len(self.classes_))
        return stream

    def _new_stream(self, data: Examples) -> Stream:
        return Stream(self._recipe(), data.rows.columns, self._multi_class(), self._seed(), data.label_form)

    def _is_recipe_of(self, stream: Stream) -> bool:
        same = recipe_parts(self) == recipe_parts(stream.recipe)
        return same and self._multi_class() == ("joint" if stream.joint else "ovr")

    # Prediction

    @lazy_on_dask
    def decision_function(self, X: Any) -> Floats:
        """w.x + b of each row: one number for two classes, one a class for more, one a label of several a row."""
        learned, _ = self._now()
        scores = self._evaluate(learned, X, _core.scores)
        return scores.reshape(-1) if scores.shape[1] == 1 and learned.label_form is None else scores

    @lazy_on_dask
    def predict(self, X: Any) -> Any:
        """The class of each row. A score of exactly 0 is the second class.

        Where rows have several labels: those with a score of 0 or more, as `fit` was given them: a matrix of 0 and 1,
        or a list of tuples.
        """
        learned, classes = self._now()
        if learned.label_form is not None:
            return named(self._evaluate(learned, X, _core.scores) >= 0, classes, learned.label_form)
        if len(classes) != 2:
            chosen = self._evaluate(learned, X, _core.scores).argmax(axis=1)
        elif classes.dtype.kind in "iuf" and classes.dtype.itemsize == 8:
            return self._evaluate(learned, X, _core.choices, classes.view(np.uint64))[:, 0].view(classes.dtype)
        else:
            chosen = self._evaluate(learned, X, _core.choices, FIRST_OR_SECOND)[:, 0].view(np.int64)
        labels: Labels = classes.take(chosen)
        return labels

    def _now(self) -> tuple[Any, Labels]:
        """What was learned and its classes, of the same training, even while another thread trains this model."""
        try:
            return LEARNED_AND_CLASSES(self.__dict__)
        except KeyError:
            check_is_fitted(self)
            raise

    def _evaluate(
        self, learned: Any, X: Any, see: Callable[..., tuple[npt.NDArray[Any], bool]], *more: Any
    ) -> npt.NDArray[Any]:
        """Scores of all planes, or choices of one, for the rows of X. Numbers that are not finite are refused."""
        return evaluate(self, learned, X, see, *more)

    # Parameters

    def _plan(self) -> TrainingPlan:
        """The recipe that the parameters make, and how to train it; refused if they do not go together."""
        return TrainingPlan(self._recipe(), self._multi_class())

    def _multi_class(self) -> str:
        """How several classes are trained, with "auto" decided."""
        return resolve_multi_class(self.multi_class, self.loss)

    def _recipe(self) -> Recipe:
        """The recipe that the parameters make, refused if they do not go together."""
        self._multi_class()
        if self.keep == "vote" and self.returns_planes:
            raise ValueError(f"keep='vote' does not go with {type(self).__name__}: VotedPerceptron returns the vote.")
        check_bool("fit_intercept", self.fit_intercept)
        tol = 0 if self.tol is None else self.tol  # as in scikit-learn: end when nothing is left to do
        stops = Stops(self.criterion, tol, self.max_iter, self.n_iter_no_change, self.max_seconds)
        return Recipe(**dict(zip(RECIPE_PARTS, recipe_parts(self), strict=True)), stops=stops)

    def _seed(self) -> int:
        return draw_seed(checked_random_state(self.random_state))

    def _same_features(self, goes_on: str) -> Features:
        """The features. Refuse them if the weights were learned with others."""
        features = as_features(self.features)
        if "_learned" in self.__dict__ and features != self._features:
            raise ValueError(
                f"features was changed after the model had learned: {goes_on} cannot go on from its weights. "
                "Call fit to begin anew."
            )
        return features

    def _weights(self, data: Examples, classes: Labels, codes: Codes, whole: bool = True) -> Floats | None:
        """The weight of each row times that of its class."""
        factors = class_factors(self.class_weight, classes, codes, data.weights, whole)
        return data.weights if factors is None else factors[codes] * (1.0 if data.weights is None else data.weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = our_value("multi_class", self.multi_class) != "joint"
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = bool(self.encode)
        return tags
