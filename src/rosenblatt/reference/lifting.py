"""Rows in the space that features make."""

from itertools import combinations_with_replacement
from math import prod

from ..parts.features import Features, Polynomial, as_features


def lift(x: list[float], features: str | Features) -> list[float]:
    """All products of up to `degree` coordinates, by degree. Other features are defined by their own `transform`."""
    part = as_features(features)
    if isinstance(part, Polynomial):
        return [float(prod(term)) for d in range(part.degree) for term in combinations_with_replacement(x, d + 1)]
    return [float(value) for value in part.transform([x])[0]]
