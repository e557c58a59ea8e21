"""The smallest degree of a polynomial that separates two classes, with proofs."""

from dataclasses import dataclass
from typing import Any

from ...foundation.notebook_html import ShownInNotebooks, clouds_picture
from ...parts.features import Polynomial
from ...parts.parameter_checks import check_positive, check_whole_number
from ..exact.hyperplane import Hyperplane
from ..exact.problem import ExactProblem
from ..time_limit import Clock
from .separability import Separability, decide_pairs

DEFAULT_MAX_DEGREE = 5


@dataclass
class SeparatingDegree(ShownInNotebooks):
    """The answer of `separating_degree`.

    `degree` is the smallest degree that separates; None if no degree that was tried separates. `verdicts` has the
    `Separability` of every degree tried. The hyperplane of `degree` proves that it separates. The clash of the degree
    below proves that no lower degree separates, because the products of a lower degree are among those of a higher one.
    `twins` are two equal rows of different classes, which no degree separates. If `verify` returned False, `why_not` is
    the reason.
    """

    degree: int | None
    verdicts: dict[int, Separability]
    twins: tuple[int, int] | None = None
    why_not: str = ""

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The hyperplane of the smallest degree, in the space of its terms; None if there is none."""
        return None if self.degree is None else self.verdicts[self.degree].hyperplane

    @property
    def undecided(self) -> bool:
        """Whether the time limit ran out."""
        return any(verdict.kind == "undecided" for verdict in self.verdicts.values())

    def verify(self, X: Any, y: Any) -> bool:
        """Check in exact arithmetic that the degree separates these rows and that the degree below does not."""
        self.why_not = self._find_error(X, y)
        return not self.why_not

    def _find_error(self, X: Any, y: Any) -> str:
        claims = [k for k in (self.degree and self.degree - 1, self.degree) if k]
        for k in claims if self.degree else [max(self.verdicts)]:
            verdict = self.verdicts.get(k)
            if verdict is None:
                return f"There is no verdict for degree {k}."
            if verdict.certificate.get("features") != (f"polynomial-{k}" if k > 1 else None):
                return f"The verdict for degree {k} is about {verdict.certificate.get('features')!r}."
            if not verdict.verify(X, y):
                return verdict.why_not
            if (verdict.kind == "complete") != (k == self.degree):
                return f"Degree {k} is {verdict.kind}."
        if (
            self.twins is not None
            and find_twins(ExactProblem(X, y, True, self.verdicts[1].certificate["classes"])) is None
        ):
            return "No two rows of different classes are equal."
        return ""

    def explain(self) -> str:
        """The answer in a few sentences.

        >>> print(separating_degree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).explain())
        Degree 2 separates, and no lower one does: 2 x1 + 2 x2 - 4 x1*x2 - 1 = 0 has all rows strictly on their own \
sides; with degree 1 there is overlap.
        """
        tried = max(self.verdicts)
        if self.undecided:
            return f"Undecided at degree {tried}: the time limit ran out. No degree below it separates."
        if self.degree is None:
            how = (
                f"No degree up to {tried} separates: with degree {tried} there is {kind_phrase(self.verdicts[tried])}."
            )
            if self.twins is None:
                return how
            return f"No degree separates: rows {self.twins[0]} and {self.twins[1]} are equal but of different classes."
        first = f"{self.hyperplane} has all rows strictly on their own sides"
        if self.degree == 1:
            return f"Degree 1 separates: {first}."
        below = f"with degree {self.degree - 1} there is {kind_phrase(self.verdicts[self.degree - 1])}"
        return f"Degree {self.degree} separates, and no lower one does: {first}; {below}."

    def __str__(self) -> str:
        return self.explain()

    def _picture(self) -> str:
        if self.hyperplane is None:
            return clouds_picture("overlap", "Two classes that overlap")
        return clouds_picture("complete", "Two classes and a line between them")


def kind_phrase(verdict: Separability) -> str:
    return {"quasi": "only quasi-complete separation"}.get(verdict.kind, verdict.kind)


def separating_degree(
    X: Any,
    y: Any,
    max_degree: int = DEFAULT_MAX_DEGREE,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
) -> SeparatingDegree:
    """The smallest degree k such that a polynomial of degree k has every row strictly on its own side of 0.

    Two certificates in exact arithmetic prove it, as in `separability(X, y, features="polynomial-k")`: a hyperplane in
    the space of all products of up to k columns, and a clash of the rows in the space of degree k - 1.

    Parameters
    ----------
    X, y, classes : as for `separability`
    max_degree : the last degree to try
    fit_intercept : whether the polynomial may have a constant
    time_limit : seconds for all degrees together; None means no limit

    >>> answer = separating_degree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> answer.degree, {k: verdict.kind for k, verdict in answer.verdicts.items()}
    (2, {1: 'overlap', 2: 'complete'})
    >>> separating_degree([[0], [1], [2], [3]], [0, 1, 0, 1]).degree  # a cubic changes sign three times
    3
    """
    check_whole_number("max_degree", max_degree)
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    clock, verdicts = Clock(time_limit), dict[int, Separability]()
    plain = ExactProblem(X, y, fit_intercept, classes)
    Polynomial(max_degree).columns(plain.inputs)
    same = find_twins(plain)
    for degree in range(1, max_degree + 1):
        left = None if time_limit is None else max(clock.seconds_left(), 1e-9)
        features = "identity" if degree == 1 else f"polynomial-{degree}"
        [verdict] = decide_pairs(
            X, y, [classes], fit_intercept=fit_intercept, time_limit=left, fingerprint=False, features=features
        )
        verdicts[degree] = verdict
        if verdict.kind == "complete":
            return SeparatingDegree(degree, verdicts)
        if verdict.kind == "undecided" or same is not None:
            break
    return SeparatingDegree(None, verdicts, same)


def find_twins(problem: ExactProblem) -> tuple[int, int] | None:
    """The numbers in X of two equal rows of different classes; None if there are none."""
    first: dict[int, int] = {}
    for row, kind in enumerate(problem.row_groups().tolist()):
        other = first.setdefault(kind, row)
        if problem.labels[other] != problem.labels[row]:
            return int(problem.numbers[other]), int(problem.numbers[row])
    return None
