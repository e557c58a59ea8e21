"""Reference levels of categories: the hyperplane that says the same with the fewest columns of 0 and 1.

If each row has exactly one 1 among the columns of a category, a constant can be taken from the weights of these columns
and added to the offset: every margin stays the same. So the weights have no meaning by themselves, only their
differences have. The most common weight becomes 0, and the columns that keep a weight are those that matter.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from .certificate import centre_weights, fraction_text, parse_fraction


def set_reference_levels(certificate: dict[str, Any], categories: Iterable[Sequence[int]]) -> dict[str, Any]:
    """The certificate with a hyperplane of the same margins, whose most common weight of each category is 0.

    `categories` are columns, of which each row has exactly one 1. A hyperplane through the origin and one of
    lifted rows stay as they are.

    >>> plane = {"weights": ["-1", "1", "-1", "5"], "offset": "0", "fit_intercept": True}
    >>> set_reference_levels(plane, [range(3)])
    {'weights': ['0', '2', '0', '5'], 'offset': '-1', 'fit_intercept': True}
    """
    if certificate["weights"] is None or not certificate["fit_intercept"] or certificate.get("features"):
        return certificate
    weights = [parse_fraction(weight) for weight in certificate["weights"]]
    offset = parse_fraction(certificate["offset"])
    for columns in categories:
        reference = _most_common([weights[column] for column in columns])
        offset += reference
        for column in columns:
            weights[column] -= reference
    *centred, offset = centre_weights([*weights, offset])
    return {**certificate, "weights": [fraction_text(weight) for weight in centred], "offset": fraction_text(offset)}


def _most_common(weights: list[Fraction]) -> Fraction:
    """The most common weight; of several 0, else the first.

    >>> _most_common([Fraction(2), Fraction(0)]), _most_common([Fraction(3), Fraction(1), Fraction(2)])
    (Fraction(0, 1), Fraction(3, 1))
    """
    counts = Counter(weights)
    return max(counts, key=lambda weight: (counts[weight], weight == 0))
