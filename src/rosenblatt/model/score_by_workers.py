"""Score a table by the workers of an executor: each returns what it finds in the rows of its part."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..distributed.executors import open_executor
from ..distributed.ordered_tasks import in_order
from ..tables.read.batches import Source
from ..tables.read.table_parts import table_parts
from .model import Model
from .predict import encoder_for_source
from .scored_rows import ScoredRows, scored_rows
from .shared_model import AnyModel

T = TypeVar("T")


def scored_by_workers(
    executor: Any, shared: AnyModel, model: Model, source: Source, target: str
) -> Iterator[ScoredRows]:
    """The scored rows of a table in their order, as one process finds them."""
    for part in map_parts(executor, model, source, [target], score_part, shared, target):
        yield from part


def map_parts(
    executor: Any, model: Model, source: Source, more: list[str], function: Callable[..., T], *args: Any
) -> Iterator[T]:
    """function(part, *args) of each part of a table, in order. A part has the model's columns and these `more`."""
    names = {*encoder_for_source(model, source).reading(), *more}
    with open_executor(executor) as pool:
        yield from in_order(pool, table_parts(source, names), function, *args)


def score_part(source: Source, shared: AnyModel, target: str) -> list[ScoredRows]:
    """The scored rows of a part of a table, batch by batch."""
    return list(scored_rows(shared.load(), source, target))
