"""Structural risk minimisation: the capacity is chosen by the VC bound, and also by cross-validation."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, inf
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from ..classifiers.pocket_perceptron import PocketPerceptron
from ..foundation.matrices import as_csr, is_sparse, refuse_numpy_matrix
from ..parts.part import Part, choose
from .cross_validation import CrossValidatedRisk, cross_validated_risk
from .empirical_risk import empirical_risk
from .nested_classes import NestedClass, classes_by_columns, classes_by_degree, is_seed, vc_dimension_of
from .vc import check_share, vc_bound, vc_confidence, vc_dimension

Choice = Literal["bound", "cross-validation"]
CHOICES = {
    "bound": Part(0, "the least training risk + confidence"),
    "cross-validation": Part(1, "the least risk of rows held out"),
}
DEGREES = (1, 2, 3)


def _has_decision_function(model: "StructuralRisk") -> bool:
    """Whether the chosen classifier has `decision_function`; before `fit`, whether the estimator has."""
    inner = model.__dict__.get("estimator_", model.estimator)
    return inner is None or hasattr(inner, "decision_function")


class StructuralRisk(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """Choose among nested classes of classifiers by structural risk minimisation (Vapnik).

    A larger class makes fewer mistakes in training and has a wider confidence term. Each of the nested classes
    q_1, .., q_K is fitted to all rows. Then these sums are compared::

        training risk + sqrt((h (ln(2N/h) + 1) - ln((eta/K)/4)) / N)      h the VC dimension of the class

    With probability at least 1 - eta they bound the true risks of all K classes at once. A bound of 1 or more is
    `vacuous`. With few rows all bounds are, and the least sum is only a rule of thumb. So the risk of held-out rows is
    computed too, by cross-validation. `record_` has both, for a plot over the capacity.

    There are three ways to give the classes, smallest first. They must be fixed before the rows are seen.

    Parameters
    ----------
    estimator : classifier or pipeline, optional
        The classifier that `degrees` and `columns` vary; by default a `PocketPerceptron`.
    degrees : list of int, optional
        Polynomials of these degrees: sets the estimator's `features`. (1, 2, 3) if nothing else is given.
    columns : list of lists, optional
        Growing sets of columns, by name or number. Each contains the one before.
    classes : list of (name, estimator), optional
        Any classifiers.
    vc_dims : list of int, optional
        Their VC dimensions; by default columns of `coef_`, plus one with an offset.
    eta : float between 0 and 1
        The bounds hold together with probability at least 1 - eta.
    choice : {"bound", "cross-validation"}
        Which of the two choices is used for prediction.
    cv : int, splitter or iterable
        As in scikit-learn; all classes see the same folds.
    random_state : int, RandomState or None
        For estimators whose own `random_state` is None.

    Attributes
    ----------
    record_ : dict
        Columns of equal length: `name`, and arrays `capacity` (VC dimension), `training_risk`, `confidence`, `bound`,
        `vacuous`, `held_out_risk`, `held_out_lower`, `held_out_upper`.
    by_bound_, by_cross_validation_ : int
        The index of the class that each way chooses. Ties go to the smaller class.
    best_index_ : int
        The index of the class that predicts.
    estimator_ : classifier
        The classifier of that class, fitted to all rows. `estimators_` has those of all classes.
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
        choice: Choice = "bound",
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
        """Fit every class to all rows, bound its true risk, and estimate it by cross-validation.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (rows, columns)
        y : array of shape (rows,)
            Labels of two classes. The VC dimension of a plane does not apply to more.
        """
        choose("choice", self.choice, CHOICES)
        check_share("eta", self.eta)
        X = self._check_matrix(X, anew=True)
        labels = self._check_labels(y, X.shape[0])
        nested = self._make_classes()
        splits = list(check_cv(self.cv, labels, classifier=True).split(np.zeros(len(labels)), labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # mistakes that are left are compared below
            fitted = [clone(each.estimator).fit(each.select_columns(X), labels) for each in nested]
            held_out = [
                cross_validated_risk(each.estimator, each.select_columns(X), labels, cv=splits) for each in nested
            ]
        risks = [
            empirical_risk(labels, model.predict(each.select_columns(X)))
            for each, model in zip(nested, fitted, strict=True)
        ]
        capacities = self._capacities(nested, fitted)
        self.classes_ = np.unique(labels)
        self.estimators_, self._nested_classes = fitted, nested
        self.record_ = self._record(len(labels), capacities, risks, held_out)
        self.by_bound_ = int(self.record_["bound"].argmin())
        self.by_cross_validation_ = int(self.record_["held_out_risk"].argmin())
        self.best_index_ = self.by_bound_ if self.choice == "bound" else self.by_cross_validation_
        self.estimator_ = fitted[self.best_index_]
        return self

    def _check_matrix(self, X: Any, anew: bool) -> Any:
        """X if it is a matrix. The estimators check its values. A data frame keeps its column names."""
        refuse_numpy_matrix(X)
        if is_sparse(X):
            X = as_csr(X)
        plain = {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False}
        checked = validate_data(self, X, reset=anew, **plain)
        return X if hasattr(X, "columns") else checked

    def _record(
        self, rows: int, capacities: list[int], risks: list[float], held_out: list[CrossValidatedRisk]
    ) -> dict[str, Any]:
        share = self.eta / len(capacities)
        confidences = [inf if h > rows else vc_confidence(rows, h, share) for h in capacities]
        bounds = np.array(
            [
                inf if h > rows else vc_bound(risk, rows, h, share).bound
                for h, risk in zip(capacities, risks, strict=True)
            ]
        )
        return {
            "name": [each.name for each in self._nested_classes],
            "capacity": np.array(capacities),
            "training_risk": np.array(risks),
            "confidence": np.array(confidences),
            "bound": bounds,
            "vacuous": bounds >= 1,
            "held_out_risk": np.array([risk.risk for risk in held_out]),
            "held_out_lower": np.array([risk.lower for risk in held_out]),
            "held_out_upper": np.array([risk.upper for risk in held_out]),
        }

    def _check_labels(self, y: Any, rows: int) -> npt.NDArray[Any]:
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
            f"the VC dimension of a plane does not apply to {len(found)} classes together."
        )

    def _make_classes(self) -> list[NestedClass]:
        """The nested classes, smallest first."""
        given = [name for name in ("degrees", "columns", "classes") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} does not go with {given[1]}: each names the classes; give one.")
        if self.classes is not None and self.estimator is not None:
            raise ValueError("estimator does not go with classes: each of these has its own.")
        if self.classes is not None:
            nested = [NestedClass(str(name), self._with_seed(estimator)) for name, estimator in self.classes]
        elif self.columns is not None:
            nested = classes_by_columns(self._base_estimator(), self.columns)
        else:
            nested = classes_by_degree(self._base_estimator(), DEGREES if self.degrees is None else self.degrees)
        if not nested:
            raise ValueError("There must be at least one class to choose.")
        return nested

    def _base_estimator(self) -> Any:
        plain = PocketPerceptron(max_iter=100, n_iter_no_change=10) if self.estimator is None else self.estimator
        return self._with_seed(plain)

    def _with_seed(self, estimator: Any) -> Any:
        """A clone whose open seeds are set to `random_state`."""
        estimator = clone(estimator)
        open_seeds = [name for name, value in estimator.get_params().items() if is_seed(name) and value is None]
        return estimator.set_params(**dict.fromkeys(open_seeds, self.random_state))

    def _capacities(self, nested: list[NestedClass], fitted: list[Any]) -> list[int]:
        """The VC dimensions of the classes. Refused if one is smaller than the one before."""
        if self.vc_dims is not None and len(self.vc_dims) != len(nested):
            raise ValueError(f"vc_dims must have one number for each class: {len(nested)}, not {len(self.vc_dims)}.")
        if self.vc_dims is not None:
            capacities = [vc_dimension(h, fit_intercept=False) for h in self.vc_dims]
        else:
            capacities = [vc_dimension_of(each.name, model) for each, model in zip(nested, fitted, strict=True)]
        if any(later < earlier for earlier, later in pairwise(capacities)):
            raise ValueError(f"The classes must be given smallest first; their VC dimensions are {capacities}.")
        return capacities

    # Prediction

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels by the chosen classifier."""
        selected = self._selected_columns(X)
        labels: npt.NDArray[Any] = self.estimator_.predict(selected)
        return labels

    @available_if(_has_decision_function)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """The scores by the chosen classifier."""
        selected = self._selected_columns(X)
        scores: npt.NDArray[Any] = self.estimator_.decision_function(selected)
        return scores

    def _selected_columns(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._nested_classes[self.best_index_].select_columns(self._check_matrix(X, anew=False))

    def explain(self) -> str:
        """The record as a table that marks both choices."""
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
            lines.append("-: 1 or more, which says nothing" + self._all_vacuous_note())
        return "\n".join(lines)

    def _all_vacuous_note(self) -> str:
        if not self.record_["vacuous"].all():
            return "."
        return "; all are, so the choice by the bound is a rule of thumb."

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
