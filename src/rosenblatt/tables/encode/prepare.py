"""Which columns of a source to learn from, and some of its rows."""

from collections.abc import Sequence

import numpy as np

from ...foundation.errors import InputError
from ...foundation.types import Places
from ..read.arrow_arrays import from_numpy
from ..read.batches import Batch, Source
from ..read.column_names import find
from .column_kinds import Look, look
from .column_options import ColumnOptions
from .encoder import Encoder, encoder_for


def encoder_of(source: Source, options: ColumnOptions, target: str | None = None) -> Encoder:
    """An encoder, ready to learn, for all columns but the target and those to leave out; so is one without a name."""
    without = {""} if target is None else {"", find(source, target, "to predict")}
    without |= {find(source, name, "to drop") for name in options.drop}
    if options.split_column is not None:
        without.add(find(source, options.split_column, "that splits the rows"))
    for name in options.kinds:
        find(source, name, "to give a kind")
    columns = [name for name in source.names if name not in without]
    if not columns:
        raise InputError(
            f"{source.path} has no columns to learn from" + ("." if target is None else f" besides {target!r}.")
        )
    sample = source.sample()
    if not sample.table.num_rows:
        raise InputError(f"{source.path} names columns but has no rows.")
    looked = look(sample, [name for name in columns if name not in options.kinds])
    looks = {name: Look(options.kinds[name]) if name in options.kinds else looked[name] for name in columns}
    texts = {"ngrams": options.ngrams, "tf_idf": options.tf_idf, "sublinear": not options.word_counts}
    return encoder_for(looks, options.scale, **texts)


def select_rows(batches: Sequence[Batch], places: Places) -> list[Batch]:
    """Some rows of batches, by their sorted places."""
    found, first = [], 0
    for batch in batches:
        rows = batch.table.num_rows
        inside = places[np.searchsorted(places, first) : np.searchsorted(places, first + rows)] - first
        if len(inside):
            found.append(rows_of(batch, inside))
        first += rows
    return found


def rows_of(batch: Batch, rows: Places) -> Batch:
    """Some rows of a batch, by their sorted places."""
    if len(rows) == batch.table.num_rows:
        return batch
    first, count = int(rows[0]), len(rows)
    table = (
        batch.table.slice(first, count)
        if rows[-1] - first + 1 == count
        else batch.table.take(from_numpy(rows.astype(np.int64)))
    )
    return Batch(table, batch.path, lambda row: batch.place(int(rows[row])))
