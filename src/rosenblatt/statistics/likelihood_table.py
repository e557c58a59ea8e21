"""What the summaries of two classes and of several share: the likelihood, its criteria, and how they are printed."""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

from .coefficient import Coefficient
from .coefficient_table import CoefficientTable
from .likelihood import Likelihood

SEPARATED = (
    "The classes are separated, proved in exact arithmetic. Infinite estimates are infinite, and a coefficient that\n"
    "is not determined fits as well with any value. penalty='jeffreys' (--firth) has finite estimates."
)
C = TypeVar("C", bound=Coefficient)


@dataclass(frozen=True)
class LikelihoodTable(CoefficientTable[C]):
    """The coefficients of a logistic regression, and the likelihood that they have together."""

    coefficients: list[C]
    level: float  # of the intervals
    penalty: str | None
    rows: float
    log_likelihood: float  # of the estimates, without a penalty; where some are infinite, its supremum
    null_log_likelihood: float  # of the same probabilities for all rows
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
            **self._classes(),
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

    def _classes(self) -> dict[str, Any]:
        """Which classes the coefficients are about."""
        raise NotImplementedError

    def _title(self) -> str:
        penalty = "with Jeffreys' penalty (Firth)" if self.penalty else "without a penalty"
        return f"Logistic regression {penalty}, {self.rows:,.0f} rows, {self._about()}"

    def _about(self) -> str:
        """The classes, for the title."""
        raise NotImplementedError

    def _headings(self) -> list[str]:
        return ["", "estimate", "std. error", "Wald p", "LR p", f"{100 * self.level:g} % interval", self._ratio()]

    def _ratio(self) -> str:
        """What the exponential of a coefficient is called."""
        return "odds ratio"

    def _notes(self) -> list[str]:
        notes = [
            f"Deviance {self.deviance:.6g} (intercept alone {self.null_deviance:.6g}), AIC {self.aic:.6g}, "
            f"BIC {self.bic:.6g}.",
            f"LR tests and intervals are those of the {'penalised ' * bool(self.penalty)}profile likelihood.",
        ]
        return [*notes, SEPARATED] if self.separated else notes


def facts_of(likelihood: Likelihood, level: float) -> dict[str, Any]:
    """The fields of such a table that belong to no single coefficient."""
    total = likelihood.total
    return {
        "level": level,
        "penalty": "jeffreys" if likelihood.jeffreys else None,
        "rows": int(total) if total.is_integer() else total,
        "log_likelihood": likelihood.log_likelihood,
        "null_log_likelihood": likelihood.null_log_likelihood,
        "separated": likelihood.limits.separated,
    }
