"""Whole numbers and fractions as text, however long: Python alone refuses more than 4,300 digits."""

from fractions import Fraction


def digits(value: int) -> str:
    """The digits of a whole number.

    >>> digits(-12), len(digits(10**5000))
    ('-12', 5001)
    """
    from flint import fmpz

    return str(fmpz(value))


def spelled(value: Fraction) -> str:
    """A fraction as Python spells it.

    >>> spelled(Fraction(-1, 3)), len(spelled(Fraction(1, 10**5000)))
    ('Fraction(-1, 3)', 5014)
    """
    return f"Fraction({digits(value.numerator)}, {digits(value.denominator)})"


def listed(words: list[str]) -> str:
    """A tuple as Python spells it.

    >>> listed([]), listed(["1"]), listed(["1", "2"])
    ('()', '(1,)', '(1, 2)')
    """
    return f"({words[0]},)" if len(words) == 1 else f"({', '.join(words)})"
