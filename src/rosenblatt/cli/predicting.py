"""The work of `rosenblatt predict`: read the model's columns, score the rows, write the labels."""

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..data.columns import find, numbers, read
from ..data.sources import Source, open_source
from ..errors import ColumnError, InputError
from ..files import replaced
from ..modelfile import Model
from ..modelfile import read as read_model
from ..rows import thread_count


def predict_table(model_path: Path, path: Path, output: Path | None, with_scores: bool) -> None:
    """Write the label of each row, to standard output or a file."""
    model = read_model(model_path)
    source = open_source(path)
    if output is not None and output.exists() and any(output.samefile(used) for used in (path, model_path)):
        raise InputError(f"{output} is read here: give --output another name.")
    columns = columns_of(model, source)
    try:
        X = numbers(source, read(source, columns), columns)
    except ColumnError as error:
        raise InputError(f"{error}.") from None
    scores = model.scores_of(X, thread_count(None))
    if not np.isfinite(scores).all():
        raise InputError(f"{path} holds numbers too large for this model: are the units those it was trained on?")
    labels = model.classes[model.decide(scores)].tolist()
    header, rows = ["prediction"], zip(labels, strict=True)
    if with_scores:
        header += [f"score_{label}" for label in model.classes.tolist()[-scores.shape[1] :]]
        rows = zip(labels, *scores.T.tolist(), strict=True)
    write(output, header, rows)


def columns_of(model: Model, source: Source) -> list[str]:
    """The columns of the table that the model takes: by name, or all of them where it knows no names."""
    if model.columns is not None:
        return [find(source, name, "which the model needs") for name in model.columns]
    wanted = model.row_columns
    if len(source.names) != wanted:
        raise InputError(
            f"{source.path} has {len(source.names)} columns where the model, which has no names, takes {wanted}."
        )
    return source.names


def write(output: Path | None, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    if output is None:
        return _write(sys.stdout, header, rows)
    with replaced(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        _write(text, header, rows)
        text.detach()


def _write(file: TextIO, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    file.flush()
