"""`fit(table, formula=...)`: a classifier of the columns of a formula, trained on all rows."""

from typing import Any

from ..foundation.errors import InputError
from ..parts.catalogue import ALGORITHMS
from ..parts.choices import AlgorithmName
from ..tables.formula.formula_encoder import FormulaEncoder
from .request import AUTO, Request

LOGISTIC = "logistic"


def fit_formula(source: Any, formula: str, algorithm: AlgorithmName, others: Any, parameters: dict[str, Any]) -> Any:
    """A pipeline of a `FormulaEncoder` and a classifier. `others` are options of `fit` that a formula does not need."""
    from sklearn.pipeline import Pipeline

    from .. import classifiers

    for name, given in others.items():
        if given is not None:
            raise InputError(f"{name} does not go with formula, which says what to learn from what: leave it out.")
    name = LOGISTIC if algorithm == AUTO else algorithm
    Request(target=None, algorithm=name, parameters={})  # refuses an unknown name
    encoder = FormulaEncoder(formula)
    X = encoder.fit_transform(source)
    chosen = {"penalty": None} if name == LOGISTIC and not {"penalty", "C", "alpha"} & {*parameters} else {}
    kind = getattr(classifiers, ALGORITHMS[name].class_name)
    classifier = kind(**{"fit_intercept": encoder.intercept, **chosen, **parameters})
    classifier.fit(X, encoder.response(source))
    return Pipeline([("formula", encoder), ("classifier", classifier)])
