"""Classifiers on Dask arrays and data frames: `fit` trains where the rows are, and predictions are lazy."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..distributed.cluster import Cluster
from ..distributed.collection_executor import collection_executor
from ..distributed.dask_rows import DaskRows, column_count, is_dask, lazily
from ..distributed.train_blocks import train_blocks
from ..foundation.label_sets import LISTS
from ..foundation.labels import class_factors
from ..parts.features import as_features
from ..solvers.training_plan import TrainingPlan
from .messages import Watcher, say
from .warm_start import start_of

Method = TypeVar("Method", bound=Callable[..., Any])


def trains_on_dask(fit: Method) -> Method:
    """A `fit` that also takes Dask collections."""

    @wraps(fit)
    def chosen(self: Any, X: Any, y: Any, sample_weight: Any = None, trace: bool = False) -> Any:
        return (fit_on_dask if is_dask(X) else fit)(self, X, y, sample_weight, trace)

    return cast(Method, chosen)


def lazy_on_dask(method: Method) -> Method:
    """A method of prediction that answers a Dask collection with a lazy array."""

    @wraps(method)
    def chosen(self: Any, X: Any) -> Any:
        if not is_dask(X):
            return method(self, X)
        check_is_fitted(self)
        column_count(X)
        name, planes = method.__name__, self._learned.returned[1].shape[0]
        dtype = self.classes_.dtype if name == "predict" else np.dtype(np.float64)
        columns = {"predict": None, "decision_function": planes if planes > 1 else None}.get(name, len(self.classes_))
        if self.multilabel_:
            dtype, columns = _type_of_answers(self, name), len(self.classes_)
        return lazily(partial(_predict_chunk, self, name, dtype, columns), X, dtype, columns)

    return cast(Method, chosen)


def _type_of_answers(model: Any, name: str) -> Any:
    """The type of the answers of a model of several labels a row."""
    if name != "predict":
        return np.dtype(np.float64)
    if model._learned.label_form == LISTS:
        raise ValueError("predict makes lists of labels, which no Dask array holds: fit with a matrix of 0 and 1.")
    return np.dtype(np.int64)


def _predict_chunk(model: Any, name: str, dtype: Any, columns: int | None, chunk: Any) -> Any:
    """The predictions for one chunk, which may have no rows."""
    if not chunk.shape[0]:
        return np.empty((0,) if columns is None else (0, columns), dtype)
    return getattr(model, name)(chunk)


def fit_on_dask(model: Any, X: Any, y: Any, sample_weight: Any = None, trace: bool = False) -> Any:
    """Train a classifier on the rows of Dask collections, and let it adopt what was learned."""
    plan = model._plan()
    _check(model, plan, sample_weight, trace)
    columns = column_count(X)
    with collection_executor(model.n_jobs) as executor:
        rows = DaskRows.of(executor, X, y, sample_weight)
        if len(rows.classes) < 2:
            raise ValueError(f"y has only one class; {type(model).__name__} needs two classes or more.")
        learned = train_blocks(
            plan,
            Cluster(executor, list(rows.blocks(executor))),
            len(rows.classes),
            class_factors=_factors(model, rows),
            seed=model._seed() if plan.is_random else 0,
            trace=trace,
            start=start_of(model, columns, rows.classes),
            watch=model._reported(Watcher(type(model).__name__, plan.recipe, model.verbose)),
        )
    model._adopt(learned, rows.classes, columns, _names(X), as_features(model.features))
    if model.verbose:
        say(type(model).__name__, learned.status)
    if learned.interrupted:
        raise KeyboardInterrupt
    model._warn(learned, plan.recipe, sample_weight is not None or model.class_weight is not None)
    return model


def _check(model: Any, plan: TrainingPlan, sample_weight: Any, trace: bool) -> None:
    """Refuse what does not go with Dask collections."""
    if not model.learns_weights:
        raise ValueError(
            f"{type(model).__name__} does not go with Dask collections, because a kernel compares all rows with all: "
            "choose Perceptron, or features such as 'fourier-100' or 'polynomial-2'."
        )
    if trace and (plan.solver == "optimum" or sample_weight is not None):
        raise ValueError(
            "trace=True does not go with Dask collections to the optimum or with sample_weight: trace a training on "
            "one machine."
        )
    if model.calibration is not None:
        raise ValueError("calibration does not go with Dask collections: calibrate on rows in memory.")
    if model.encode:
        raise ValueError("encode=True does not go with Dask collections: encode the rows first.")
    if getattr(model, "C", None) == "auto":
        raise ValueError("C='auto' does not go with Dask collections: choose it on rows in memory.")
    if getattr(model, "early_stopping", False):
        raise ValueError("early_stopping does not go with Dask collections: limit max_iter, or train on one machine.")


def _factors(model: Any, rows: DaskRows) -> Any:
    """What `class_weight` multiplies the rows of each class by, from the weight of each class."""
    every = np.arange(len(rows.classes), dtype=np.int32)
    return class_factors(model.class_weight, rows.classes, every, rows.class_weights)


def _names(X: Any) -> Any:
    """The names of a data frame's columns if all of them are text, as in scikit-learn."""
    names = list(getattr(X, "columns", ()))
    return np.array(names, dtype=object) if names and all(isinstance(name, str) for name in names) else None
