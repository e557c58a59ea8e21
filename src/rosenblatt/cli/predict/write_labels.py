"""Read a table, score its rows, and write the predictions batch by batch."""

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from ...foundation.atomic_file import atomic_write
from ...foundation.errors import InputError
from ...model.file import read as read_model
from ...model.predict import check_probabilities, no_rows
from ...tables.read.batches import Source
from ...tables.read.sources import open_source
from ..options import GivenExecutor
from ..output_paths import STANDARD_OUTPUT, check_overwrite, is_one_of
from .output_lines import OutputColumns, as_text, output_texts


def predict_table(
    model_path: Path,
    files: Sequence[str],
    output: Path | None,
    wanted: OutputColumns,
    force: bool = False,
    executor: GivenExecutor = None,
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
    texts = output_texts(model, source, wanted)
    if executor is not None:
        from .predict_by_workers import texts_by_workers

        texts = texts_by_workers(executor, model_path, model, source, wanted)
    header = wanted.header(model, source)
    if output is None:
        return _write(sys.stdout, source, header, wanted, texts)
    with atomic_write(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        _write(text, source, header, wanted, texts)
        text.detach()


def _write(file: TextIO, source: Source, header: list[str], wanted: OutputColumns, texts: Iterator[str]) -> None:
    """Write the header with the first rows, so that an error there leaves nothing behind."""
    first = next(texts, None)
    if first is None:
        raise no_rows(source)
    if not wanted.as_json:
        file.write(as_text(header, iter([header]), as_json=False))
    while first is not None:
        file.write(first)
        file.flush()
        first = next(texts, None)
