"""The summary of several classes trained together: a block of coefficients for each class but one, the base."""

from dataclasses import dataclass
from typing import Any

from .coefficient import Coefficient, coefficients
from .joint_likelihood import JointLikelihood
from .likelihood import INTERCEPT
from .likelihood_ratio import LikelihoodRatio, ratio_without
from .likelihood_table import LikelihoodTable, facts_of
from .summary_text import Table, cells, p_value


@dataclass(frozen=True)
class JointCoefficient(Coefficient):
    """The coefficient of a column for one class, relative to the base."""

    label: Any  # the class

    @property
    def relative_risk_ratio(self) -> float:
        """By which factor P(class) / P(base) changes where the column grows by 1."""
        return self.odds_ratio

    def as_dict(self) -> dict[str, Any]:
        known = super().as_dict().items()
        return {"class": self.label, **{name.replace("odds_ratio", "relative_risk_ratio"): one for name, one in known}}


@dataclass(frozen=True)
class JointSummary(LikelihoodTable[JointCoefficient]):
    """What `summary` returns for several classes. `found["b", "x1"]` is the coefficient of x1 for the class "b".

    `tests["x1"]` is the likelihood-ratio test that the coefficients of x1 are 0 for all classes.
    """

    classes: list[Any]
    base: Any
    tests: dict[str, LikelihoodRatio]

    def as_dict(self) -> dict[str, Any]:
        tests = [
            {
                "name": name,
                "likelihood_ratio": test.statistic,
                "degrees_of_freedom": test.degrees_of_freedom,
                "p_likelihood_ratio": test.p_value,
            }
            for name, test in self.tests.items()
        ]
        return {**super().as_dict(), "tests": tests}

    def _classes(self) -> dict[str, Any]:
        return {"classes": self.classes, "base": self.base}

    def _key(self, one: JointCoefficient) -> Any:
        return one.label, one.name

    def _index(self) -> list[str]:
        return ["class", "name"]

    def _about(self) -> str:
        return f"{len(self.classes)} classes relative to {self.base}"

    def _ratio(self) -> str:
        return "rel. risk ratio"

    def _lines(self) -> list[list[str]]:
        lines: list[list[str]] = []
        for label in self.classes:
            if label != self.base:
                block = [one for one in self.coefficients if one.label == label]
                lines += [[str(label)], *(["  " + one.name, *cells(one)] for one in block)]
        return lines

    def _tables(self) -> list[Table]:
        lines = [
            [name, f"{test.statistic:.4g}", str(test.degrees_of_freedom), p_value(test.p_value)]
            for name, test in self.tests.items()
        ]
        return [*super()._tables(), Table(["in all classes", "LR chi-squared", "d.f.", "LR p"], lines)]


def describe_joint(found: JointLikelihood, names: list[str], level: float, classes: list[Any]) -> JointSummary:
    """The summary of a likelihood, whose columns have these names."""
    named = dict(enumerate([*names, INTERCEPT]))
    shown = [found.columns] * found.fit_intercept + list(range(found.columns))
    lines = coefficients(found, {place: named[found.column_of(place)] for place in found.places}, level)
    labels = [label for number, label in enumerate(classes) if number != found.base for _ in shown]
    return JointSummary(
        coefficients=[JointCoefficient(**vars(one), label=label) for one, label in zip(lines, labels, strict=True)],
        classes=classes,
        base=classes[found.base],
        tests={named[column]: ratio_without(found, [column]) for column in shown},
        **facts_of(found, level),
    )
