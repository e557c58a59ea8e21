"""A hyperplane whose numbers are exact."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ...foundation.notebook_html import ShownInNotebooks, bars_picture
from .digits import fraction_repr, tuple_repr

MAX_PRINTED_TERMS = 12
LARGEST = Fraction(float(np.finfo(np.float64).max))  # that floats hold


@dataclass(frozen=True)
class Hyperplane(ShownInNotebooks):
    """All x with weights . x + offset = 0, in fractions; `coef` and `intercept` are their nearest floats.

    >>> plane = Hyperplane((Fraction(1, 3), Fraction(2)), Fraction(-1))
    >>> plane.coef, plane.intercept
    (array([0.33333333, 2.        ]), -1.0)
    >>> print(plane)
    1/3 x1 + 2 x2 - 1 = 0
    """

    weights: tuple[Fraction, ...]
    offset: Fraction
    names: tuple[str, ...] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """The equation, with at most a dozen terms."""
        names = self.names or [f"x{k}" for k in range(1, len(self.weights) + 1)]
        used = [(weight, name) for weight, name in zip(self.weights, names, strict=True) if weight]
        terms = [_signed_term(weight, name) for weight, name in used[:MAX_PRINTED_TERMS]]
        if len(used) > MAX_PRINTED_TERMS:
            terms.append(f"+ ({len(used) - MAX_PRINTED_TERMS} more terms)")
        if self.offset or not terms:
            terms.append(_signed_term(self.offset))
        return " ".join(terms).removeprefix("+ ") + " = 0"

    def _picture(self) -> str:
        return bars_picture(self.coef[:MAX_PRINTED_TERMS].tolist(), "The weights")

    def __repr__(self) -> str:
        weights = tuple_repr([fraction_repr(weight) for weight in self.weights])
        return f"Hyperplane(weights={weights}, offset={fraction_repr(self.offset)})"

    @property
    def coef(self) -> npt.NDArray[np.float64]:
        """The weights as floats. Weights too large for floats become the largest float, too small ones 0."""
        return np.array([_nearest_float(weight) for weight in self.weights])

    @property
    def intercept(self) -> float:
        """The offset as a float."""
        return _nearest_float(self.offset)


def _signed_term(value: Fraction, name: str = "") -> str:
    size = abs(value)
    exact = str(size) if max(size.numerator, size.denominator) < 10**6 else f"{_nearest_float(size):.6g}"
    text = f"{exact} {name}" if name and size != 1 else name or exact
    return f"- {text}" if value < 0 else f"+ {text}"


def _nearest_float(value: Fraction) -> float:
    return float(min(max(value, -LARGEST), LARGEST))
