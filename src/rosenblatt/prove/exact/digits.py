"""Integers and fractions of any length as text. Python alone refuses more than 4,300 digits."""

from fractions import Fraction


def decimal_text(value: int) -> str:
    """An integer in decimal digits.

    >>> decimal_text(-12), len(decimal_text(10**5000))
    ('-12', 5001)
    """
    from flint import fmpz

    return str(fmpz(value))


def fraction_repr(value: Fraction) -> str:
    """The repr of a fraction.

    >>> fraction_repr(Fraction(-1, 3)), len(fraction_repr(Fraction(1, 10**5000)))
    ('Fraction(-1, 3)', 5014)
    """
    return f"Fraction({decimal_text(value.numerator)}, {decimal_text(value.denominator)})"


def tuple_repr(words: list[str]) -> str:
    """The repr of a tuple, from the reprs of its items.

    >>> tuple_repr([]), tuple_repr(["1"]), tuple_repr(["1", "2"])
    ('()', '(1,)', '(1, 2)')
    """
    return f"({', '.join(words)}{',' * (len(words) == 1)})"
