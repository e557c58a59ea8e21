"""Rows modulo T: their products with the normals, which span the w that are 0 on T."""

import numpy as np

from ...foundation.types import Floats
from ..exact.linear_algebra import IntVector, dot, primitive_vector
from ..exact.problem import unit_floats
from .margin_program import divide_by_largest


class QuotientSpace:
    """Rows modulo T as floats between -1 and 1, and the w that belongs to a z found for them."""

    def __init__(self, normals: list[IntVector] | None) -> None:
        self._normals = normals
        if normals is not None:
            self._sizes = [max(abs(value) for value in normal).bit_length() for normal in normals]
            self._basis = np.array([unit_floats(normal) for normal in normals]).T

    def floats(self, rows: Floats) -> Floats:
        return divide_by_largest(rows if self._normals is None else rows @ self._basis)

    def weights(self, z: IntVector) -> IntVector:
        if self._normals is None:
            return z
        most = max(self._sizes)
        return lift_weights([value << (most - size) for value, size in zip(z, self._sizes, strict=True)], self._normals)


def quotient_row(row: IntVector, normals: list[IntVector] | None) -> IntVector:
    """A row modulo T."""
    return row if normals is None else [dot(row, normal) for normal in normals]


def lift_weights(z: IntVector, normals: list[IntVector] | None) -> IntVector:
    """The w that is 0 on T and has the margins of z on rows modulo T."""
    return z if normals is None else primitive_vector([dot(z, column) for column in zip(*normals, strict=True)])
