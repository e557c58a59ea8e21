"""Look at a fitted estimator: of this library, of scikit-learn, or a pipeline that ends in one."""

from typing import Any

import numpy as np

from ..foundation.label_sets import refuse_several_labels
from ..foundation.labels import codes_of
from ..foundation.matrices import is_sparse
from ..foundation.splitting import TEST
from ..foundation.types import Floats
from ..tables.encode.scaling import measure_scaling
from .seen_model import UNKNOWN_ROWS, JudgedProbabilities, SeenModel
from .table_cells import MatrixCells
from .weight_space import MAX_SCALING_ROWS, WeightSpace

SCORE_TOLERANCE = 1e-6  # between the scores and those that the weights give, relative to the largest


def see_estimator(model: Any, X: Any, y: Any) -> SeenModel:
    """What a fitted classifier says of the rows X, whose classes are y."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    codes = _codes(model, X, y)
    scores, probabilities = _scores_and_probabilities(model, X)
    return SeenModel(
        name=type(last).__name__,
        classes=[str(label) for label in model.classes_.tolist()],
        codes=codes,
        uses=np.full(len(codes), TEST, dtype=np.int8),
        numbers=np.arange(1, len(codes) + 1),
        scores=scores,
        decided=np.searchsorted(model.classes_, np.asarray(model.predict(X))),
        cells=MatrixCells(X if hasattr(X, "iloc") or is_sparse(X) else np.asarray(X), column_names(X)),
        space=_weight_space(model, last, X, scores),
        probabilities=probabilities,
        judged=None if probabilities is None else JudgedProbabilities(probabilities, codes),
        status=str(getattr(last, "status_", "")),
        history=getattr(last, "history_", {}),
        notes=[UNKNOWN_ROWS],
        all_rows=len(codes),
    )


def _codes(model: Any, X: Any, y: Any) -> Any:
    if not hasattr(model, "classes_"):
        raise ValueError(f"Lab looks at fitted classifiers, but {type(model).__name__} has no classes_: fit it first.")
    refuse_several_labels(model, "Lab")
    labels = np.asarray(y)
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape != (rows,):
        raise ValueError(f"Lab takes one label a row, not y of shape {labels.shape} for {rows:,} rows.")
    codes = codes_of(labels, np.asarray(model.classes_))
    if codes is None:
        raise ValueError(f"y has labels that the model does not know: it knows {model.classes_.tolist()}.")
    return codes


def column_names(X: Any) -> list[str]:
    """The names of the columns of rows; arrays have numbers, as scikit-learn names them."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    width = X.shape[1] if hasattr(X, "shape") else np.asarray(X).shape[1]
    return [f"x{k}" for k in range(width)]


def _scores_and_probabilities(model: Any, X: Any) -> tuple[Floats, Floats | None]:
    """Scores, one column for two classes and else one a class, and probabilities if the model gives any."""
    probabilities = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return scores.reshape(len(scores), -1), probabilities
    if probabilities is None:
        raise ValueError(f"{type(model).__name__} has neither decision_function nor predict_proba: Lab needs scores.")
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return (logs[:, 1:] - logs[:, :1] if logs.shape[1] == 2 else logs), probabilities


def _weight_space(model: Any, last: Any, X: Any, scores: Floats) -> WeightSpace | None:
    """The space of the last step, if its scores are those of one weight for each of its columns."""
    rows = model[:-1].transform(X) if len(getattr(model, "steps", ())) > 1 else X
    coef, intercept = getattr(last, "coef_", None), np.reshape(getattr(last, "intercept_", 0.0), -1)
    names = _names_before(model, X, rows)
    rows = rows.tocsr() if is_sparse(rows) else np.asarray(rows)
    if coef is None or coef.shape != (scores.shape[1], rows.shape[1]) or rows.dtype.kind not in "fiub":
        return None
    coef = np.asarray(coef.toarray() if is_sparse(coef) else coef, dtype=np.float64)
    if np.abs(rows @ coef.T + intercept - scores).max() > SCORE_TOLERANCE * max(1.0, float(np.abs(scores).max())):
        return None  # such as a machine of pairs of classes
    rows = rows.astype(np.float64)
    scaling = None if is_sparse(rows) else measure_scaling(rows[:: -(-len(rows) // MAX_SCALING_ROWS)])
    owners = _owners(model, names)
    every = np.broadcast_to(intercept, len(coef)).astype(np.float64)
    return WeightSpace(coef, every, names, owners or names, owners, lambda places: rows[places], scaling)


def _names_before(model: Any, X: Any, rows: Any) -> list[str]:
    """The names of the columns that the last step takes."""
    if len(getattr(model, "steps", ())) > 1:
        try:
            return [str(name) for name in model[:-1].get_feature_names_out()]
        except (AttributeError, ValueError):
            return column_names(rows)
    return column_names(X)


def _owners(model: Any, names: list[str]) -> list[str]:
    """The column of X that each column of the last step is made from; none if the steps do not say."""
    first = model.steps[0][1] if hasattr(model, "steps") else None
    encoder = getattr(first, "encoder_", None)
    if encoder is not None:
        return list(encoder.owners)
    given = getattr(model, "feature_names_in_", None)
    known = names if given is None else [str(name) for name in given]
    return names if set(names) <= set(known) else []
