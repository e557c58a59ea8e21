"""Likelihood-ratio tests between nested logistic regressions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.notebook_html import ShownInNotebooks, share_picture
from .checked_model import checked_likelihood
from .likelihood import INTERCEPT, Likelihood


@dataclass(frozen=True)
class LikelihoodRatio(ShownInNotebooks):
    """A likelihood-ratio test: its statistic, chi-squared with so many degrees of freedom."""

    statistic: float
    degrees_of_freedom: int

    @property
    def p_value(self) -> float:
        from scipy.special import gammaincc

        return float(gammaincc(self.degrees_of_freedom / 2, self.statistic / 2))

    def __str__(self) -> str:
        freedom = f"{self.degrees_of_freedom} degree{'s' * (self.degrees_of_freedom > 1)} of freedom"
        return f"likelihood ratio {self.statistic:.4g}, {freedom}, p = {self.p_value:.3g}"

    def _picture(self) -> str:
        return share_picture(self.p_value, "The p-value")


def likelihood_ratio_test(
    model: Any, X: Any, y: Any = None, without: Any = (), sample_weight: Any = None
) -> LikelihoodRatio:
    """Test a model against the smaller one whose coefficients of some columns are 0.

    `without` is a list of names of columns, as `summary` prints them; of several classes trained together each column
    has a coefficient for every class but one, and all of them are 0. With Jeffreys' penalty both models have the
    penalty of the larger one, as in R's logistf; without a penalty separated classes are compared by their suprema.

    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[1, 0], [2, 1], [3, 0], [3, 1], [5, 1], [6, 1]], [0, 0, 0, 1, 1, 1]
    >>> model = LogisticRegression(penalty="jeffreys").fit(X, y)
    >>> print(likelihood_ratio_test(model, X, y, without=["x1", "x2"]))
    likelihood ratio 3.264, 2 degrees of freedom, p = 0.196
    """
    found, names = checked_likelihood(model, X, y, sample_weight, "likelihood_ratio_test")
    places = {INTERCEPT: found.columns} if found.fit_intercept else {}
    places |= {name: place for place, name in enumerate(names)}
    one = isinstance(without, str) or not isinstance(without, Iterable)
    chosen = [] if without is None else [without] if one else list(without)
    unknown = [name for name in chosen if name not in places]
    if unknown or not chosen:
        wanted = f"{unknown[0]!r} is not among them" if unknown else "it names none"
        raise ValueError(f"without must name columns of {', '.join(map(repr, places))}; {wanted}.")
    return ratio_without(found, [places[name] for name in chosen])


def ratio_without(likelihood: Likelihood, columns: list[int]) -> LikelihoodRatio:
    """The test that all coefficients of these columns are 0; the intercept counts as the column after the last."""
    held = np.unique(np.concatenate([likelihood.places_of(column) for column in columns]))
    return LikelihoodRatio(max(0.0, 2 * (likelihood.without(held) - likelihood.best.value)), len(held))
