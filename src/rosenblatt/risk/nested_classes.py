"""Nested classes of classifiers: polynomials of growing degree, growing sets of columns, or any given ones."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from ..parts.parameter_checks import check_whole_number
from .vc import vc_dimension


class NestedClass(NamedTuple):
    """One class of classifiers: its name, an unfitted estimator, and its columns; None for all."""

    name: str
    estimator: Any
    columns: Any = None

    def select_columns(self, X: Any) -> Any:
        """The columns of X that the class uses."""
        return X if self.columns is None else _safe_indexing(X, self.columns, axis=1)


def is_seed(name: str) -> bool:
    """Whether a parameter is a seed of the estimator or of a part of it."""
    return name == "random_state" or name.endswith("__random_state")


def classes_by_degree(base: Any, degrees: Sequence[int]) -> list[NestedClass]:
    """The classifier with polynomial features of each degree."""
    target = f"{base.steps[-1][0]}__features" if isinstance(base, Pipeline) else "features"
    if target not in base.get_params():
        raise ValueError(f"degrees needs a classifier of rosenblatt, which has features; {base!r} has none.")
    found = []
    for degree in degrees:
        check_whole_number("degrees", degree)
    if any(later <= earlier for earlier, later in pairwise(degrees)):
        raise ValueError(f"degrees must grow, not {list(degrees)!r}.")
    for degree in degrees:
        features = "identity" if degree == 1 else f"polynomial-{degree}"
        found.append(NestedClass(str(degree), clone(base).set_params(**{target: features})))
    return found


def classes_by_columns(base: Any, columns: Sequence[Any]) -> list[NestedClass]:
    """The classifier on each of the growing sets of columns."""
    found: list[NestedClass] = []
    for chosen in (list(each) for each in columns):
        if not chosen:
            raise ValueError("columns has an empty set: each must have one column at least.")
        before = found[-1].columns if found else []
        lost = [column for column in before if column not in chosen]
        if lost:
            raise ValueError(f"columns must grow: {lost[0]!r} is in one set, but not in the next.")
        new = [column for column in chosen if column not in before]
        shown = ", ".join(map(str, new)) or "nothing"
        found.append(NestedClass(f"+ {shown}" if before else shown, clone(base), chosen))
    return found


def vc_dimension_of(name: str, model: Any) -> int:
    """The VC dimension of a linear model: columns of `coef_`, plus one with an offset."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    coef = getattr(last, "coef_", None)
    if coef is None:
        raise ValueError(f"the VC dimension of class {name!r} is not known, because it has no coef_: give vc_dims.")
    return vc_dimension(int(np.shape(coef)[-1]), bool(getattr(last, "fit_intercept", True)))
