"""The result of `minimum_mistakes`, and its verification in exact arithmetic."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from ...foundation.notebook_html import ShownInNotebooks, share_picture
from ...parts.features import IDENTITY, Features
from ..exact.hyperplane import Hyperplane
from ..exact.lifted_problem import make_problem
from ..exact.linear_algebra import weighted_sum
from ..exact.merged_rows import merge_rows
from ..exact.problem import ExactProblem
from ..separability.tucker_split import split_rows
from ..time_limit import Clock
from .clash import Clash
from .great_circle_search import search_great_circles


@dataclass
class FewestMistakes(ShownInNotebooks):
    """The answer of `minimum_mistakes`: no hyperplane makes fewer than `lower_bound`, `hyperplane` makes `mistakes`.

    Every hyperplane makes a mistake in each of the `clashes`. The shares of the clashes of a row add up to at most 1,
    so that the sum of all shares, rounded up, is a lower bound. If no row is in two clashes, each share is 1. If
    `counted` is true, the bound is larger, because an exhaustive search ended (`great_circle_search`). If `verify`
    returned False, `why_not` is the reason.
    """

    mistakes: int
    lower_bound: int
    hyperplane: Hyperplane
    clashes: list[Clash] = field(repr=False)
    counted: bool
    rows: int
    classes: list[Any]
    fit_intercept: bool
    seconds: float
    features: Features = IDENTITY
    why_not: str = ""

    @property
    def bound_of_clashes(self) -> int:
        """The lower bound that the clashes prove alone."""
        return ceil(sum((clash.share for clash in self.clashes), Fraction(0)))

    @property
    def proved(self) -> bool:
        """Whether no hyperplane makes fewer mistakes than this one."""
        return self.mistakes == self.lower_bound

    @property
    def status(self) -> str:
        """What is known, in a sentence."""
        if self.proved:
            least = f"no hyperplane makes fewer than {_count_mistakes(self.mistakes)} in {self.rows:,} rows"
            return f"{least}; this one makes exactly that many"
        return (
            f"the fewest mistakes possible in {self.rows:,} rows are between {self.lower_bound:,} and "
            f"{self.mistakes:,}: the bounds did not meet"
        )

    def verify(self, X: Any, y: Any) -> bool:
        """Check the answer for these rows, from scratch and in exact arithmetic.

        The mistakes of the hyperplane are counted. The rows of each clash times their multipliers must sum to 0, and
        the shares of the clashes of a row to at most 1. If `counted` is true, that is not enough, and the search is
        repeated.

        >>> from rosenblatt import minimum_mistakes
        >>> result = minimum_mistakes([[0], [1], [2]], [0, 1, 0])
        >>> result.verify([[0], [1], [2]], [0, 1, 0]), result.verify([[0], [1], [2]], [0, 1, 1])
        (True, False)
        >>> result.why_not
        'The hyperplane makes 2 mistakes, not 1.'
        """
        self.why_not = _find_error(self, X, y)
        return not self.why_not

    def explain(self) -> str:
        """The answer in a few sentences, and what proves it.

        >>> from rosenblatt import minimum_mistakes
        >>> print(minimum_mistakes([[0], [1], [2]], [0, 1, 0]).explain())
        The fewest mistakes possible are 1 of 3 rows, proved. Every hyperplane has a mistake in 1 clash.
        """
        if self.proved:
            first = f"The fewest mistakes possible are {self.mistakes:,} of {self.rows:,} rows, proved."
        else:
            first = (
                f"The fewest mistakes possible are at least {self.lower_bound:,} and at most {self.mistakes:,} of "
                f"{self.rows:,} rows."
            )
        return " ".join([first, *_proof_sentences(self)])

    def _picture(self) -> str:
        right = 1 - self.mistakes / self.rows
        return share_picture(right, f"the best hyperplane has {100 * right:.1f} % of the rows right")

    def __str__(self) -> str:
        return self.explain()


def _proof_sentences(result: FewestMistakes) -> list[str]:
    count, bound = len(result.clashes), result.bound_of_clashes
    overlap = any(clash.share != 1 for clash in result.clashes)
    words = f"{count:,} clashes that {'overlap' if overlap else 'share no row'}" if count != 1 else "1 clash"
    if result.counted:
        return [
            f"An exhaustive search found no hyperplane with fewer. {words} prove{'s' if count == 1 else ''} "
            f"{bound:,} of them without the search."
        ]
    if not overlap:
        return [f"Every hyperplane has a mistake in {'each of ' if count != 1 else ''}{words}."] if count else []
    return [
        f"Every hyperplane has a mistake in each of {words}: their shares, at most 1 a row, add up to more than "
        f"{bound - 1:,}."
    ]


def _count_mistakes(count: int) -> str:
    return f"{count:,} mistake{'s' if count != 1 else ''}"


def _find_error(result: FewestMistakes, X: Any, y: Any) -> str:
    """A sentence that says what is wrong with an answer for these rows; empty if it is right."""
    try:
        problem = make_problem(X, y, result.fit_intercept, result.classes, result.features)
    except ValueError as error:
        return str(error)
    if problem.rows != result.rows or problem.columns != len(result.hyperplane.weights):
        return f"It was made for other data, with {result.rows} rows and {len(result.hyperplane.weights)} columns."
    plane = [*result.hyperplane.weights, *([result.hyperplane.offset] if result.fit_intercept else [])]
    wrong = len(problem.nonpositive_rows(problem.scale_weights(plane)).rows)
    if wrong != result.mistakes:
        return f"The hyperplane makes {_count_mistakes(wrong)}, not {result.mistakes:,}."
    return _find_clash_error(result, problem) or _find_bound_error(result, problem)


def _find_clash_error(result: FewestMistakes, problem: ExactProblem) -> str:
    shares: dict[int, Fraction] = {}
    for number, clash in enumerate(result.clashes):
        error = _find_error_of_clash(clash, number, problem)
        if error:
            return error
        for row in clash.rows:
            shares[row] = shares.get(row, Fraction(0)) + clash.share
            if shares[row] > 1:
                return f"The shares of the clashes of row {row} add up to more than 1."
    return ""


def _find_error_of_clash(clash: Clash, number: int, problem: ExactProblem) -> str:
    places = problem.places(clash.rows)
    if places is None or not clash.rows or len(set(clash.rows)) < len(clash.rows):
        return f"Clash {number} must name rows of the data, once each."
    if len(clash.multipliers) != len(places) or any(value <= 0 for value in clash.multipliers):
        return f"Clash {number} must have one multiplier above 0 for each row."
    if clash.share <= 0:
        return f"Clash {number} must have a share above 0."
    factors = [
        value * Fraction(2) ** problem.row_exponent(row) for value, row in zip(clash.multipliers, places, strict=True)
    ]
    if any(weighted_sum(factors, [problem.integer_row(row) for row in places])):
        return f"The rows of clash {number}, times their multipliers, do not add up to 0."
    return ""


def _find_bound_error(result: FewestMistakes, problem: ExactProblem) -> str:
    if result.lower_bound > result.mistakes:
        return f"It claims at least {_count_mistakes(result.lower_bound)}, and a hyperplane makes {result.mistakes:,}."
    if result.lower_bound <= result.bound_of_clashes:
        return ""
    if not result.counted:
        claimed = _count_mistakes(result.lower_bound)
        return f"It claims at least {claimed}, but its clashes prove only {result.bound_of_clashes:,}."
    rows = merge_rows(problem, np.flatnonzero(split_rows(problem, Clock(None)).inside))
    integer_rows = [problem.integer_row(row) for row in rows.rows]
    better = search_great_circles(
        integer_rows, rows.weights, result.lower_bound - rows.unavoidable_mistakes, Clock(None)
    )
    return (
        "" if better is None else f"A hyperplane makes {_count_mistakes(rows.unavoidable_mistakes + better.mistakes)}."
    )
