"""Standard errors, tests and intervals of a fitted logistic regression, as text, HTML, JSON or a data frame."""

import math
from dataclasses import dataclass
from typing import Any

from .checked_model import checked_likelihood
from .coefficient import Coefficient, coefficients
from .coefficient_table import CoefficientTable
from .likelihood import Likelihood
from .summary_text import cells

INTERCEPT = "intercept"
SEPARATED = (
    "The classes are separated, proved in exact arithmetic. Infinite estimates are infinite, and a coefficient that\n"
    "is not determined fits as well with any value. penalty='jeffreys' (--firth) has finite estimates."
)


@dataclass(frozen=True)
class Summary(CoefficientTable[Coefficient]):
    """What `summary` returns. `coefficients` are in the order of the columns, after the intercept."""

    coefficients: list[Coefficient]
    level: float  # of the intervals
    penalty: str | None
    positive_class: Any
    rows: float
    log_likelihood: float  # of the estimates, without a penalty; where some are infinite, its supremum
    null_log_likelihood: float  # of the same probability for all rows
    separated: bool

    @property
    def deviance(self) -> float:
        return -2 * self.log_likelihood

    @property
    def null_deviance(self) -> float:
        return -2 * self.null_log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion: the deviance plus 2 for each coefficient."""
        return self.deviance + 2 * len(self.coefficients)

    @property
    def bic(self) -> float:
        """Schwarz's criterion: the deviance plus log(rows) for each coefficient."""
        return self.deviance + math.log(self.rows) * len(self.coefficients)

    def _facts(self) -> dict[str, Any]:
        return {
            "penalty": self.penalty,
            "positive_class": self.positive_class,
            "level": self.level,
            "rows": self.rows,
            "separated": self.separated,
            "log_likelihood": self.log_likelihood,
            "null_log_likelihood": self.null_log_likelihood,
            "deviance": self.deviance,
            "null_deviance": self.null_deviance,
            "aic": self.aic,
            "bic": self.bic,
        }

    def _title(self) -> str:
        penalty = "with Jeffreys' penalty (Firth)" if self.penalty else "without a penalty"
        return f"Logistic regression {penalty}, {self.rows:,.0f} rows, coefficients of {self.positive_class}"

    def _headings(self) -> list[str]:
        return ["", "estimate", "std. error", "Wald p", "LR p", f"{100 * self.level:g} % interval", "odds ratio"]

    def _lines(self) -> list[list[str]]:
        return [[one.name, *cells(one)] for one in self.coefficients]

    def _notes(self) -> list[str]:
        notes = [
            f"Deviance {self.deviance:.6g} (intercept alone {self.null_deviance:.6g}), AIC {self.aic:.6g}, "
            f"BIC {self.bic:.6g}.",
            f"LR tests and intervals are those of the {'penalised ' * bool(self.penalty)}profile likelihood.",
        ]
        return [*notes, SEPARATED] if self.separated else notes


def summary(model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, level: float = 0.95) -> Summary:
    """Standard errors, tests and profile-likelihood intervals of a fitted `LogisticRegression` of two classes.

    The model has `penalty=None` or `penalty="jeffreys"`, and X, y and sample_weight are what it was trained on. With
    Jeffreys' penalty the tests and intervals are those of the penalised likelihood, and the standard errors those of
    the Fisher information. Without a penalty an estimate may be infinite: exact arithmetic decides, and the interval
    then has one finite end. An estimate of NaN means that the rows say nothing about the coefficient.

    Parameters
    ----------
    model : LogisticRegression, fitted, or what `fit(table, formula=...)` returned
    X, y : the rows that it was trained on, and their labels; for a formula the table, without y
    sample_weight : how many rows each one stands for, in whole numbers
    level : of the intervals, above 0 and below 1

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
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be above 0 and below 1, not {level!r}.")
    found, names = checked_likelihood(model, X, y, sample_weight)
    return describe_likelihood(found, names, level, model.classes_.tolist()[1])


def describe_likelihood(found: Likelihood, names: list[str], level: float, positive_class: Any) -> Summary:
    """The summary of a likelihood, whose columns have these names."""
    named = {found.columns: INTERCEPT, **dict(enumerate(names))}
    return Summary(
        coefficients=coefficients(found, named, level),
        level=level,
        penalty="jeffreys" if found.jeffreys else None,
        positive_class=positive_class,
        rows=found.total,
        log_likelihood=found.log_likelihood,
        null_log_likelihood=_null_log_likelihood(found),
        separated=found.limits.separated,
    )


def _null_log_likelihood(likelihood: Likelihood) -> float:
    """The log likelihood of an intercept alone; without an intercept, of probabilities 1/2."""
    total = likelihood.total
    if not likelihood.fit_intercept:
        return -total * math.log(2)
    ones = float(likelihood.codes.sum() if likelihood.weights is None else likelihood.codes @ likelihood.weights)
    return sum(count * math.log(count / total) for count in (ones, total - ones) if count)
