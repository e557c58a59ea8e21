"""A scikit-learn transformer that turns tables into rows of numbers."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..foundation.errors import InputError
from ..foundation.matrices import is_sparse
from .encode.column_options import ColumnOptions, Kind
from .encode.encoded_rows import concatenate_rows
from .encode.encoder import Encoder
from .encode.prepare import prepare_encoder
from .read.batches import Batch
from .read.in_memory import as_table, is_array
from .read.sources import open_source
from .read.typed_files import InMemorySource


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turns the columns of a table into numbers, as `rosenblatt train` does before it trains.

    The kind of each column is found by looking: numbers are centred and scaled, categories get a column of 0 and 1 for
    each value and one for "other", texts become words weighed by tf-idf, dates days, weekdays and months; missing
    values ("?" and empty texts too) get a column of their own; identifiers and constant columns are left out.

    Parameters
    ----------
    kinds : dict or None
        Kinds that outweigh what is seen, {column: "number", "category", "text" or "date"}. "day-first" and
        "month-first" are dates such as 01/02/2024.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Centre and scale numbers.
    ngrams : int from 1 to 5
        The longest sequences of words that texts are made of.
    tf_idf : bool
        Weigh words by how rare they are.
    word_counts : bool
        A word that a text has n times counts n times, rather than 1 + log n times.

    Attributes
    ----------
    kinds_ : dict
        The kind of each column that is used.
    left_out_ : dict
        Why each of the others is not.

    Examples
    --------
    >>> from rosenblatt import TableEncoder
    >>> encoder = TableEncoder().fit({"age": [30, 40, None], "job": ["cook", "clerk", "cook"]})
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age is missing', 'job=cook']
    >>> encoder.transform({"age": [35, None], "job": ["cook", "king"]}).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind] | None = None,
        drop: Sequence[str] = (),
        scale: bool = True,
        ngrams: int = 1,
        tf_idf: bool = True,
        word_counts: bool = False,
    ) -> None:
        self.kinds = kinds
        self.drop = drop
        self.scale = scale
        self.ngrams = ngrams
        self.tf_idf = tf_idf
        self.word_counts = word_counts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn about the columns of X, a table: pandas, polars, Arrow, a dict of columns, or an array."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn about the columns of X, and return it as numbers."""
        source = InMemorySource(as_table(X, least_rows=2))
        options = ColumnOptions(
            kinds=dict(self.kinds or {}),
            drop=tuple(self.drop),
            scale=self.scale,
            ngrams=self.ngrams,
            tf_idf=self.tf_idf,
            word_counts=self.word_counts,
        )
        encoder = prepare_encoder(source, options)
        encoded = encoder.fit_encode(source.read_all(encoder.reading()))
        self._adopt(encoder, source.names, named=not is_array(X))
        return self._as_asked(encoded.matrix())

    def transform(self, X: Any) -> Any:
        """X as numbers: an array, or a CSR matrix where most of them are 0. Columns are found by their names.

        X may also be the path of a file that `fit` could read.
        """
        check_is_fitted(self)
        encoder: Encoder = self.encoder_
        source = open_source(X) if isinstance(X, str | os.PathLike) else InMemorySource(self._table(X))
        for name in encoder.column_encoders:
            if name not in source.names:
                raise InputError(f"the table has no column {name!r}, which the encoder was fitted with.")
        batches = source.read_all(encoder.reading()) if source.files else list(source.batches(encoder.reading()))
        encoded = concatenate_rows([encoder.encode(Batch(part.table, part.path, part.place)) for part in batches])
        matrix = encoded.matrix()
        if not np.isfinite(matrix if encoded.sparse is None else matrix.data).all():  # sparse rows are float32
            raise InputError(
                f"{source.path} holds numbers too large for this model: are the units those it was trained on?"
            )
        return self._as_asked(matrix)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """What each column of the result is, such as 'job=cook'. `input_features` names the columns of an array."""
        check_is_fitted(self)
        given = _check_feature_names_in(self, input_features)
        encoder: Encoder = self.encoder_
        if not hasattr(self, "feature_names_in_"):
            encoder = encoder.renamed({f"x{place}": str(name) for place, name in enumerate(given)})
        return np.array(encoder.names, dtype=object)

    @property
    def kinds_(self) -> dict[str, str]:
        return self.encoder_.kinds

    @property
    def left_out_(self) -> dict[str, str]:
        return self.encoder_.left_out

    def _adopt(self, encoder: Encoder, names: Sequence[str], named: bool = True) -> None:
        self.encoder_ = encoder
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _table(self, X: Any) -> Any:
        """X with the names of the columns of `fit`. Where X or the rows of `fit` have none, the places count."""
        table, named, fitted_named = as_table(X), not is_array(X), hasattr(self, "feature_names_in_")
        if named and fitted_named:
            return table
        if table.num_columns != self.n_features_in_:
            raise ValueError(
                f"X has {table.num_columns} features, but TableEncoder is expecting {self.n_features_in_} features as "
                "input."
            )
        if named != fitted_named:
            has, without = ("has", "without") if named else ("does not have valid", "with")
            warnings.warn(f"X {has} feature names, but TableEncoder was fitted {without} feature names", stacklevel=3)
        names = self.feature_names_in_ if fitted_named else [f"x{place}" for place in range(table.num_columns)]
        return table.rename_columns(list(names))

    def _as_asked(self, matrix: Any) -> Any:
        """The matrix, dense if `set_output` asks for a data frame, which has no sparse rows."""
        frame = _get_output_config("transform", self)["dense"] != "default"
        return matrix.toarray() if frame and is_sparse(matrix) else matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
