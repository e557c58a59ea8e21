"""Predict a table by the workers of an executor: each returns the lines of its part."""

from collections.abc import Iterator
from pathlib import Path

from ...distributed.executors import open_executor
from ...distributed.ordered_tasks import in_order
from ...model.model import Model
from ...model.predict import encoder_for_source
from ...model.shared_model import SharedModel
from ...tables.read.batches import Source
from ...tables.read.table_parts import table_parts
from ..options import GivenExecutor
from .output_lines import OutputColumns, output_texts


def texts_by_workers(
    executor: GivenExecutor, model_path: Path, model: Model, source: Source, wanted: OutputColumns
) -> Iterator[str]:
    """What is written of a table, in the order of its rows: the same bytes as one process writes."""
    names = {*encoder_for_source(model, source).reading(), *wanted.own(source)}
    shared = SharedModel.of(model_path)
    with open_executor(executor) as pool:
        yield from filter(None, in_order(pool, table_parts(source, names), part_text, shared, wanted))


def part_text(source: Source, shared: SharedModel, wanted: OutputColumns) -> str:
    """What is written of a part of a table."""
    return "".join(output_texts(shared.load(), source, wanted))
