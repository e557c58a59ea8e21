"""What the service answers: predictions, explanations, rows learned and truths that come later. It knows no HTTP."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..foundation.errors import InputError
from ..model.explanation import top_weights
from ..model.file import serialized
from ..risk.intervals import wilson
from ..training.outcome import Accuracy
from .log_records import LEARN, MODEL, PREDICT, Record
from .log_state import keep_model, model_path, read_kept_model, start_learner
from .log_writer import Answer, Feedback, LogWriter
from .model_provider import ModelFile, ModelProvider
from .published_model import PublishedModel, Scored
from .request_memory import prediction_id
from .row_formats import Rows
from .row_schema import RowSchema

MAX_KEY = 200  # characters of an idempotency key
MAX_TOP = 1000  # columns of an explanation
MAX_EXPLAINED = 100  # rows of a request: each is explained by itself


class Limits(NamedTuple):
    """What a single request may take."""

    body_bytes: int = 16 << 20
    rows: int = 100_000
    read_seconds: float = 10.0
    answer_seconds: float = 30.0
    requests_per_second: float | None = None
    new_classes: bool = False  # whether rows to learn may have classes that the model does not know


DEFAULT_LIMITS = Limits()


class Refused(Exception):
    """A request that this service does not take, whatever its rows. The text is one sentence."""


class Service:
    """A model that answers; with a log it learns, too."""

    def __init__(self, provider: ModelProvider, limits: Limits = DEFAULT_LIMITS, model: Path | None = None) -> None:
        self.provider, self.limits, self.path = provider, limits, model
        self._began = time.monotonic(), provider.published.rows

    @property
    def published(self) -> PublishedModel:
        return self.provider.published

    @property
    def writer(self) -> LogWriter:
        """The log's writer; without one, learning is refused."""
        if not isinstance(self.provider, LogWriter):
            raise Refused("This service does not learn: start it with --log FOLDER.")
        return self.provider

    # Answers

    def predict(self, rows: Rows, probabilities: bool) -> tuple[dict[str, list[Any]], PublishedModel]:
        """The label and scores of each row, and the model that gave them."""
        published = self.published
        batch = published.batch(rows.objects) if rows.table is None else published.table_batch(rows.table)
        scored = published.score(batch)
        columns = scored_columns(published, scored)
        if probabilities:
            chances = published.probabilities(scored.scores).tolist()
            labels = [str(label) for label in published.model.classes.tolist()]
            columns["probabilities"] = [dict(zip(labels, row, strict=True)) for row in chances]
        return columns, published

    def explain(self, rows: Rows, top: int) -> list[dict[str, Any]]:
        """The label of each row, and what its columns add to the score that decides."""
        if rows.row_count > MAX_EXPLAINED:
            raise InputError(f"A request can have {MAX_EXPLAINED} rows to explain at most: send several.")
        published = self.published
        batch = published.arrow_batch(rows.objects)
        scored = published.score(batch)
        found = [published.explain(batch, row, scored, min(top, MAX_TOP)) for row in range(rows.row_count)]
        return [
            {**terms._asdict(), "contributions": [each._asdict() for each in terms.contributions]} for terms in found
        ]

    # Learning

    def learn(self, rows: Rows, key: str | None) -> "Future[Answer]":
        """Learn rows with their classes; the answer comes when they are on the disk."""
        if key is not None and not (0 < len(key) <= MAX_KEY and key.isprintable()):
            raise InputError(f"An idempotency key has 1 to {MAX_KEY} printable characters.")
        writer, published = self.writer, self.published
        return writer.submit(Record(LEARN, rows.lines(self._schema(published), truth=True), key), published.version)

    def remember(self, rows: Rows) -> "Future[Answer]":
        """Log rows that were predicted, so that their truth can come later."""
        writer, published = self.writer, self.published
        return writer.submit(Record(PREDICT, rows.lines(published.schema)), published.version)

    def feedback(self, rows: Rows) -> "Future[Answer]":
        """Learn the rows of earlier predictions, now that their classes are known."""
        schema, truths = self._schema(self.published), dict[str, str]()
        for place, row in enumerate(rows.objects, 1):
            if not isinstance(row, dict) or not isinstance(row.get("id"), str) or "label" not in row:
                raise InputError(f'Row {place} must be an object with "id", a text, and "label".')
            if row["id"] in truths:
                raise InputError(f"Row {place} names the prediction {row['id']!r} again: give each once.")
            truths[row["id"]] = schema.label(row["label"], "label", place)
        if rows.table is not None:
            raise InputError("Feedback is taken as JSON: give objects with id and label.")
        return self.writer.submit(Feedback(truths))

    def _schema(self, published: PublishedModel) -> RowSchema:
        return published.schema._replace(new_classes=self.limits.new_classes)

    # Operation

    def reload(self) -> "Future[Answer] | None":
        """Take the model file again. With a log, learning starts anew from it; without one, the answer is None."""
        if isinstance(self.provider, ModelFile):
            self.provider.reload()
            return None
        if self.path is None:
            raise Refused("This service was started without a model file: there is nothing to reload.")
        return self.writer.submit(self.writer.model_record(self.path))

    def model_file(self) -> bytes:
        """The present model as the content of a file: that which `train -` writes after the same rows."""
        return serialized(self.published.calibrated)

    def keep_version(self) -> str:
        """Keep the present model as a version to which the service can go back; returns its SHA-256."""
        content = self.model_file()
        digest = sha256(content).hexdigest()
        keep_model(self.writer.folder, content, digest)
        return digest

    def versions(self) -> list[str]:
        """The SHA-256 of each model that was kept, the oldest first."""
        folder = model_path(self.writer.folder, "").parent
        return [path.stem for path in sorted(folder.glob("*.safetensors"), key=lambda path: path.stat().st_mtime_ns)]

    def rollback(self, version: Any) -> "Future[Answer]":
        """Go on from a model that was kept; the beginning of its SHA-256 is enough."""
        found = [one for one in self.versions() if isinstance(version, str) and one.startswith(version)]
        if not isinstance(version, str) or len(version) < 4 or len(found) != 1:
            raise InputError("version must be the SHA-256 of one kept model, or its first 4 characters or more.")
        start_learner(read_kept_model(self.writer.folder, found[0]))  # refused before it reaches the log
        return self.writer.submit(Record(MODEL, model=found[0]))

    def status(self) -> dict[str, Any]:
        """The figures that the page and /status show."""
        published, model = self.published, self.published.model
        return {
            "model": model.class_name,
            "target": published.schema.target,
            "classes": model.classes.tolist(),
            "version": published.version,
            "learns": isinstance(self.provider, LogWriter),
            "failure": self.provider.failure,
            "record": published.record,
            "rows_learned": published.rows,
            "progressive_accuracy": accuracy_json(published.accuracy),
            "recent_accuracy": accuracy_json(published.recent),
        }

    def learning_rate(self) -> float | None:
        """Rows learned a second since the service started."""
        began, before = self._began
        rows = self.published.rows - before
        return rows / max(time.monotonic() - began, 1e-9) if rows > 0 else None

    def weights(self, most: int) -> Mapping[Any, Any]:
        """The columns with the largest weights for each class; none for models that lift their rows."""
        try:
            return top_weights(self.published.model, most)
        except InputError:
            return {}


def accuracy_json(accuracy: Accuracy) -> dict[str, Any] | None:
    """A share of rows predicted correctly before they were learned, with its 95 % interval."""
    if not accuracy.rows:
        return None
    low, high = wilson(accuracy.right, accuracy.rows)
    return {"share": accuracy.right / accuracy.rows, "low": low, "high": high, "rows": accuracy.rows}


def scored_columns(published: PublishedModel, scored: Scored) -> dict[str, list[Any]]:
    """The label of each row, and its score, or one score a class where there are more than two."""
    labels = published.model.classes[scored.decided].tolist()
    if scored.scores.shape[1] == 1:
        return {"label": labels, "score": scored.scores[:, 0].tolist()}
    return {"label": labels, "scores": scored.scores.tolist()}


def ids_of(answer: Answer) -> list[str]:
    """The ids of predictions that were remembered."""
    return [prediction_id(answer.record, place) for place in range(answer.rows)]
