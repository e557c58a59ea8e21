"""Standard errors, tests and intervals of a fitted logistic regression, as text, HTML, JSON or a data frame."""

from dataclasses import dataclass
from typing import Any

from ..parts.parameter_checks import check_level
from .checked_model import checked_likelihood
from .coefficient import Coefficient, coefficients
from .joint_likelihood import JointLikelihood
from .joint_summary import JointSummary, describe_joint
from .likelihood import INTERCEPT, Likelihood
from .likelihood_table import LikelihoodTable, facts_of
from .summary_text import cells


@dataclass(frozen=True)
class Summary(LikelihoodTable[Coefficient]):
    """What `summary` returns for two classes. `coefficients` are in the order of the columns, after the intercept."""

    positive_class: Any

    def _classes(self) -> dict[str, Any]:
        return {"positive_class": self.positive_class}

    def _about(self) -> str:
        return f"coefficients of {self.positive_class}"

    def _lines(self) -> list[list[str]]:
        return [[one.name, *cells(one)] for one in self.coefficients]


def summary(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, level: float = 0.95, base: Any = None
) -> Summary | JointSummary:
    """Standard errors, tests and profile-likelihood intervals of a fitted `LogisticRegression`.

    The model has `penalty=None` or `penalty="jeffreys"`, and X, y and sample_weight are what it was trained on. With
    Jeffreys' penalty the tests and intervals are those of the penalised likelihood, and the standard errors those of
    the Fisher information. Without a penalty an estimate may be infinite: exact arithmetic decides, and the interval
    then has one finite end. An estimate of NaN means that the rows say nothing about the coefficient.

    Several classes that are trained together have a coefficient of each column for each class but one, the base:
    `found["b", "x1"]` is by how much x1 changes log(P(b) / P(base)), its exponential the relative-risk ratio, and
    `found.tests["x1"]` the likelihood-ratio test that x1 has no coefficient in any class.

    Parameters
    ----------
    model : LogisticRegression, fitted, or what `fit(table, formula=...)` returned
    X, y : the rows that it was trained on, and their labels; for a formula the table, without y
    sample_weight : how many rows each one stands for, in whole numbers
    level : of the intervals, above 0 and below 1
    base : the class that the coefficients of several classes are relative to; the first of `classes_` if not given

    Returns
    -------
    Summary or JointSummary
        Its text is a table, and a notebook shows it; `to_frame()` is a data frame, `to_json()` JSON.

    >>> from rosenblatt import LogisticRegression
    >>> dose, ill = [[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1]
    >>> found = summary(LogisticRegression(penalty="jeffreys").fit(dose, ill), dose, ill)
    >>> print(found)
    Logistic regression with Jeffreys' penalty (Firth), 6 rows, coefficients of 1
    <BLANKLINE>
               estimate  std. error  Wald p   LR p   95 % interval  odds ratio
    intercept     -2.86        2.48   0.248  0.127  -12.2 .. 0.702      0.0572
    x1            0.862       0.719   0.231  0.089   -0.11 .. 4.24        2.37
    <BLANKLINE>
    Deviance 4.23229 (intercept alone 8.31777), AIC 8.23229, BIC 7.81581.
    LR tests and intervals are those of the penalised profile likelihood.
    >>> found["x1"].lower < 0 < found["x1"].upper
    True

    Three classes. Relative to the base, the coefficient of column j and class k is w_kj - w_base,j:

    >>> x, y = [[1], [2], [3], [4], [5], [6], [7]], list("aaababc")
    >>> model = LogisticRegression(penalty="jeffreys").fit(x, y)
    >>> print(summary(model, x, y))
    Logistic regression with Jeffreys' penalty (Firth), 7 rows, 3 classes relative to a
    <BLANKLINE>
                 estimate  std. error  Wald p   LR p   95 % interval  rel. risk ratio
    b
      intercept     -2.39        2.31   0.300  0.167  -9.08 .. 0.885           0.0915
      x1            0.493       0.532   0.354  0.235     -0.298 .. 2             1.64
    c
      intercept     -5.21        4.33   0.228  0.053   -43 .. 0.0412          0.00545
      x1            0.937       0.813   0.249  0.110  -0.162 .. 6.82             2.55
    <BLANKLINE>
    in all classes  LR chi-squared  d.f.   LR p
    intercept                4.256     2  0.119
    x1                       3.009     2  0.222
    <BLANKLINE>
    Deviance 8.83711 (intercept alone 13.3798), AIC 16.8371, BIC 16.6208.
    LR tests and intervals are those of the penalised profile likelihood.
    >>> of_c = summary(model, x, y, base="c")
    >>> round(of_c["a", "x1"].estimate + summary(model, x, y)["c", "x1"].estimate, 6)
    0.0
    """
    check_level("level", level)
    found, names = checked_likelihood(model, X, y, sample_weight, base=base)
    return describe_likelihood(found, names, level, model.classes_.tolist())


def describe_likelihood(
    found: Likelihood, names: list[str], level: float, classes: list[Any]
) -> Summary | JointSummary:
    """The summary of a likelihood, whose columns have these names."""
    if isinstance(found, JointLikelihood):
        return describe_joint(found, names, level, classes)
    named = {found.columns: INTERCEPT, **dict(enumerate(names))}
    lines = coefficients(found, named, level)
    return Summary(coefficients=lines, positive_class=classes[1], **facts_of(found, level))
