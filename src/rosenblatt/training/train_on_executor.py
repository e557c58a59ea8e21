"""Train on an encoded table by an executor: its rows become blocks, from the cache where the table has one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..distributed.block import Block, blocks_of_arrays
from ..distributed.cluster import Cluster
from ..distributed.traffic import Traffic
from ..distributed.train_blocks import check_plan, train_blocks
from ..engine.result import TrainingResult
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.errors import InputError
from ..foundation.seeds import draw_seed
from ..foundation.splitting import TRAIN, USE_NAMES
from ..foundation.types import Floats
from ..tables.read.batches import Source
from ..tables.survey.encoded_table import EncodedTable
from .request import NamedPlan, Request

if TYPE_CHECKING:
    from .training_job import TrainingJob


def check_for_executor(source: Source, request: Request) -> None:
    """Refuse what an executor cannot train on, before anything is read."""
    if not (source.rereadable or source.in_memory):
        raise InputError(f"{source.path} can be read only once, and workers read it again: save it to a file first.")
    if request.folds is not None:
        raise InputError("folds do not go with an executor: hold out a fraction of the rows instead.")
    if request.tune:
        raise InputError("tune does not go with an executor: choose C, or tune on one machine.")
    if request.early_stopping:
        raise InputError("early stopping does not go with an executor: leave it out, or limit max_iter.")
    check_plan(request.plan(classes=2))


def train_on_executor(
    job: "TrainingJob",
    table: EncodedTable,
    plan: NamedPlan,
    class_factors: Floats | None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Train a plan on the rows of a table that are not held out."""
    assert job.executor is not None
    cluster = Cluster(job.executor, list(table_blocks(table)), traffic=job.traffic or Traffic())
    return train_blocks(
        plan,
        cluster,
        len(table.labels),
        class_factors=class_factors,
        seed=draw_seed(job.request.seed),
        watch=job.watch,
        bookmark=bookmark,
    )


def table_blocks(table: EncodedTable) -> Iterator[Block]:
    """The blocks of the rows to train on. Rows that are not in the cache travel with their blocks."""
    use = USE_NAMES[TRAIN]
    if table.cache is not None and table.train is table.cache.rows_by_use[use]:
        from ..tables.cache.cached_block import blocks_of_cache

        yield from blocks_of_cache(table.cache, use)
    else:
        yield from blocks_of_arrays(table.train.encoded.matrix(), table.train.codes)
