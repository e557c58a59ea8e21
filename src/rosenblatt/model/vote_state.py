"""The vote of a model as arrays by name, and back. Content of a file is trusted only if its parts fit together."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.vote import Moves, Vote
from ..foundation.json_values import all_finite, require_type
from ..foundation.matrices import as_csr, is_sparse
from ..foundation.types import Floats

State = dict[str, Any]


def vote_out(vote: Vote) -> State:
    """The vote as numbers and arrays."""
    rows = vote.rows
    if is_sparse(rows):
        kept = {"data": rows.data, "indices": rows.indices.astype(np.int64), "starts": rows.indptr.astype(np.int64)}
    else:
        kept = {"dense": np.ascontiguousarray(rows)}
    moves = [moves._replace(row=moves.row.astype(np.int64)) for moves in vote.planes]
    planes = {str(k): one._asdict() for k, one in enumerate(moves)}
    return {"rows": kept, "planes": planes, "coef": vote.coef, "intercept": vote.intercept, "constant": vote.constant}


def vote_in(state: State, coef: Floats) -> Vote:
    """The vote of planes with these last weights, or an exception if its parts do not fit together."""
    planes = require_type(state["planes"], dict)
    rows = _rows_in(require_type(state["rows"], dict), coef.shape[1])
    moves = [_moves_in(planes[str(k)], rows.shape[0]) for k in range(len(coef))]
    first, offsets = _floats(state["coef"], coef.shape), _floats(state["intercept"], (len(coef),))
    constant = require_type(state["constant"], float)
    if len(planes) != len(coef) or not np.isfinite(constant):
        raise ValueError("its vote does not fit its weights")
    return Vote(rows, moves, first, offsets, constant)


def _moves_in(saved: State, rows: int) -> Moves:
    row, survived = saved["row"], saved["survived"]
    change = _floats(saved["change"], (len(row),))
    counts = row.dtype == survived.dtype == np.int64 and row.ndim == survived.ndim == 1 == len(survived) - len(row)
    if not counts or (row < 0).any() or (row >= rows).any() or (survived < 0).any() or not survived.any():
        raise ValueError("its vote has moves that no training leaves")
    if survived.sum(dtype=np.float64) >= 2.0**53:
        raise ValueError("its vote has more votes than can be counted")
    return Moves(row.astype(np.intp), change, survived)


def _rows_in(saved: State, columns: int) -> Any:
    if "dense" in saved:
        rows = saved["dense"]
        return _floats(rows, (len(rows), columns))
    from scipy.sparse import csr_matrix

    data, indices, starts = saved["data"], saved["indices"], saved["starts"]
    if indices.dtype != np.int64 or starts.dtype != np.int64 or starts.ndim != 1:
        raise ValueError("its vote has no rows")
    return as_csr(csr_matrix((_floats(data, (len(indices),)), indices, starts), shape=(len(starts) - 1, columns)))


def _floats(values: npt.NDArray[Any], shape: tuple[int, ...]) -> Floats:
    if values.dtype != np.float64 or values.shape != shape or not all_finite(values):
        raise ValueError("its vote holds numbers that are not finite, or not enough of them")
    return values
