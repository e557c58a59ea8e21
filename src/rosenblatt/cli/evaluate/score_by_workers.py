"""Score a table by the workers of an executor: each returns the classes and scores of the rows of its part."""

from collections.abc import Iterator
from pathlib import Path

from ...distributed.executors import open_executor
from ...distributed.ordered_tasks import in_order
from ...model.model import Model
from ...model.predict import encoder_for_source
from ...model.scored_rows import ScoredRows, scored_rows
from ...model.shared_model import SharedModel
from ...tables.read.batches import Source
from ...tables.read.table_parts import table_parts
from ..options import GivenExecutor


def scored_by_workers(
    executor: GivenExecutor, model_path: Path, model: Model, source: Source, target: str
) -> Iterator[ScoredRows]:
    """The scored rows of a table in their order, as one process finds them."""
    names = {*encoder_for_source(model, source).reading(), target}
    shared = SharedModel.of(model_path)
    with open_executor(executor) as pool:
        for part in in_order(pool, table_parts(source, names), score_part, shared, target):
            yield from part


def score_part(source: Source, shared: SharedModel, target: str) -> list[ScoredRows]:
    """The scored rows of a part of a table, batch by batch."""
    return list(scored_rows(shared.load(), source, target))
