"""Certificates of separability: plain JSON values that anyone can check with fractions.

    kind        "complete", "quasi" or "overlap"
    rows        the number of rows of X that take part, of total_rows      columns   the number of columns of X
    names       the names of the columns, or None
    classes     the negative and the positive class; None as the negative class means all other labels
    features    the lift of the rows, for example "polynomial-2", or None; x_i are then the lifted rows, `terms` the
                names of their columns
    fit_intercept   whether a_i = y_i (x_i, 1), or else y_i x_i
    weights, offset the hyperplane, fractions as text; a_i . (weights, offset) > 0 for rows in S, = 0 for rows in T
    clash       {"rows": numbers of rows of X, "multipliers": positive fractions as text}; sum multiplier_i a_i = 0,
                the rows have the rank of T and are at most twice as many as the rank
    sha256      the fingerprint of the rows, or None; see `rosenblatt.prove.certificates.fingerprint`

Rows are counted from 0. With no rows in T the kind is complete, with none in S overlap, with both quasi.
docs/certificate.md documents the format and has a checker of about 50 lines.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import fmpz

from ...parts.features import Polynomial
from ..exact.digits import decimal_text
from ..exact.linear_algebra import primitive_vector
from ..exact.problem import ExactProblem
from ..separability.tucker_split import TuckerSplit

FRACTION_PATTERN = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
MAX_DIGITS = 1_000_000  # of a number; many times more than any certificate needs


class InvalidCertificate(Exception):
    """The reason why a certificate is refused: a sentence, or the rest of a sentence about a row counted from 0."""

    def __init__(self, text: str, row: int | None = None) -> None:
        super().__init__(text if row is None else f"Row {row} {text}")
        self.text, self.row = text, row


def kind_of_split(in_t: int, rows: int) -> str:
    """The kind of separation, from the number of rows in T.

    >>> [kind_of_split(0, 4), kind_of_split(1, 4), kind_of_split(4, 4)]
    ['complete', 'quasi', 'overlap']
    """
    return "complete" if in_t == 0 else "overlap" if in_t == rows else "quasi"


def fraction_text(value: Fraction | int) -> str:
    """A fraction as text, with any number of digits.

    >>> fraction_text(Fraction(-1, 3)), fraction_text(2)
    ('-1/3', '2')
    """
    above, below = decimal_text(value.numerator), decimal_text(value.denominator)
    return above if below == "1" else f"{above}/{below}"


def parse_fraction(value: object) -> Fraction:
    """The fraction in a text.

    >>> parse_fraction("-1/3")
    Fraction(-1, 3)
    """
    match = FRACTION_PATTERN.fullmatch(value) if isinstance(value, str) and len(value) <= MAX_DIGITS else None
    if match is None or not (below := fmpz(match[2] or "1")):
        raise InvalidCertificate(f"{short_repr(value)} is not a fraction.")
    return Fraction(int(fmpz(match[1])), int(below))


def make_certificate(problem: ExactProblem, split: TuckerSplit, fingerprint: bool) -> dict[str, Any]:
    """The certificate of a split. Without a w the kind is "undecided", and only the clash is a proof."""
    w = None if split.w is None else centre_weights(problem.simplify_weights(problem.unscale_weights(split.w)))
    rows = sorted(split.multipliers)
    powers = [Fraction(2) ** -problem.row_exponent(row) for row in rows]
    multipliers = [split.multipliers[row] * power for row, power in zip(rows, powers, strict=True)]
    return {
        "kind": "undecided" if w is None else kind_of_split(int(split.inside.sum()), problem.rows),
        "rows": problem.rows,
        "total_rows": problem.total_rows,
        "columns": problem.inputs,
        "names": problem.names,
        **lift_fields(problem),
        "classes": list(problem.classes),
        "fit_intercept": problem.fit_intercept,
        "weights": None if w is None else [fraction_text(value) for value in w[: problem.columns]],
        "offset": None if w is None else fraction_text(w[-1] if problem.fit_intercept else 0),
        "clash": {
            "rows": [int(problem.numbers[row]) for row in rows],
            "multipliers": [fraction_text(value) for value in primitive_vector(multipliers)] if rows else [],
        },
        "sha256": problem.fingerprint() if fingerprint else None,
    }


def lift_fields(problem: ExactProblem) -> dict[str, Any]:
    """The fields of a certificate about the lift: the features and the names of the lifted columns."""
    if not isinstance(problem.features, Polynomial):
        return {"features": None, "terms": None}
    return {
        "features": f"polynomial-{problem.features.degree}",
        "terms": problem.features.named(problem.inputs, problem.names),
    }


def centre_weights(weights: Sequence[Fraction]) -> list[Fraction]:
    """Integer weights; if they exceed the range of floats, times a power of two that centres them."""
    whole = primitive_vector(weights)
    sizes = [abs(value).bit_length() for value in whole if value]
    if not sizes or max(sizes) < 1000:
        return [Fraction(value) for value in whole]
    return [value / Fraction(2) ** ((max(sizes) + min(sizes)) // 2) for value in whole]


def short_repr(value: object) -> str:
    """The first 70 characters of the repr of any value."""
    try:
        return f"{value!r:.70}"
    except (ValueError, RecursionError):  # thousands of digits, or of brackets
        return f"something of type {type(value).__name__}"
