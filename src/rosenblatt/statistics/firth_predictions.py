"""FLIC and FLAC: Firth's estimates with probabilities that add up to the number of successes (Puhr et al., 2017).

Jeffreys' penalty draws probabilities to 1/2, which matters where one class is rare.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import expit

from ..classifiers.logistic_regression import LogisticRegression
from ..foundation.errors import InputError
from ..foundation.matrices import is_sparse
from ..foundation.types import Floats
from ..solvers.newton.jeffreys_objective import JeffreysIterate
from .checked_model import checked_likelihood, formula_rows
from .likelihood import Likelihood


def flic(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Firth's logistic regression with intercept correction: the coefficients stay, the intercept is estimated anew.

    The intercept is the maximum-likelihood estimate for these coefficients, so that the probabilities of the rows add
    up to the number of successes. Use it to predict; for tests, `summary` has the model itself.

    Parameters
    ----------
    model : LogisticRegression with penalty="jeffreys", fitted, of two classes and with an intercept
        Or what `fit(table, formula=..., penalty="jeffreys")` returned.
    X, y : the rows that it was trained on, and their labels; for a formula the table, without y
    sample_weight : how many rows each one stands for, in whole numbers

    Returns
    -------
    LogisticRegression
        A copy with another `intercept_`; for a formula a pipeline that ends with it.

    >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], [0, 0, 0, 0, 0, 0, 0, 1]
    >>> model = LogisticRegression(penalty="jeffreys").fit(X, y)
    >>> [round(float(one.predict_proba(X)[:, 1].sum()), 3) for one in (model, flic(model, X, y))]
    [1.478, 1.0]
    """
    if y is None:
        return _corrected_formula(flic, model, X, sample_weight)
    found = _firth_likelihood(model, X, y, sample_weight, "flic")
    scores = found.objective.scores(np.append(found.best.z[:-1], 0.0))
    counts = np.ones(len(scores)) if found.weights is None else found.weights
    successes = float(counts @ found.codes)
    ends = -float(scores.max()) - 50.0, -float(scores.min()) + 50.0
    intercept = brentq(lambda b: float(counts @ expit(scores + b)) - successes, *ends, xtol=1e-14, rtol=1e-14)
    return _with_weights(model, model.coef_, np.array([intercept]))


def flac(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Firth's logistic regression with added covariate: coefficients and intercept are estimated anew.

    Firth's penalty acts like h_i / 2 more successes and failures of each row, where h_i is its leverage. FLAC adds
    these rows, and a column that tells them from the others. Without a penalty the probabilities of the rows then add
    up to the number of successes.

    Parameters
    ----------
    model : LogisticRegression with penalty="jeffreys", fitted, of two classes and with an intercept
        Or what `fit(table, formula=..., penalty="jeffreys")` returned.
    X, y : the rows that it was trained on, and their labels; for a formula the table, without y
    sample_weight : how many rows each one stands for, in whole numbers

    Returns
    -------
    LogisticRegression
        A copy with another `coef_` and `intercept_`; for a formula a pipeline that ends with it.

    >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], [0, 0, 0, 0, 0, 0, 0, 1]
    >>> model = LogisticRegression(penalty="jeffreys").fit(X, y)
    >>> round(float(flac(model, X, y).predict_proba(X)[:, 1].sum()), 3)
    1.0
    """
    if y is None:
        return _corrected_formula(flac, model, X, sample_weight)
    found = _firth_likelihood(model, X, y, sample_weight, "flac")
    best = found.best
    assert isinstance(best, JeffreysIterate)
    counts = np.ones(len(best.share)) if found.weights is None else found.weights
    half = 0.5 * counts * best.share
    rows = LogisticRegression(penalty=None, n_jobs=model.n_jobs, tol=1e-12).fit(
        _with_pseudo_rows(found.X),
        np.concatenate([found.codes, found.codes, 1 - found.codes]),
        sample_weight=np.concatenate([counts, half, half]),
    )
    return _with_weights(model, rows.coef_[:, :-1], rows.intercept_)


def _corrected_formula(correct: Callable[..., Any], model: Any, table: Any, sample_weight: Any) -> Any:
    """The pipeline of a formula with its classifier corrected."""
    classifier, X, y = formula_rows(model, table)
    return type(model)([*model.steps[:-1], (model.steps[-1][0], correct(classifier, X, y, sample_weight))])


def _firth_likelihood(model: Any, X: Any, y: Any, sample_weight: Any, name: str) -> Likelihood:
    given = isinstance(model, LogisticRegression)
    if given and model.penalty != "jeffreys":
        raise InputError(f"{name} corrects Firth's estimates: train a LogisticRegression with penalty='jeffreys'.")
    if given and not model.fit_intercept:
        raise InputError(f"{name} corrects the intercept: train with fit_intercept=True.")
    return checked_likelihood(model, X, y, sample_weight, name)[0]


def _with_pseudo_rows(X: Any) -> Any:
    """The rows three times, and a column that is 0 for the first of them and 1 for the others."""
    pseudo = np.repeat([0.0, 1.0, 1.0], X.shape[0])[:, None]
    if is_sparse(X):
        return sparse.hstack([sparse.vstack([X, X, X]), sparse.csr_matrix(pseudo)], format="csr")
    return np.hstack([np.vstack([X, X, X]), pseudo])


def _with_weights(model: Any, coef: Floats, intercept: Floats) -> LogisticRegression:
    """A copy of a model with other weights, which are the optimum of no objective of ours."""
    changed: LogisticRegression = copy(model)
    learned, classes = model._now()
    learned = replace(learned, coef=coef.copy(), intercept=intercept, objective=np.nan, gradient_norm=np.nan)
    changed._adopt(learned, classes, model.n_features_in_, model.__dict__.get("feature_names_in_"))
    return changed
