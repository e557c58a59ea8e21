"""Predict a table by the workers of an executor: each returns the lines of its part."""

from collections.abc import Iterator
from pathlib import Path

from ...model.model import Model
from ...model.score_by_workers import map_parts
from ...model.shared_model import SharedModel
from ...tables.read.batches import Source
from ..options import GivenExecutor
from .output_lines import OutputColumns, output_texts


def texts_by_workers(
    executor: GivenExecutor, model_path: Path, model: Model, source: Source, wanted: OutputColumns
) -> Iterator[str]:
    """What is written of a table, in the order of its rows: the same bytes as one process writes."""
    shared = SharedModel.of(model_path)
    return filter(None, map_parts(executor, model, source, wanted.own(source), part_text, shared, wanted))


def part_text(source: Source, shared: SharedModel, wanted: OutputColumns) -> str:
    """What is written of a part of a table."""
    return "".join(output_texts(shared.load(), source, wanted))
