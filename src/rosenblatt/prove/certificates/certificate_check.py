"""Check certificates in exact arithmetic."""

from fractions import Fraction
from typing import Any

import numpy as np

from ...parts.features import IDENTITY, Polynomial, as_features
from ..exact.lifted_problem import make_problem
from ..exact.linear_algebra import independent_rows, rank, weighted_sum
from ..exact.problem import ExactProblem
from ..exact.span import rows_outside_span
from .certificate import InvalidCertificate, kind_of_split, parse_fraction, short_repr

JSON_TYPE_NAMES = {list: "a list", str: "text", dict: "an object", bool: "true or false", int: "a whole number"}


def check_certificate(certificate: Any, X: Any, y: Any) -> None:
    """Check in exact arithmetic that a certificate proves its kind for these rows; raise InvalidCertificate if not."""
    if not isinstance(certificate, dict):
        raise InvalidCertificate("A certificate is a dict.")
    if certificate.get("kind") == "undecided":
        raise InvalidCertificate("Nothing was decided within the time limit.")
    problem = _problem_of_certificate(certificate, X, y)
    weights = [parse_fraction(value) for value in _field(certificate, "weights", list)]
    offset = parse_fraction(_field(certificate, "offset", str))
    clash = _field(certificate, "clash", dict)
    rows, multipliers = (
        _field(clash, "rows", list),
        [parse_fraction(value) for value in _field(clash, "multipliers", list)],
    )
    on_plane = _check_hyperplane(problem, weights, offset)
    _check_clash(problem, rows, multipliers, on_plane)
    kind = kind_of_split(len(on_plane), problem.rows)
    if certificate.get("kind") != kind:
        raise InvalidCertificate(f"It claims {short_repr(certificate.get('kind'))}, but proves {kind!r}.")


def _field(certificate: dict[str, Any], name: str, kind: type) -> Any:
    if name not in certificate:
        raise InvalidCertificate(f"The certificate has no {name!r}.")
    value = certificate[name]
    if type(value) is not kind:
        raise InvalidCertificate(f"Its {name} must be {JSON_TYPE_NAMES[kind]}, not {short_repr(value)}.")
    return value


def _problem_of_certificate(certificate: dict[str, Any], X: Any, y: Any) -> ExactProblem:
    """The problem of a certificate, after a check that it was made for these rows."""
    fit_intercept, classes = _field(certificate, "fit_intercept", bool), _field(certificate, "classes", list)
    features = certificate.get("features")
    try:
        part = IDENTITY if features is None else as_features(features)
        if isinstance(part, Polynomial) and part.columns(_field(certificate, "columns", int)) != len(
            _field(certificate, "weights", list)
        ):
            raise InvalidCertificate(f"It does not have one weight for each feature of {short_repr(features)}.")
        problem = make_problem(X, y, fit_intercept, classes, part)
    except ValueError as error:
        raise InvalidCertificate(str(error)) from None
    _check_data(certificate, problem)
    return problem


def _check_data(certificate: dict[str, Any], problem: ExactProblem) -> None:
    """Check that the sizes, the column names and the fingerprint are those of the data."""
    sizes = {"rows": problem.rows, "total_rows": problem.total_rows, "columns": problem.inputs}
    for name, given in sizes.items():
        made_for = _field(certificate, name, int)
        if made_for != given:
            what = name.replace("total_rows", "rows in all")
            raise InvalidCertificate(
                f"It was made for other data, with {short_repr(made_for)} {what}: these have {given}."
            )
    names = certificate.get("names")
    if problem.names is not None and names is not None and names != problem.names:
        raise InvalidCertificate(
            f"It was made for other data, with columns {short_repr(names)}, not {short_repr(problem.names)}."
        )
    digest = certificate.get("sha256")
    if digest is not None and digest != (found := problem.fingerprint()):
        raise InvalidCertificate(
            f"It was made for other data: their SHA-256 is {short_repr(digest)}, of these it is '{found}'."
        )


def _check_hyperplane(problem: ExactProblem, weights: list[Fraction], offset: Fraction) -> Any:
    """The rows on the hyperplane, after a check that no row is on the wrong side."""
    if len(weights) != problem.columns:
        raise InvalidCertificate(f"It has {len(weights)} weights for {problem.columns} columns.")
    if offset and not problem.fit_intercept:
        raise InvalidCertificate("It has an offset, but is about hyperplanes through the origin.")
    rows, sign, _ = problem.nonpositive_rows(problem.scale_weights(weights + [offset] * problem.fit_intercept))
    wrong = rows[sign == -1]
    if len(wrong):
        raise InvalidCertificate("is on the wrong side of the hyperplane.", int(problem.numbers[wrong[0]]))
    return rows


def _check_clash(problem: ExactProblem, clash: list[int], multipliers: list[Fraction], on_plane: Any) -> None:
    """Check that the clash sums to 0, is small enough, and spans every row on the hyperplane."""
    if any(type(row) is not int for row in clash):
        raise InvalidCertificate("The rows of the clash must be whole numbers.")
    rows = problem.places(clash)
    if len(set(clash)) != len(clash) or len(multipliers) != len(clash) or rows is None:
        raise InvalidCertificate("The clash must name rows of the data, once each, with one multiplier each.")
    if any(multiplier <= 0 for multiplier in multipliers):
        raise InvalidCertificate("A multiplier is not above 0.")
    whole = [problem.integer_row(row) for row in rows]
    factors = [value * Fraction(2) ** problem.row_exponent(row) for value, row in zip(multipliers, rows, strict=True)]
    if any(weighted_sum(factors, whole)):
        raise InvalidCertificate("The rows of the clash, times their multipliers, do not add up to 0.")
    least = len(independent_rows(whole))  # the rank, in rare cases less
    if len(clash) > 2 * least and len(clash) > 2 * rank(whole):
        raise InvalidCertificate(f"The clash has {len(clash)} rows, more than twice its rank.")
    outside = rows_outside_span(problem, whole, on_plane[~np.isin(on_plane, rows)])
    if len(outside):
        raise InvalidCertificate(
            "is on the hyperplane, but the clash does not show why.", int(problem.numbers[outside[0]])
        )
