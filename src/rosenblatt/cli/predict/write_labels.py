"""Read a table, score its rows, and write the predictions batch by batch."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ...foundation.atomic_file import atomic_write
from ...foundation.errors import InputError
from ...model.file import read as read_model
from ...model.model import Model
from ...model.predict import Predicted, check_probabilities, predictions, probabilities
from ...tables.read.arrow_arrays import to_python
from ...tables.read.batches import Source
from ...tables.read.sources import open_source
from ..output_paths import STANDARD_OUTPUT, check_overwrite, is_one_of


class OutputColumns(NamedTuple):
    """What is written for each row besides the prediction, and in which format."""

    own_columns: bool
    probabilities: bool
    scores: bool
    as_json: bool


def predict_table(
    model_path: Path, files: Sequence[str], output: Path | None, wanted: OutputColumns, force: bool = False
) -> None:
    """Write the prediction of each row to standard output or a file."""
    model = read_model(model_path)
    if wanted.probabilities:
        check_probabilities(model)
    source = open_source(files)
    output = None if output == STANDARD_OUTPUT else output
    if output is not None and is_one_of(output, [*files, str(model_path)]):
        raise InputError(f"{output} is read here: give --output another name.")
    check_overwrite(output, "a file of predictions", force)
    table = output_rows(model, source, wanted)
    if output is None:
        return _write(sys.stdout, table, wanted.as_json)
    with atomic_write(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        _write(text, table, wanted.as_json)
        text.detach()


def output_rows(model: Model, source: Source, wanted: OutputColumns) -> Iterator[Any]:
    """Yield the header, then batches of rows."""
    header, own = ["prediction"], [*filter(None, source.names)] if wanted.own_columns else []
    classes = model.classes.tolist()
    scored = classes if len(classes) > 2 else classes[1:]
    header += [f"score_{label}" for label in scored] if wanted.scores else []
    header += [f"probability_{label}" for label in classes] if wanted.probabilities else []
    header_sent = False
    for part in predictions(model, source, written=own):
        cells = [to_python(part.written.column(name)) for name in own]
        found = prediction_columns(model, part, wanted)  # any error comes before the first line is written
        if not header_sent:
            yield [[*own, *header]]
            header_sent = True
        yield zip(*cells, *found, strict=True)


def prediction_columns(model: Model, part: Predicted, wanted: OutputColumns) -> list[list[Any]]:
    """Return the columns of a batch that the model gives."""
    found = [model.classes[part.decided].tolist()]
    found += part.scores.T.tolist() if wanted.scores else []
    found += probabilities(model, part.scores).T.tolist() if wanted.probabilities else []
    return found


def _write(file: TextIO, batches: Iterator[Any], as_json: bool) -> None:
    writer = csv.writer(file, lineterminator="\n")
    [header] = next(batches)
    if not as_json:
        writer.writerow(header)
    for batch in batches:
        if as_json:
            file.writelines(json.dumps(dict(zip(header, row, strict=True)), default=str) + "\n" for row in batch)
        else:
            writer.writerows(batch)
        file.flush()
