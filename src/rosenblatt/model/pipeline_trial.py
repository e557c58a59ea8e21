"""Try the steps of a loaded pipeline on a few rows that each must accept, so that unsound ones are refused on loading.

scikit-learn trusts what a transformer has learned: a mean of the wrong length or a text in the place of a number ends
in an error of NumPy when the first row is predicted, and forged places of a `OneHotEncoder` in broken memory. A
checksum guards against damage, not against files made by other means. A `ColumnTransformer` needs a table to be tried
whole, so its parts are tried one by one.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..foundation.extras import MissingExtra
from ..foundation.json_values import require_type

TRIAL_WORDS = 100  # of a vocabulary


def try_steps(steps: Sequence[tuple[str, Any]], columns: int) -> None:
    """Refuse steps that fail on rows they must accept, or do not end with so many columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        width = _columns_after(steps)
    if width not in (None, columns):
        raise ValueError(f"the steps of its pipeline make {width:,} columns of a row, its classifier takes {columns:,}")


def _columns_after(steps: Sequence[tuple[str, Any]]) -> int | None:
    """How many columns the last of some steps makes; None if that depends on the rows."""
    width: int | None = None
    for name, step in steps:
        if _is_passed_on(step):
            continue
        try:
            taken, made = _columns_of(step)
        except MissingExtra:
            raise
        except Exception as error:
            raise ValueError(f"the step {name!r} of its pipeline does not work") from error
        if width is not None and taken != width:
            raise ValueError(f"the step {name!r} of its pipeline takes {taken} columns, the one before makes {width}")
        width = made
    return width


def _is_passed_on(step: Any) -> bool:
    return step is None or (type(step) is str and step == "passthrough")


def _columns_of(step: Any) -> tuple[int | None, int | None]:
    """How many columns a step takes and makes, found by trial."""
    kind = type(step).__name__
    step._validate_params()
    if kind == "Pipeline":
        first = next((inner for _, inner in step.steps if not _is_passed_on(inner)), None)
        return getattr(first, "n_features_in_", None), _columns_after(step.steps)
    if kind != "CountVectorizer" and kind != "TfidfVectorizer":
        _check_names(step)
    if kind == "ColumnTransformer":
        return step.n_features_in_, _columns_of_parts(step)
    made = step.transform(_trial_rows(step, kind))
    return getattr(step, "n_features_in_", None), int(made.shape[1])


def _check_names(step: Any) -> None:
    columns, names = require_type(step.n_features_in_, int), vars(step).get("feature_names_in_")
    if columns < 1 or (names is not None and not (names.shape == (columns,) and all(map(_is_text, names)))):
        raise ValueError


def _is_text(value: Any) -> bool:
    return type(value) is str


def _columns_of_parts(step: Any) -> int:
    """How many columns the parts of a `ColumnTransformer` make, each tried alone."""
    places = {
        require_type(name, str): indices
        for name, indices in require_type(step._transformer_to_input_indices, dict).items()
    }
    total = 0
    for name, part, columns in require_type(step.transformers_, list):
        indices = [require_type(place, int) for place in require_type(places.pop(name), list)]
        _check_columns(step, columns)
        if not all(0 <= place < step.n_features_in_ for place in indices):
            raise ValueError
        if type(part) is str and part == "drop":
            continue
        taken, made = _columns_of(part)
        if made is None or taken not in (None, len(indices)):
            raise ValueError
        total += made
    if (
        places
        or len(require_type(step._columns, list)) != len(step.transformers)
        or type(step.sparse_output_) is not bool
    ):
        raise ValueError
    return total


def _check_columns(step: Any, columns: Any) -> None:
    """Refuse columns of a part that the rows do not have."""
    if isinstance(columns, slice):
        return
    wanted = [columns] if isinstance(columns, str | int) else list(columns)
    names = set(vars(step).get("feature_names_in_", ()))
    for one in wanted:
        if isinstance(one, str) and one not in names:
            raise ValueError
        if not isinstance(one, str | int | np.integer | np.bool_) or (not isinstance(one, str) and names == set()):
            require_type(one, int)


def _trial_rows(step: Any, kind: str) -> Any:
    """Rows that a step must accept, made of what it has learned."""
    if kind in ("CountVectorizer", "TfidfVectorizer"):
        words, places = zip(*require_type(step.vocabulary_, dict).items(), strict=True)
        if not all(map(_is_text, words)) or sorted(require_type(place, int) for place in places) != list(
            range(len(places))
        ):
            raise ValueError
        return [" ".join(words[:TRIAL_WORDS])]
    if kind == "OneHotEncoder":
        _check_one_hot(step)
        return _rows_of(step.categories_)
    if kind == "FormulaEncoder":
        return step.trial_table()
    if kind == "SimpleImputer":
        return step.statistics_.reshape(1, -1)
    return np.zeros((1, step.n_features_in_))


def _check_one_hot(step: Any) -> None:
    """Refuse places that are not those of the categories: dense rows would be written beyond their end."""
    nothing = [None] * step.n_features_in_
    grouped = step._default_to_infrequent_mappings if require_type(step._infrequent_enabled, bool) else nothing
    dropped = nothing if step._drop_idx_after_grouping is None else step._drop_idx_after_grouping
    learned = zip(nothing, require_type(step.categories_, list), grouped, dropped, step._n_features_outs, strict=True)
    for _, categories, groups, drop, made in learned:
        width = len(categories)
        if groups is not None:
            if groups.shape != (width,) or groups.dtype.kind != "i" or groups.min() < 0:
                raise ValueError
            width = int(groups.max()) + 1
        if drop is not None and not 0 <= require_type(drop, int) < width:
            raise ValueError
        if require_type(made, int) != width - (drop is not None):
            raise ValueError


def _rows_of(categories: Any) -> Any:
    """Rows in which each category of each column occurs."""
    most = max(len(column) for column in require_type(categories, list))
    columns = [np.resize(column, most) for column in categories]
    numeric = all(column.dtype.kind in "biuf" for column in columns)
    return np.column_stack(columns) if numeric else np.column_stack([column.astype(object) for column in columns])
