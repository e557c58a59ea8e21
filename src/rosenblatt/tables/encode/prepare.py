"""Choose the columns of a source to learn from, and select rows of its batches."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...foundation.errors import InputError
from ...foundation.types import Places
from ..read.arrow_arrays import take_rows
from ..read.batches import Batch, Source
from ..read.column_names import find_column
from .column_kinds import guess_kinds, kind_as_told
from .column_options import ColumnOptions
from .encoder import Encoder, make_encoder

MAX_PIECE_ROWS = 4096  # that are encoded at once to be scored: encoded rows take up to eight times the memory


def prepare_encoder(source: Source, options: ColumnOptions, target: str | None = None) -> Encoder:
    """An unfitted encoder for all columns but the target, those to drop, and one without a name."""
    without = {""} if target is None else {"", find_column(source, target, "to predict")}
    without |= {find_column(source, name, "to drop") for name in options.drop}
    if options.split_column is not None:
        without.add(find_column(source, options.split_column, "that splits the rows"))
    for name in options.kinds:
        find_column(source, name, "to give a kind")
    columns = [name for name in source.names if name not in without]
    if not columns:
        raise InputError(
            f"{source.path} has no columns to learn from" + ("." if target is None else f" besides {target!r}.")
        )
    sample = source.sample()
    if not sample.table.num_rows:
        raise InputError(f"{source.path} names columns but has no rows.")
    guesses = guess_kinds(sample, [name for name in columns if name not in options.kinds])
    chosen = {name: kind_as_told(sample, name, kind) for name, kind in options.kinds.items()}
    kinds = {name: chosen.get(name) or guesses[name] for name in columns}
    texts = {"ngrams": options.ngrams, "tf_idf": options.tf_idf, "sublinear": not options.word_counts}
    return make_encoder(kinds, options.scale, **texts)


def row_pieces(batch: Batch) -> Iterator[tuple[Batch, int]]:
    """The rows of a batch, at most `MAX_PIECE_ROWS` at a time, and the number of the first of them."""
    for first in range(0, batch.table.num_rows, MAX_PIECE_ROWS):
        rows = np.arange(first, min(first + MAX_PIECE_ROWS, batch.table.num_rows))
        yield select_batch_rows(batch, rows), first


def select_rows(batches: Sequence[Batch], places: Places) -> list[Batch]:
    """The rows of batches at these sorted places."""
    found, first = [], 0
    for batch in batches:
        rows = batch.table.num_rows
        inside = places[np.searchsorted(places, first) : np.searchsorted(places, first + rows)] - first
        if len(inside):
            found.append(select_batch_rows(batch, inside))
        first += rows
    return found


def select_batch_rows(batch: Batch, rows: Places) -> Batch:
    """The rows of a batch at these sorted places."""
    if len(rows) == batch.table.num_rows:
        return batch
    table = take_rows(batch.table, rows.astype(np.int64))
    return Batch(table, batch.path, lambda row: batch.place(int(rows[row])))
