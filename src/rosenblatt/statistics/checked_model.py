"""The likelihood of a model and its rows, after checks that the questions of a statistician have an answer."""

import math
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..classifiers.logistic_regression import LogisticRegression
from ..classifiers.validation import Examples, examples
from ..foundation.collinear_columns import CollinearColumns
from ..foundation.errors import InputError
from ..foundation.label_sets import refuse_several_labels
from ..foundation.labels import codes_of
from ..foundation.sample_weights import checked_weights
from ..foundation.threads import thread_count
from ..foundation.types import Codes, Floats
from ..parts.features import IDENTITY
from ..parts.sklearn_names import our_values
from .joint_likelihood import JointLikelihood
from .likelihood import Likelihood

# Of the squared score, in units of its variance: a larger one says that the model was not trained on these rows. The
# tolerance of a fit allows a share of the objective.
MAX_SQUARED_SCORE, MAX_SHARE = 0.01, 1e-6
OTHER_ROWS = (
    "the model is not the optimum for these rows: give the rows, counts and labels that it was trained on, and train "
    "with solver='optimum'."
)
OF_PIPELINES = ": give its last step and the rows that it saw, pipeline[:-1].transform(X), or fit a formula"
FOR_TWO_CLASSES = ("flic", "flac")


def checked_likelihood(
    model: Any, X: Any, y: Any, sample_weight: Any, asked: str = "summary", base: Any = None
) -> tuple[Likelihood, list[str]]:
    """The likelihood, and the names of its columns. `asked` is the name of the function that needs it.

    Coefficients of several classes are relative to the class `base`, which is the first one if it is None.
    """
    if y is None:
        model, X, y = formula_rows(model, X)
    penalty = _penalty(model, asked)
    if model.encode:
        raise InputError(
            f"{asked} needs columns in their own units, and encode=True scales them: use fit(table, formula=...), or "
            "rosenblatt summary."
        )
    weights = None if sample_weight is None else whole_counts(sample_weight)
    data = examples(model, X, y, weights, anew=False)
    data.check_finite(model.n_jobs)
    found = _likelihood(model, data, penalty == "jeffreys", base)
    try:
        found.refuse_collinear()
    except CollinearColumns as error:
        raise error.named(None if data.names is None else data.names.tolist()) from None
    if found.limits.separated:
        _refuse_other_count(model, len(found.codes) if data.weights is None else int(np.count_nonzero(data.weights)))
    else:
        _refuse_other_rows(found)
    names = data.names if data.names is not None else model.get_feature_names_out()
    return found, [str(name) for name in names]


def _codes(labels: Any, classes: Any) -> Codes:
    """The numbers of the labels. The rows of a summary have exactly the classes of the model."""
    codes, names = codes_of(labels, classes), classes.tolist()
    if codes is None:
        raise ValueError(f"y has labels that the model does not know; its classes are {names}.")
    absent = np.flatnonzero(np.bincount(codes, minlength=len(names)) == 0)
    if len(absent):
        raise ValueError(
            f"y has no row of the model's class {names[absent[0]]!r}: give the rows, counts and labels that the model "
            "was trained on."
        )
    return codes


def _likelihood(model: Any, data: Examples, jeffreys: bool, base: Any) -> Likelihood:
    """The likelihood of rows that begins at the weights of the model."""
    given: dict[str, Any] = {
        "X": data.X,
        "codes": _codes(data.labels, model.classes_),
        "weights": data.weights,
        "fit_intercept": bool(model.fit_intercept),
        "jeffreys": jeffreys,
        "threads": thread_count(model.n_jobs),
    }
    coef, intercept, number = model.coef_, model.intercept_, number_of_base(model.classes_, base)
    if len(model.classes_) == 2:
        return Likelihood(**given, start=np.append(coef[0], intercept))
    start = np.append(coef - coef[number], intercept - intercept[number])
    return JointLikelihood(**given, start=start, classes=len(model.classes_), base=number)


def number_of_base(classes: Any, base: Any) -> int:
    """The number of the class that the coefficients of several classes are relative to: the first if it is None."""
    labels = classes.tolist()
    if base is None:
        return 0
    if len(labels) == 2:
        raise ValueError(
            f"base chooses a class of three or more; of two classes the coefficients are those of {labels[1]!r}: leave "
            "it out."
        )
    if base not in labels:
        raise ValueError(f"base must be a class of {', '.join(map(repr, labels))}; {base!r} is not among them.")
    return int(labels.index(base))


def formula_rows(model: Any, table: Any) -> tuple[Any, Any, Any]:
    """The classifier of a pipeline that `fit(table, formula=...)` made, its rows and its labels."""
    if type(model).__name__ != "Pipeline" or type(model[0]).__name__ != "FormulaEncoder":
        raise ValueError("y is missing: only a model of a formula finds the labels in its table.")
    encoder = model[0]
    return model[-1], encoder.transform(table), encoder.response(table)


def _penalty(model: Any, asked: str) -> str | None:
    """The penalty of a model that has a summary; others are refused."""
    if not isinstance(model, LogisticRegression):
        advice = OF_PIPELINES if type(model).__name__ == "Pipeline" else ""
        raise TypeError(f"{asked} is for a LogisticRegression, not for {type(model).__name__}{advice}.")
    penalty: str | None = our_values({"C": model.C, "penalty": model.penalty})["penalty"]
    if penalty not in (None, "jeffreys"):
        raise ValueError(
            f"after penalty={penalty!r} standard errors and p-values mean nothing, because it draws the coefficients "
            "to 0 by a strength that was chosen: train with penalty=None or 'jeffreys'."
        )
    check_is_fitted(model)
    if penalty == "jeffreys" and not hasattr(model, "gradient_norm_"):
        raise ValueError(
            f"this model was corrected by flic or flac, for predictions: give {asked} the model that was corrected."
        )
    refuse_several_labels(model, asked)
    _refuse_apart(model, asked)
    if model.class_weight is not None:
        raise ValueError("class_weight changes what is estimated, so that there are no p-values: train without it.")
    if model._features != IDENTITY:
        raise ValueError(f"{asked} needs features='identity': make the columns yourself, and train on them.")
    return penalty


def _refuse_apart(model: Any, asked: str) -> None:
    """Refuse several classes where they are not trained together, or where the question is for two."""
    classes = len(model.classes_)
    if classes > 2 and asked in FOR_TWO_CLASSES:
        raise ValueError(f"{asked} is for two classes, and the model has {classes}: train on two of them.")
    if classes > 2 and model._multi_class() != "joint":
        raise ValueError(
            f"{asked} needs classes that are trained together, and this model has a regression of each against the "
            "rest: train with multi_class='joint' and solver='optimum', or on two classes."
        )


def whole_counts(sample_weight: Any) -> Floats:
    """Weights that are whole numbers, as a summary needs them."""
    weights = checked_weights(sample_weight, np.size(sample_weight))
    strange = np.flatnonzero(weights != np.rint(weights))
    if len(strange):
        row = int(strange[0])
        raise ValueError(
            f"sample_weight must count rows, in whole numbers, for a summary; row {row} has {weights[row]:g}: "
            "leave the weights out, or count."
        )
    return weights


def _refuse_other_count(model: Any, rows: int) -> None:
    """Refuse another number of rows than the model was trained on: separated classes have no score to compare."""
    if model.status_.rows != rows:
        raise ValueError(OTHER_ROWS)


def _refuse_other_rows(likelihood: Likelihood) -> None:
    """Refuse rows that the model was not trained on: its score there is not nearly 0."""
    start = likelihood.start
    assert start is not None
    if not math.isfinite(float(np.abs(start).max())):
        raise InputError("the model has weights that are not finite.")
    gradient = likelihood.objective.unheld_gradient(start)
    size = float(gradient @ likelihood.covariance @ gradient)
    if not size <= MAX_SQUARED_SCORE + MAX_SHARE * likelihood.best.value:
        raise ValueError(OTHER_ROWS)
