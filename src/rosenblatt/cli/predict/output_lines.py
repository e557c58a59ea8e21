"""The lines that are written of a table: the prediction of each row, and the columns that were asked for."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...model.model import Model
from ...model.predict import Predicted, predict_batches, probabilities
from ...tables.read.arrow_arrays import to_python
from ...tables.read.batches import Source


class OutputColumns(NamedTuple):
    """What is written for each row besides the prediction, and in which format."""

    own_columns: bool
    probabilities: bool
    scores: bool
    as_json: bool

    def own(self, source: Source) -> list[str]:
        """The columns of the table that are written as they are."""
        return [*filter(None, source.names)] if self.own_columns else []

    def header(self, model: Model, source: Source) -> list[str]:
        """The names of all columns that are written."""
        classes = model.classes.tolist()
        scored = classes if len(classes) > 2 else classes[1:]
        scores = [f"score_{label}" for label in scored] if self.scores else []
        shares = [f"probability_{label}" for label in classes] if self.probabilities else []
        return [*self.own(source), "prediction", *scores, *shares]


def output_texts(model: Model, source: Source, wanted: OutputColumns) -> Iterator[str]:
    """What is written of a table or a part of it, batch by batch."""
    own, header = wanted.own(source), wanted.header(model, source)
    for part in predict_batches(model, source, written=own):
        cells = [to_python(part.written.column(name)) for name in own]
        yield as_text(header, zip(*cells, *prediction_columns(model, part, wanted), strict=True), wanted.as_json)


def prediction_columns(model: Model, part: Predicted, wanted: OutputColumns) -> list[list[Any]]:
    """Return the columns of a batch that the model gives."""
    found = [model.classes[part.decided].tolist()]
    found += part.scores.T.tolist() if wanted.scores else []
    found += probabilities(model, part.scores).T.tolist() if wanted.probabilities else []
    return found


def as_text(header: Sequence[str], rows: Iterator[Any], as_json: bool) -> str:
    """Rows as lines of CSV, or as one JSON object a line."""
    if as_json:
        return "".join(json.dumps(dict(zip(header, row, strict=True)), default=str) + "\n" for row in rows)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
