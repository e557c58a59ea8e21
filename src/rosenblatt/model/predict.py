"""Apply a model to a table, batch by batch, for `predict`, `evaluate` and `explain`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..classifiers.calibration.log_probabilities import chances, log_chances, normalise_logs
from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..tables.encode.columns import NumberColumn
from ..tables.encode.encoder import Encoder
from ..tables.for_proofs.exact_columns import read_number_matrix
from ..tables.read.batches import Batch, Source
from ..tables.read.column_names import find_column
from .model import Model


class Predicted(NamedTuple):
    """Some rows, and what a model says of them: scores, and the numbers of the classes it decides for.

    `written` is an Arrow table of the columns that were asked for as they are written.
    """

    batch: Batch
    scores: Floats
    decided: npt.NDArray[np.intp]
    written: Any = None


def encoder_for_source(model: Model, source: Source) -> Encoder:
    """The model's encoder; a model without one takes unscaled columns of numbers, by name or all of them."""
    if model.encoder is not None:
        for name in model.encoder.column_encoders:
            find_column(source, name, "which the model needs")
        return model.encoder
    wanted = model.row_columns
    if model.columns is None and len(source.names) != wanted:
        raise InputError(
            f"{source.path} has {len(source.names)} columns where the model, which has no names, takes {wanted}."
        )
    names = source.names if model.columns is None else model.columns
    return UnscaledEncoder(
        {find_column(source, name, "which the model needs"): NumberColumn(name, scaled=False) for name in names}
    )


class UnscaledEncoder(Encoder):
    """Encodes columns of numbers without scaling; missing numbers are refused."""

    def encode(self, batch: Batch) -> Any:
        read_number_matrix([batch], list(self.column_encoders))  # refuses what is missing or infinite
        return super().encode(batch)


def predictions(
    model: Model, source: Source, more: Mapping[str, str] | None = None, written: Sequence[str] = ()
) -> Iterator[Predicted]:
    """Predictions of a table, batch by batch; `more` columns are read along, by name and how to read them.

    The columns `written` come along as they are written. The source is read only once.
    """
    empty = True
    for part in predict_batches(model, source, more, written):
        empty = False
        yield part
    if empty:
        raise no_rows(source)


def no_rows(source: Source) -> InputError:
    """The error of a table without rows."""
    return InputError(f"{source.path} names columns but has no rows.")


def predict_batches(
    model: Model, source: Source, more: Mapping[str, str] | None = None, written: Sequence[str] = ()
) -> Iterator[Predicted]:
    """The same for a part of a table, which may have no rows."""
    from ..foundation.threads import thread_count

    model.refuse_several_labels()
    encoder = encoder_for_source(model, source)
    reading = {**encoder.reading(), **(more or {})}
    for batch, texts in source.batches_as_written(reading, written) if written else _alone(source.batches(reading)):
        if not batch.table.num_rows:
            continue
        scores = model.scores_of(encoder.encode(batch), thread_count(None))
        if not np.isfinite(scores).all():
            raise InputError(
                f"{batch.path} holds numbers too large for this model: are the units those it was trained on?"
            )
        yield Predicted(batch, scores, model.decide(scores), texts)


def _alone(batches: Iterator[Batch]) -> Iterator[tuple[Batch, None]]:
    return ((batch, None) for batch in batches)


def has_probabilities(model: Model) -> bool:
    """Whether the model says how probable each class is."""
    return model.class_name == "LogisticRegression" or model.calibration is not None


def check_probabilities(model: Model) -> None:
    """Refuse a model without probabilities."""
    if not has_probabilities(model):
        raise InputError(
            f"this {model.class_name} has no probabilities, because its scores were not calibrated on rows held out: "
            "train it again with rows held out, or with --algorithm logistic, or ask for scores."
        )


def probabilities(model: Model, scores: Floats) -> Floats:
    """The probability of each class: those of logistic regression, or calibrated scores."""
    check_probabilities(model)
    if model.calibration is not None:
        return model.calibration.probabilities(scores)
    if scores.shape[1] == 1:
        return np.column_stack([chances(-scores[:, 0]), chances(scores[:, 0])])
    shares: Floats = np.exp(normalise_logs(scores if model.joint else log_chances(scores)))
    return shares
