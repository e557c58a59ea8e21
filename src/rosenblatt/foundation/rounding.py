"""Directed rounding of bounds, as floats and as text: lower bounds down, upper bounds up."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor, inf, isinf, nextafter
from sys import float_info

PRINTED_DIGITS = 6
MAX_FLOAT = float_info.max


def float_below(value: Fraction) -> float:
    """The largest float that is at most a fraction.

    >>> float_below(Fraction(1, 3)) < Fraction(1, 3) < nextafter(float_below(Fraction(1, 3)), inf)
    True
    >>> float_below(Fraction(1, 10**400)), float_below(Fraction(10**400)) == MAX_FLOAT
    (0.0, True)
    """
    nearest = _nearest_float(value)
    if nearest == inf:
        return MAX_FLOAT
    return nextafter(nearest, -inf) if nearest == -inf or nearest > value else nearest


def float_above(value: Fraction) -> float:
    """The smallest float that is at least a fraction; infinity if there is none.

    >>> float_above(Fraction(1, 10**400)), float_above(Fraction(10**400))
    (5e-324, inf)
    """
    return -float_below(-value) if value <= MAX_FLOAT else inf


def _nearest_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def text_below(value: float, digits: int = PRINTED_DIGITS) -> str:
    """A value as text, rounded down to a few digits.

    >>> text_below(2 / 3), text_below(0.5), text_below(1234567.0), text_below(inf)
    ('0.666666', '0.5', '1.23456e+06', 'inf')
    """
    return _rounded_text(value, Context(prec=digits, rounding=ROUND_FLOOR))


def text_above(value: float, digits: int = PRINTED_DIGITS) -> str:
    """A value as text, rounded up to a few digits.

    >>> text_above(1 / 3), text_above(0.5), text_above(1234561.0)
    ('0.333334', '0.5', '1.23457e+06')
    """
    return _rounded_text(value, Context(prec=digits, rounding=ROUND_CEILING))


def _rounded_text(value: float, context: Context) -> str:
    if isinf(value):
        return str(value)
    rounded = context.create_decimal(Decimal(value))
    written = f"{float(rounded):.{context.prec}g}"
    return written if Decimal(written) == rounded else str(rounded).lower()  # floats below 1e-307 have fewer digits


def count_at_most(bound: float) -> str:
    """A bound on a count in words, rounded down to an integer.

    >>> count_at_most(8.0000000002), count_at_most(221.784), count_at_most(1234561.5), count_at_most(inf)
    ('at most 8', 'at most 221', 'at most 1.23457e+06', 'more than floats can count')
    """
    return "more than floats can count" if isinf(bound) else f"at most {text_above(floor(bound))}"
