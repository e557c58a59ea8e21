"""Structural risk minimisation: how much capacity to use, chosen by a bound, and beside it by cross-validation."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, inf
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from ..classifiers.pocket_perceptron import PocketPerceptron
from ..foundation.matrices import as_csr, is_sparse, refuse_numpy_matrix
from ..parts.parameter_checks import check_whole_number
from ..parts.part import Part, choose
from .cross_validation import cross_validated_risk
from .empirical_risk import empirical_risk
from .vc import vc_bound, vc_confidence, vc_dimension

CHOICES = {
    "bound": Part(0, "the least training risk + confidence"),
    "cross-validation": Part(1, "the least risk of rows held out"),
}
DEGREES = (1, 2, 3)


class Nested(NamedTuple):
    """One of the classes: its name, an estimator not yet fitted, and the columns it sees; None for all."""

    name: str
    estimator: Any
    columns: Any = None

    def seen(self, X: Any) -> Any:
        return X if self.columns is None else _safe_indexing(X, self.columns, axis=1)


def _last_decides(model: "StructuralRisk") -> bool:
    """Whether the chosen classifier has scores; before `fit`, whether the estimator has."""
    inner = model.__dict__.get("estimator_", model.estimator)
    return inner is None or hasattr(inner, "decision_function")


class StructuralRisk(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """Choose among nested classes of classifiers by structural risk minimisation (Vapnik).

    A larger class makes fewer mistakes in training and promises less. For every class q_1, .., q_K, each within the
    next, it is fitted to all rows, and compared are::

        training risk + sqrt((h (ln(2N/h) + 1) - ln((eta/K)/4)) / N)      h the VC dimension of the class

    which with probability at least 1 - eta bounds the true risk of all K at once. A bound of 1 or more says nothing:
    `vacuous`. On few rows all of them are, and the least sum is then no more than a rule of thumb; so beside it stands
    the risk of rows held out, by cross-validation. `record_` has both, ready to be plotted over the capacity.

    The classes are given in one of three ways, smallest first. They must be fixed before the rows are seen.

    Parameters
    ----------
    estimator : classifier or pipeline, optional
        What `degrees` and `columns` vary; by default a `PocketPerceptron`, which looks for the fewest mistakes.
    degrees : list of int, optional
        Polynomials of these degrees: sets the estimator's `features`. (1, 2, 3) if nothing else is given.
    columns : list of lists, optional
        Growing sets of columns, names or numbers, each with all of the one before.
    classes : list of (name, estimator), optional
        Any classifiers.
    vc_dims : list of int, optional
        Their VC dimensions; by default columns of `coef_`, plus one with an offset.
    eta : float between 0 and 1
        The bounds hold together with probability at least 1 - eta.
    choice : {"bound", "cross-validation"}
        Which of the two choices predicts.
    cv : int, splitter or iterable
        As in scikit-learn; all classes see the same folds.
    random_state : int, RandomState or None
        For an estimator that has one and was given none.

    Attributes
    ----------
    record_ : dict
        Equally long: `name`, and arrays `capacity` (VC dimension), `training_risk`, `confidence`, `bound`, `vacuous`,
        `held_out_risk`, `held_out_lower`, `held_out_upper`.
    by_bound_, by_cross_validation_ : int
        The number of the class that each way chooses; the smaller class where two are equal.
    best_index_ : int
        The number of the one that predicts.
    estimator_ : classifier
        It, fitted to all rows; `estimators_` has all of them.
    classes_ : array
        The two labels.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import StructuralRisk
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0                                             # XOR of signs: degree 2
    >>> model = StructuralRisk(random_state=0).fit(X, y)
    >>> print(model.explain())
    degree  VC dimension  training risk  confidence  bound  held out
    1                  3          0.332       0.123  0.455     0.371
    2                  6          0.003       0.159  0.162     0.011  <- by the bound, by cross-validation
    3                 10          0.004       0.194  0.199     0.011

    References
    ----------
    V. Vapnik, "The Nature of Statistical Learning Theory" (1995).
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        degrees: Sequence[int] | None = None,
        columns: Sequence[Any] | None = None,
        classes: Sequence[tuple[str, Any]] | None = None,
        vc_dims: Sequence[int] | None = None,
        eta: float = 0.05,
        choice: str = "bound",
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.degrees = degrees
        self.columns = columns
        self.classes = classes
        self.vc_dims = vc_dims
        self.eta = eta
        self.choice = choice
        self.cv = cv
        self.random_state = random_state

    estimator_: Any
    record_: dict[str, Any]

    # Training

    def fit(self, X: Any, y: Any) -> Self:
        """Fit every class to all rows, bound its true risk, and hold rows out to see.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (rows, columns)
        y : array of shape (rows,)
            Two classes: the VC dimension of more is not that of one plane.
        """
        choose("choice", self.choice, CHOICES)
        vc_bound(0.0, 1, 1, self.eta)  # refuses an eta that is no probability
        X = self._matrix(X, anew=True)
        labels = self._checked(y, X.shape[0])
        nested = self._nested()
        splits = list(check_cv(self.cv, labels, classifier=True).split(np.zeros(len(labels)), labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # mistakes left are what is compared here
            fitted = [clone(each.estimator).fit(each.seen(X), labels) for each in nested]
            held_out = [cross_validated_risk(each.estimator, each.seen(X), labels, cv=splits) for each in nested]
        risks = [
            empirical_risk(labels, model.predict(each.seen(X))) for each, model in zip(nested, fitted, strict=True)
        ]
        capacities = self._capacities(nested, fitted)
        share = self.eta / len(nested)
        confidences = [inf if h > len(labels) else vc_confidence(len(labels), h, share) for h in capacities]
        self._adopt(labels, nested, fitted)
        bounds = np.array(
            [
                inf if h > len(labels) else vc_bound(risk, len(labels), h, share).bound
                for h, risk in zip(capacities, risks, strict=True)
            ]
        )
        self.record_ = {
            "name": [each.name for each in nested],
            "capacity": np.array(capacities),
            "training_risk": np.array(risks),
            "confidence": np.array(confidences),
            "bound": bounds,
            "vacuous": bounds >= 1,
            "held_out_risk": np.array([risk.risk for risk in held_out]),
            "held_out_lower": np.array([risk.lower for risk in held_out]),
            "held_out_upper": np.array([risk.upper for risk in held_out]),
        }
        self.by_bound_ = int(bounds.argmin())
        self.by_cross_validation_ = int(self.record_["held_out_risk"].argmin())
        self.best_index_ = self.by_bound_ if self.choice == "bound" else self.by_cross_validation_
        self.estimator_ = fitted[self.best_index_]
        return self

    def _matrix(self, X: Any, anew: bool) -> Any:
        """X, if it is a matrix; what is in it the estimators judge. A data frame stays one, for the columns' names."""
        refuse_numpy_matrix(X)
        if is_sparse(X):
            X = as_csr(X)
        plain = {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False}
        checked = validate_data(self, X, reset=anew, **plain)
        return X if hasattr(X, "columns") else checked

    def _adopt(self, labels: npt.NDArray[Any], nested: list[Nested], fitted: list[Any]) -> None:
        self.classes_ = np.unique(labels)
        self.estimators_, self._nested_classes = fitted, nested

    def _checked(self, y: Any, rows: int) -> npt.NDArray[Any]:
        if y is None:
            raise ValueError("StructuralRisk requires y to be passed, but the target y is None.")
        labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        if len(labels) != rows:
            raise ValueError(f"X and y have inconsistent lengths: {rows} rows in X, {len(labels)} labels in y.")
        found = np.unique(labels)
        if len(found) == 2:
            return labels
        if len(found) < 2:
            raise ValueError(f"y has only one class, {found.tolist()[0]!r}; StructuralRisk needs two classes.")
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"the VC dimension of a plane says nothing of {len(found)} classes together."
        )

    def _nested(self) -> list[Nested]:
        """The classes, smallest first."""
        given = [name for name in ("degrees", "columns", "classes") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} does not go with {given[1]}: each names the classes; give one.")
        if self.classes is not None and self.estimator is not None:
            raise ValueError("estimator does not go with classes: each of these has its own.")
        if self.classes is not None:
            nested = [Nested(str(name), self._seeded(estimator)) for name, estimator in self.classes]
        elif self.columns is not None:
            nested = _by_columns(self._base(), self.columns)
        else:
            nested = _by_degrees(self._base(), DEGREES if self.degrees is None else self.degrees)
        if not nested:
            raise ValueError("There must be at least one class to choose.")
        return nested

    def _base(self) -> Any:
        plain = PocketPerceptron(max_iter=100, n_iter_no_change=10) if self.estimator is None else self.estimator
        return self._seeded(plain)

    def _seeded(self, estimator: Any) -> Any:
        estimator = clone(estimator)
        open_seeds = [name for name, value in estimator.get_params().items() if _is_seed(name) and value is None]
        return estimator.set_params(**dict.fromkeys(open_seeds, self.random_state))

    def _capacities(self, nested: list[Nested], fitted: list[Any]) -> list[int]:
        """VC dimensions, which must not fall."""
        if self.vc_dims is not None and len(self.vc_dims) != len(nested):
            raise ValueError(f"vc_dims must have one number for each class: {len(nested)}, not {len(self.vc_dims)}.")
        if self.vc_dims is not None:
            capacities = [vc_dimension(h, fit_intercept=False) for h in self.vc_dims]
        else:
            capacities = [_capacity(each.name, model) for each, model in zip(nested, fitted, strict=True)]
        if any(later < earlier for earlier, later in pairwise(capacities)):
            raise ValueError(f"The classes must be given smallest first; their VC dimensions are {capacities}.")
        return capacities

    # Prediction

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels that the chosen classifier gives."""
        seen = self._seen(X)
        labels: npt.NDArray[Any] = self.estimator_.predict(seen)
        return labels

    @available_if(_last_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """The scores that the chosen classifier gives."""
        seen = self._seen(X)
        scores: npt.NDArray[Any] = self.estimator_.decision_function(seen)
        return scores

    def _seen(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._nested_classes[self.best_index_].seen(self._matrix(X, anew=False))

    def explain(self) -> str:
        """The record as a table, with what either way chose."""
        check_is_fitted(self)
        record = self.record_
        title = "degree" if self.columns is None and self.classes is None else "class"
        wide = max(len(title), *map(len, record["name"]))
        lines = [f"{title:{wide}}  VC dimension  training risk  confidence  bound  held out"]
        for k, name in enumerate(record["name"]):
            bound = "    -" if record["vacuous"][k] else f"{ceil(1000 * record['bound'][k]) / 1000:5.3f}"
            chose = [
                *(["by the bound"] if k == self.by_bound_ else []),
                *(["by cross-validation"] if k == self.by_cross_validation_ else []),
            ]
            line = (
                f"{name:{wide}}  {record['capacity'][k]:>12,}  {record['training_risk'][k]:13.3f}  "
                f"{record['confidence'][k]:10.3f}  {bound}  {record['held_out_risk'][k]:8.3f}"
            )
            lines.append(line + (f"  <- {', '.join(chose)}" if chose else ""))
        if record["vacuous"].any():
            lines.append("-: 1 or more, which says nothing" + self._more_rows())
        return "\n".join(lines)

    def _more_rows(self) -> str:
        if not self.record_["vacuous"].all():
            return "."
        return "; all are, so the choice by the bound is a rule of thumb."

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _by_degrees(base: Any, degrees: Sequence[int]) -> list[Nested]:
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
        found.append(Nested(str(degree), clone(base).set_params(**{target: features})))
    return found


def _by_columns(base: Any, columns: Sequence[Any]) -> list[Nested]:
    found: list[Nested] = []
    for chosen in (list(each) for each in columns):
        if not chosen:
            raise ValueError("columns has an empty set: each must have one column at least.")
        before = found[-1].columns if found else []
        lost = [column for column in before if column not in chosen]
        if lost:
            raise ValueError(f"columns must grow: {lost[0]!r} is in one set, but not in the next.")
        new = [column for column in chosen if column not in before]
        shown = ", ".join(map(str, new)) or "nothing"
        found.append(Nested(f"+ {shown}" if before else shown, clone(base), chosen))
    return found


def _capacity(name: str, model: Any) -> int:
    """Columns of `coef_`, plus one with an offset."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    coef = getattr(last, "coef_", None)
    if coef is None:
        raise ValueError(f"the VC dimension of class {name!r} is not known, for it has no coef_: give vc_dims.")
    return vc_dimension(int(np.shape(coef)[-1]), bool(getattr(last, "fit_intercept", True)))
