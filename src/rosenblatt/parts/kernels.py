"""Kernels: K(a, b) of two rows, and the kernel matrices that training and prediction read.

The core computes the named kernels: dot products in the type of the rows (float64 if they are sparse), K as float32.
Before training it fills the kernel matrix as far as `cache_size` allows. Rows beyond that are computed at each visit,
only where alpha is not 0. The bits do not depend on the number of threads.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.errors import InputError, TooLarge
from ..foundation.matrices import as_rows, is_sparse
from ..foundation.types import Floats
from .part import Part

KERNELS = {
    "linear": Part(0, "a.b"),
    "polynomial": Part(1, "(gamma a.b + coef0)^degree"),
    "gaussian": Part(2, "exp(-gamma ||a - b||^2)"),
}
PRECOMPUTED = "precomputed"
FILL_SECONDS = 0.05  # of a slice, after which Ctrl-C is checked
BLOCK_VALUES = 1 << 24  # numbers in a block of rows that is converted or passed to a callable
MAX_ASYMMETRY = 1e-5  # of K(a, b) and K(b, a), relative to the larger, that counts as rounding


@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters."""

    name: str | Callable[[Any, Any], Any]
    gamma: float = 1.0
    degree: int = 1
    coef0: float = 0.0

    def native(self) -> _core.Similarity:
        assert isinstance(self.name, str)
        return _core.Similarity(KERNELS[self.name].code, self.gamma, self.coef0, self.degree)

    def between(self, A: Any, B: Any) -> npt.NDArray[np.float32]:
        """The callable's K of the rows of A and B. Refused if it is not a matrix of finite numbers."""
        assert callable(self.name)
        K = self.name(A, B)
        K = K.toarray() if is_sparse(K) else np.asarray(K)
        if K.shape != (A.shape[0], B.shape[0]) or K.dtype.kind not in "fiub":
            wanted = f"numbers of shape {(A.shape[0], B.shape[0])}"
            raise InputError(f"kernel must return {wanted} for so many rows, not {K.dtype} of shape {K.shape}.")
        with np.errstate(over="ignore"):
            narrow = np.ascontiguousarray(K, np.float32)
        if not np.isfinite(narrow).all():
            i, j = np.argwhere(~np.isfinite(narrow))[0]
            what = "NaN" if np.isnan(K[i, j]) else f"{K[i, j]}, too large a number,"
            raise InputError(f"kernel returned {what} for rows {i} and {j}: it must be finite for all pairs of rows.")
        return narrow


class Support:
    """Rows that a model keeps. `numbers` are their positions in the training rows, `diagonal` is K(x, x) of each."""

    def __init__(self, kernel: Kernel, X: Any, numbers: Any = None, diagonal: Floats | None = None) -> None:
        self.kernel, self.X, self.numbers, self.diagonal = kernel, X, numbers, diagonal

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "packed"}

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @cached_property
    def packed(self) -> _core.Packed:
        return _core.Packed(as_rows(self.X), 1)

    def scores(self, X: Any, coef: Floats, intercept: Floats, threads: int) -> Floats:
        """sum_j alpha_j K(x_j, x) + b of every row of X, with one column per plane."""
        out = [np.empty((0, len(intercept)))]
        for block in row_blocks(X, max(X.shape[1], len(self))):
            if callable(self.kernel.name):
                out.append(self.kernel.between(block, self.X).astype(np.float64) @ coef.T + intercept)
                continue
            rows = as_rows(convert_like(block, self.X))
            seen, finite = _core.kernel_scores(self.kernel.native(), rows, self.packed, coef, intercept, threads)
            if not finite:
                raise TooLarge
            out.append(seen)
        return np.concatenate(out)


def row_blocks(X: Any, width: int) -> Iterator[Any]:
    """X in blocks that are small enough to convert."""
    step = max(64, BLOCK_VALUES // max(width, 1))
    for begin in range(0, X.shape[0], step):
        yield X[begin : begin + step]


def convert_like(X: Any, model: Any) -> Any:
    """X converted to the form of a model's rows: dense or sparse, and of their type."""
    if is_sparse(model):
        return X if is_sparse(X) else type(model)(X)
    if is_sparse(X):
        X = X.toarray()
    with np.errstate(over="ignore"):
        return np.asarray(X).astype(model.dtype, copy=False)


def symmetric_gram(kernel: Kernel, X: Any, budget: int, megabytes: float, threads: int) -> _core.Gram:
    """K of all pairs of rows. For named kernels it holds as many rows as fit into `megabytes`."""
    if callable(kernel.name):
        needed = X.shape[0] ** 2 * 4 / 1e6
        if needed > megabytes:
            raise InputError(
                f"the kernel matrix of {X.shape[0]:,} rows takes {needed:,.0f} MB, more than cache_size={megabytes:g}: "
                "raise cache_size, take fewer rows, or choose a named kernel, which can do with less."
            )
        K = kernel.between(X, X)
        check_symmetric(K, "kernel")
        return _core.Gram(as_rows(K), K.diagonal().astype(np.float64), 0, budget)
    packed = _core.Packed(as_rows(X), threads)
    gram = _core.Gram(kernel.native(), packed, packed, rows_that_fit(megabytes, packed.count), 0, budget)
    fill_gram(gram, threads)
    return gram


def gram_beside_support(
    kernel: Kernel, X: Any, support: Support | None, budget: int, megabytes: float, threads: int
) -> _core.Gram:
    """K of new rows with a support's rows and with each other. The weights of the new rows come after the support's."""
    old = 0 if support is None else len(support)
    basis = X if support is None or not old else stack_rows(support.X, X)
    X = basis[old:]
    if callable(kernel.name):
        K = kernel.between(X, basis)
        check_symmetric(K[:, old:], "kernel")
        before = np.empty(0) if support is None else support.diagonal
        assert before is not None
        return _core.Gram(as_rows(K), np.concatenate([before, K[:, old:].diagonal().astype(np.float64)]), old, budget)
    left, right = (_core.Packed(as_rows(rows), threads) for rows in (X, basis))
    gram = _core.Gram(kernel.native(), left, right, rows_that_fit(megabytes, right.count), old, budget)
    fill_gram(gram, threads)
    return gram


def stack_rows(above: Any, below: Any) -> Any:
    """The rows of both, in the form of the first."""
    below = convert_like(below, above)
    if is_sparse(above):
        from scipy.sparse import vstack

        return vstack([above, below], "csr")
    return np.concatenate([above, below])


def rows_that_fit(megabytes: float, columns: int) -> int:
    return int(min(megabytes * 1e6 // (4 * (columns + 16)), 2**62))


def fill_gram(gram: _core.Gram, threads: int) -> None:
    """Compute the rows that the matrix holds, in slices between which Ctrl-C works."""
    rows, more = 64, True
    while more:
        began = time.perf_counter()
        more = gram.fill(rows, threads)
        rows = min(4 * rows, int(rows * FILL_SECONDS / max(time.perf_counter() - began, 1e-6)) + 1)


def check_symmetric(K: npt.NDArray[Any], name: str) -> None:
    """Refuse a kernel matrix that is not symmetric up to rounding."""
    for begin in range(0, len(K), 512):
        rows, mirror = K[begin : begin + 512], K[:, begin : begin + 512].T
        apart = np.abs(rows - mirror) > MAX_ASYMMETRY * np.maximum(np.abs(rows), np.abs(mirror)) + 1e-12
        if apart.any():
            i, j = np.argwhere(apart)[0]
            raise InputError(
                f"{name} is not symmetric: of rows {begin + i} and {j} it is {rows[i, j]}, of rows {j} and {begin + i} "
                f"{mirror[i, j]}. A kernel must be."
            )


def default_gamma(X: Any) -> float:
    """1 / (columns * variance of X): the scale at which the Gaussian kernel tells rows apart."""
    size = X.shape[0] * X.shape[1]
    values = X.data if is_sparse(X) else X
    mean = float(values.sum(dtype=np.float64)) / size
    with np.errstate(over="ignore"):
        squares = float(np.einsum("i,i->" if is_sparse(X) else "ij,ij->", values, values, dtype=np.float64)) / size
    variance = squares - mean * mean
    return 1.0 / (X.shape[1] * variance) if 0.0 < variance < np.inf else 1.0
