"""The support rows of a kernel model as JSON and tensors, and back. A kernel that is a function cannot be saved."""

from dataclasses import fields
from math import inf, isfinite
from typing import Any

import numpy as np

from ..classifiers.kernel import MOST_DEGREE
from ..engine.kernel_stream import KernelResult, KernelStream
from ..engine.result import TrainingResult
from ..foundation.json_values import require_type
from ..foundation.matrices import as_csr, as_rows, is_sparse
from ..foundation.types import Floats, Tensors
from ..parts.kernels import KERNELS, PRECOMPUTED, Kernel, Support
from ..parts.recipe import Recipe
from ..parts.stops import Stops
from .stream_state import states_in


def support_out(learned: KernelResult | KernelStream, tensors: Tensors) -> dict[str, Any]:
    """The header of the support rows; the rows are added to the tensors."""
    support = learned.support
    assert support is not None
    X, kernel = support.X, support.kernel
    if callable(kernel.name):
        raise ValueError("a kernel that is a function cannot be saved: choose a named one, or 'precomputed'.")
    if is_sparse(X):
        parts = {"data": X.data, "indices": X.indices.astype(np.int64), "indptr": X.indptr.astype(np.int64)}
        tensors |= {f"support.{name}": part for name, part in parts.items()}
    else:
        tensors["support.rows"] = np.ascontiguousarray(X)
    if support.numbers is not None:
        tensors["support.numbers"] = support.numbers.astype(np.int64)
    numbers = {"gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    header = {"kernel": kernel.name, **numbers, "columns": int(X.shape[1]), "sparse": bool(is_sparse(X))}
    if isinstance(learned, KernelStream):
        header["budget"] = learned.budget
    return header


def support_in(saved: dict[str, Any], tensors: Tensors, coef: Floats) -> Support:
    """The support rows, or an exception if header and tensors do not fit together."""
    name = require_type(saved["kernel"], str)
    if name != PRECOMPUTED and name not in KERNELS:
        raise ValueError(f"there is no kernel {name!r}")
    kernel = Kernel(
        name,
        require_type(saved["gamma"], float),
        require_type(saved["degree"], int),
        require_type(saved["coef0"], float),
    )
    if not (1 <= kernel.degree <= MOST_DEGREE and 0 < kernel.gamma < inf and isfinite(kernel.coef0)):
        raise ValueError("its kernel has no such numbers")
    columns, X = require_type(saved["columns"], int), _rows_in(saved, tensors)
    numbers = tensors.get("support.numbers")
    wanted = (0, coef.shape[1]) if name == PRECOMPUTED else (coef.shape[1], columns)
    if X.shape != wanted or as_rows(X).first_not_finite(1) != X.shape[0]:
        raise ValueError("its support does not fit its weights")
    if numbers is not None and (numbers.dtype != np.int64 or numbers.ndim != 1 or (numbers < 0).any()):
        raise ValueError("its support has no numbers")
    if name == PRECOMPUTED and (numbers is None or (numbers >= columns).any()):
        raise ValueError("its support has no numbers")
    if name != PRECOMPUTED and numbers is not None and len(numbers) != X.shape[0]:
        raise ValueError("its support does not fit its weights")
    return Support(kernel, X, numbers)


def _rows_in(saved: dict[str, Any], tensors: Tensors) -> Any:
    if not require_type(saved["sparse"], bool):
        X = tensors["support.rows"]
        if X.ndim != 2 or X.dtype not in (np.float32, np.float64):
            raise ValueError("its support is no matrix")
        return X
    from scipy.sparse import csr_matrix

    data, indices, starts = (tensors[f"support.{name}"] for name in ("data", "indices", "indptr"))
    if data.dtype not in (np.float32, np.float64) or indices.dtype != np.int64 or starts.dtype != np.int64:
        raise ValueError("its support is no matrix")
    return as_csr(csr_matrix((data, indices, starts), shape=(len(starts) - 1, saved["columns"])))


def trained_in(trained: TrainingResult, support: Support) -> KernelResult:
    return KernelResult(
        **{field.name: getattr(trained, field.name) for field in fields(TrainingResult)}, support=support
    )


def kernel_stream_in(
    saved: dict[str, Any],
    budget: Any,
    support: Support,
    tensors: Tensors,
    coef: Floats,
    classes: int,
    label_form: str | None = None,
) -> KernelStream:
    """The stream, or an exception if header and tensors do not fit together."""
    parts = dict(require_type(saved["recipe"], dict))
    recipe = Recipe(**{**parts, "stops": Stops(**parts["stops"])})
    multi_class = "joint" if require_type(saved["joint"], bool) else "ovr"
    if not 0 <= require_type(budget, int) <= 2**62:
        raise ValueError("its budget is no number of rows")
    stream = KernelStream(recipe, support.kernel, budget, multi_class, require_type(saved["seed"], int), label_form)
    stream.columns, stream.support = coef.shape[1], support
    return states_in(stream, saved, tensors, coef, classes)
