"""Make the report of a table's outcome or of a stream's outcome."""

from typing import Any

from ..foundation.phrases import count
from ..tables.encode.column_kinds import AMBIGUOUS_COMMAS, AMBIGUOUS_DATES, two_readings
from ..tables.encode.columns import CategoryColumn, IndexedColumns
from ..tables.encode.encoder import Encoder
from ..tables.encode.split_column import says_train_or_test
from .outcome import Outcome, StreamOutcome
from .report import Report

ENDINGS = {  # of a stream
    "end": "the input ended",
    "interrupted": "interrupted",
    "terminated": "terminated",
    "max_seconds": "max_seconds reached",
    "error": "a row could not be used",
}


def make_report(outcome: Outcome, model: str | None = None) -> Report:
    """The report of training on a table; `model` is the path where the model was saved."""
    made, status, progressive = outcome.model, outcome.model.learned.status, outcome.progressive
    return Report(
        **_shared_fields(outcome, model),
        leaks=outcome.leaks,
        encoded_columns=made.learned.coef.shape[1],
        features=str(made.parameters.get("features", "identity")),
        status=str(status),
        reason=status.reason,
        stopped_early=outcome.plan.early and status.reason in ("gradient", "gap", "max_iter"),
        epochs=status.epochs,
        train_rows=status.rows,
        mistakes=status.mistakes,
        test_rows=outcome.held_out.rows,
        test_right=outcome.held_out.right,
        test_majority=outcome.majority,
        fold_accuracies=[fold.right / fold.rows for fold in outcome.folds if fold.rows],
        progressive_rows=0 if progressive is None else progressive.rows,
        progressive_right=0 if progressive is None else progressive.right,
        traffic=outcome.traffic,
        tuning=None if outcome.tuning is None else outcome.tuning.as_dict(),
    )


def make_stream_report(outcome: StreamOutcome, model: str | None = None) -> Report:
    """The report of training on a stream so far; `model` is the path where the model was saved."""
    rows, progressive, recent = sum(outcome.counts), outcome.progressive, outcome.recent
    return Report(
        **_shared_fields(outcome, model),
        leaks=[],
        encoded_columns=_encoder(outcome).columns,
        features="identity",
        status=f"{ENDINGS[outcome.ending]} after {count(rows, 'row')}",
        reason=outcome.ending,
        epochs=1,
        train_rows=rows,
        mistakes=progressive.rows - progressive.right,
        test_rows=0,
        test_right=0,
        test_majority=0,
        fold_accuracies=[],
        streamed=True,
        progressive_rows=progressive.rows,
        progressive_right=progressive.right,
        recent_rows=recent.rows,
        recent_right=recent.right,
        predict_batch=outcome.predict_batch,
    )


def _shared_fields(outcome: Outcome | StreamOutcome, model: str | None) -> dict[str, Any]:
    """The fields that tables and streams have in common."""
    made, encoder = outcome.model, _encoder(outcome)
    columns = encoder.column_encoders.values()
    return {
        "file": outcome.path,
        "target": made.about["target"],
        "rows": sum(outcome.counts),
        "columns": sum(column.width if isinstance(column, IndexedColumns) else 1 for column in columns),
        "kinds": encoder.kinds,
        "left_out": encoder.left_out,
        "splits": _splits(encoder),
        "two_readings": _two_readings(encoder),
        "classes": made.classes.tolist(),
        "class_counts": outcome.counts,
        "algorithm": outcome.plan.algorithm,
        "multi_class": ("joint" if made.joint else "ovr") if len(made.classes) > 2 else None,
        "automatic": outcome.automatic,
        "scaled": bool(made.about["scaled"]),
        "seed": int(made.parameters["random_state"]),
        "seconds": outcome.seconds,
        "model": model,
        "calibration": None if made.calibration is None else made.calibration.method,
        "calibration_rows": 0 if made.calibration is None else made.calibration.rows,
        **({} if outcome.quality is None else outcome.quality._asdict()),
    }


def _encoder(outcome: Outcome | StreamOutcome) -> Encoder:
    assert outcome.model.encoder is not None
    return outcome.model.encoder


def _two_readings(encoder: Encoder) -> dict[str, str]:
    """The columns whose dates or numbers can be read in two ways, so that they are categories or left out."""
    left_out = {name: why for name, why in encoder.left_out.items() if why in (AMBIGUOUS_DATES, AMBIGUOUS_COMMAS)}
    categories = {
        name: two_readings(column.values)
        for name, column in encoder.column_encoders.items()
        if isinstance(column, CategoryColumn)
    }
    return left_out | {name: why for name, why in categories.items() if why is not None}


def _splits(encoder: Encoder) -> list[str]:
    """The columns that say which rows are for training and which for testing."""
    return [
        name
        for name, column in encoder.column_encoders.items()
        if isinstance(column, CategoryColumn) and says_train_or_test(column.values)
    ]
