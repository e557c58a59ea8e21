"""Features: the space that a learner works in.

A lift maps each row to a longer one in scratch space, when the row is visited. The lifted matrix is never stored.
Training, prediction and the solvers read lifted rows like any others. A hyperplane in the lifted space is a curved
surface in the space of the rows.
"""

import atexit
import os
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import combinations_with_replacement, groupby
from math import comb, inf
from typing import Any

import numpy as np

from .. import _core
from ..foundation.matrices import as_rows, written_rows
from ..foundation.suggestions import did_you_mean
from .parameter_checks import check_positive, check_whole_number
from .part import Part

FEATURES = {
    "identity": Part(0, "x as it is"),
    "polynomial-2": Part(1, "all products of up to 2 coordinates (or up to another number), made row by row"),
    "fourier-100": Part(2, "100 random cosines (or another number) that stand for the Gaussian kernel"),
}
NAME_PATTERN = re.compile(r"(polynomial|fourier)-([0-9]{1,18})")
VECTORS_IN_TRAINING = 4  # of the length of a lifted row, at least: the row, weights, their average, a gradient


class Features(ABC):
    """A lift: how many columns it makes, their names, and the lifted rows."""

    @abstractmethod
    def columns(self, inputs: int) -> int:
        """The number of columns it makes from `inputs` columns. Refused if their weights exceed the memory."""

    @abstractmethod
    def within(self, inputs: int, most: float) -> str | None:
        """The name of such a lift with fewer columns, at most so many; None if there is none."""

    @abstractmethod
    def names(self, inputs: Sequence[str]) -> list[str]:
        """The names of the columns it makes, given the names of its inputs."""

    @abstractmethod
    def native(self, inputs: int) -> _core.Lift:
        """The lift as the core takes it."""

    def lifted(self, rows: _core.Rows) -> _core.Rows:
        """The lifted rows, computed when they are visited. Rows that are lifted already are returned as they are."""
        return rows if rows.is_lifted else rows.lifted(_native(self, rows.columns))

    def transform(self, X: Any) -> Any:
        """The lifted rows as an array or CSR matrix, for inspection or for another library."""
        rows = self.lifted(as_rows(X))
        return written_rows(rows, np.arange(rows.count))

    def named(self, inputs: int, names: Sequence[str] | None = None) -> list[str]:
        """The names of the columns it makes. Inputs without names are called x1, x2, and so on."""
        return self.names([f"x{k}" for k in range(1, inputs + 1)] if names is None else [str(name) for name in names])

    @property
    def plain(self) -> Any:
        """The part as plain values for JSON."""
        return {type(self).__name__: asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class Identity(Features):
    """No lift: the rows unchanged."""

    def columns(self, inputs: int) -> int:
        return inputs

    def within(self, inputs: int, most: float) -> str | None:
        return None

    def names(self, inputs: Sequence[str]) -> list[str]:
        return list(inputs)

    def native(self, inputs: int) -> _core.Lift:
        return _core.Lift.polynomial(inputs, 1)

    def lifted(self, rows: _core.Rows) -> _core.Rows:
        return rows

    def transform(self, X: Any) -> Any:
        return X


@dataclass(frozen=True)
class Polynomial(Features):
    """All monomials of degree 1 to `degree`: x, then all products of two coordinates, of three, and so on.

    The order is that of scikit-learn's `PolynomialFeatures`, without the constant, which belongs to the offset. Sparse
    rows multiply only their stored numbers.

    Parameters
    ----------
    degree : int >= 1
        The most factors that a product may have. d columns become (d + degree)! / (d! degree!) - 1.

    Examples
    --------
    >>> from rosenblatt import Perceptron, Polynomial
    >>> Polynomial(2).transform([[2.0, 3.0]]).tolist(), Polynomial(2).names(["a", "b"])
    ([[2.0, 3.0, 4.0, 6.0, 9.0]], ['a', 'b', 'a^2', 'a*b', 'b^2'])
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]                    # exclusive or
    >>> Perceptron(features=Polynomial(2)).fit(X, y).predict(X).tolist()         # or features="polynomial-2"
    [0, 1, 1, 0]
    """

    degree: int = 2

    def __post_init__(self) -> None:
        check_whole_number("degree", self.degree)

    def columns(self, inputs: int) -> int:
        count = product_count(inputs, self.degree)
        if 8 * VECTORS_IN_TRAINING * max(count, self.degree * inputs) > physical_memory():
            raise ValueError(self._too_many_message(inputs, count))
        return int(count)

    def within(self, inputs: int, most: float) -> str | None:
        degree = bisect_right(range(1, int(self.degree)), most, key=partial(product_count, inputs))
        return f"polynomial-{degree}" if degree else None

    def _too_many_message(self, inputs: int, count: float) -> str:
        needed, memory = 8 * VECTORS_IN_TRAINING * count, physical_memory()
        room = f"{needed / 1e9:,.1f} GB of weights" if needed < 1e18 else "too many weights"
        fits = self.within(inputs, memory / (8 * VECTORS_IN_TRAINING))
        lower = "choose fewer columns" if fits is None else f"choose a lower degree ({fits} fits) or fewer columns"
        return (
            f"Products of up to {self.degree} of {inputs} columns are "
            f"{'more than 10^18' if count == inf else f'{count:,}'} features, with {room} where there are "
            f"{memory / 1e9:,.1f} GB of memory: {lower}."
        )

    def names(self, inputs: Sequence[str]) -> list[str]:
        return [_product(term) for term in self.terms(inputs)]

    def terms(self, inputs: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """The factors of each monomial, in order.

        >>> list(Polynomial(2).terms([0, 1]))
        [(0,), (1,), (0, 0), (0, 1), (1, 1)]
        """
        for degree in range(1, self.degree + 1):
            yield from combinations_with_replacement(inputs, degree)

    def native(self, inputs: int) -> _core.Lift:
        self.columns(inputs)
        return _core.Lift.polynomial(inputs, int(self.degree))


@dataclass(frozen=True)
class RandomFourier(Features):
    """Random cosines whose dot products approximate the Gaussian kernel.

    w is drawn from a normal distribution of variance 2 gamma and b uniformly between 0 and 2 pi, once for all rows::

        z_k(x) = sqrt(2 / D) cos(w_k.x + b_k),    z(x).z(x') -> exp(-gamma ||x - x'||^2)

    as D = `n_components` grows. The error falls as 1 / sqrt(D). The draw depends on `random_state` alone and is the
    same on every machine.

    Parameters
    ----------
    n_components : int >= 1
        How many cosines.
    gamma : float > 0
        The width of the kernel: rows further apart than 1 / sqrt(gamma) have little in common. Scale the columns first.
    random_state : int >= 0
        Seeds the draw. Models share a feature space only if they have the same seed.

    Examples
    --------
    >>> from rosenblatt import RandomFourier
    >>> z = RandomFourier(20_000, gamma=0.5).transform([[0.0, 0.0], [1.0, 1.0]])
    >>> round(float(z[0] @ z[1]), 1), round(float(np.exp(-0.5 * 2)), 1)
    (0.4, 0.4)

    References
    ----------
    A. Rahimi, B. Recht, "Random features for large-scale kernel machines", NIPS (2007).
    """

    n_components: int = 100
    gamma: float = 1.0
    random_state: int = 0

    def __post_init__(self) -> None:
        check_whole_number("n_components", self.n_components)
        check_positive("gamma", self.gamma)
        check_whole_number("random_state", self.random_state, least=0)

    def columns(self, inputs: int) -> int:
        numbers = int(self.n_components) * (inputs + VECTORS_IN_TRAINING)
        if 8 * numbers > physical_memory():
            raise ValueError(
                f"{self.n_components:,} cosines of {inputs} columns have {numbers:,} frequencies and weights, "
                f"{8 * numbers / 1e9:,.1f} GB where there are {physical_memory() / 1e9:,.1f} GB of memory: "
                "choose fewer."
            )
        return int(self.n_components)

    def within(self, inputs: int, most: float) -> str | None:
        return f"fourier-{int(most)}" if 1 <= most < self.n_components else None

    def names(self, inputs: Sequence[str]) -> list[str]:
        return [f"fourier{k}" for k in range(1, self.n_components + 1)]

    def native(self, inputs: int) -> _core.Lift:
        columns = self.columns(inputs)
        return _core.Lift.fourier(inputs, columns, float(self.gamma), int(self.random_state) % 2**64)


IDENTITY = Identity()
FEATURE_CLASSES: dict[str, type[Features]] = {kind.__name__: kind for kind in (Identity, Polynomial, RandomFourier)}


def as_features(features: object) -> Features:
    """The part with this name, or the part itself.

    >>> as_features("polynomial-3"), as_features("identity")
    (Polynomial(degree=3), Identity())
    >>> as_features("poly")
    Traceback (most recent call last):
        ...
    ValueError: features must be 'identity', 'polynomial-2' (or another degree), 'fourier-100' (or another number), \
or a part such as Polynomial(2), not 'poly': did you mean 'polynomial-2'?
    """
    if isinstance(features, str):
        return _parse_name(features)
    if isinstance(features, Features):
        return features
    raise ValueError(_unknown_message(features))


def features_of(model: Any) -> Features:
    """The features of a fitted model. Models of other libraries have the identity."""
    features = getattr(model, "_features", IDENTITY)
    return features if isinstance(features, Features) else IDENTITY


@lru_cache(maxsize=64)
def _parse_name(name: str) -> Features:
    if name == "identity":
        return IDENTITY
    match = NAME_PATTERN.fullmatch(name)
    if match is None:
        raise ValueError(_unknown_message(name))
    return Polynomial(int(match[2])) if match[1] == "polynomial" else RandomFourier(int(match[2]))


def _unknown_message(features: object) -> str:
    return (
        "features must be 'identity', 'polynomial-2' (or another degree), 'fourier-100' (or another number), "
        f"or a part such as Polynomial(2), not {features!r}{did_you_mean(features, FEATURES)}"
    )


def features_to_json(features: Any) -> Any:
    """The parameter `features` as plain values for JSON."""
    return features.plain if isinstance(features, Features) else features


def features_from_json(content: Any) -> Any:
    """The parameter `features` from what `features_to_json` returned."""
    if isinstance(content, str):
        return content
    [(kind, parameters)] = content.items()
    return FEATURE_CLASSES[kind](**parameters)


@lru_cache(maxsize=4)  # a stream lifts its rows one at a time
def _native(features: Features, inputs: int) -> _core.Lift:
    return features.native(inputs)


atexit.register(_native.cache_clear)  # the core reports objects that are alive when Python ends


@lru_cache(maxsize=1)
def physical_memory() -> float:
    """The machine's memory in bytes; infinity if the system does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return inf


def product_count(inputs: int, degree: int) -> float:
    """The number of products of 1 to `degree` of the inputs; infinity if it is above 2^64.

    >>> product_count(2, 2), product_count(100, 100)
    (5, inf)
    """
    few, many = sorted((int(inputs), int(degree)))
    return inf if few > 64 else comb(many + few, few) - 1


def _product(factors: Sequence[str]) -> str:
    """The name of a monomial.

    >>> _product(["a", "a", "b"])
    'a^2*b'
    """
    powers = [(name, len(list(same))) for name, same in groupby(factors)]
    return "*".join(name if power == 1 else f"{name}^{power}" for name, power in powers)
