"""Parts of a table hold the batches that one process reads, row for row, whatever the format."""

import gzip
import os
import pickle
from itertools import chain

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import delimited, text_lines, typed_files
from rosenblatt.tables.read.in_memory import as_table
from rosenblatt.tables.read.sources import open_source
from rosenblatt.tables.read.table_parts import table_parts

ROWS = 5_000
RNG = np.random.default_rng(0)
KINDS = [None if draw < 0.1 else "pear" if draw < 0.5 else 'a "fig"\nor two' for draw in RNG.random(ROWS)]
TABLE = arrow.table({"a": RNG.standard_normal(ROWS), "kind": arrow.array(KINDS).dictionary_encode()})
READING = {"a": "number", "kind": "category"}


def write_csv(path, table=TABLE):
    arrow.csv.write_csv(table.set_column(1, "kind", table["kind"].cast(arrow.string())), path)


def write_json(path):
    path.write_text("".join(f'{{"a": {a!r}, "kind": "k{k % 3}"}}\n' for k, a in enumerate(TABLE["a"].to_pylist())))


def write_svm(path):
    path.write_text("".join(f"{k % 2} 1:{a!r} {2 + k % 9}:1\n" for k, a in enumerate(TABLE["a"].to_pylist())))


def write_gzip(path):
    write_csv(path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def write_folders(path):
    for year in (2023, 2024):
        (path / f"year={year}").mkdir(parents=True)
        write_csv(path / f"year={year}" / "a.csv")
        arrow.parquet.write_table(TABLE.slice(0, 0), path / f"year={year}" / "b.parquet")
        arrow.parquet.write_table(TABLE, path / f"year={year}" / "c.parquet", row_group_size=700)


FORMATS = {
    "rows.csv": write_csv,
    "rows.csv.gz": write_gzip,
    "rows.jsonl": write_json,
    "rows.svm": write_svm,
    "rows.arrow": lambda path: arrow.feather.write_feather(TABLE, path),
    "rows.parquet": lambda path: arrow.parquet.write_table(TABLE, path, row_group_size=700),
    "one-group.parquet": lambda path: arrow.parquet.write_table(TABLE, path),
    "folders": write_folders,
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks and batches of a size that makes many of a small table."""
    monkeypatch.setattr(text_lines, "BLOCK_SIZE", 10_000)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 10_000)
    monkeypatch.setattr(typed_files, "BATCH_ROWS", 512)
    monkeypatch.setattr(typed_files, "PIECE_ROWS", 1024)


def rows_of(batches):
    """The values of each batch that has rows, and how errors call one of its rows."""
    return [(batch.table.to_pydict(), batch.place(1)) for batch in batches if len(batch.table)]


@pytest.mark.parametrize("name", FORMATS)
def test_parts_hold_what_one_process_reads(tmp_path, name):
    FORMATS[name](tmp_path / name)
    source = open_source(tmp_path / name)
    reading = {name: READING.get(name, "numbered" if name == "features" else "category") for name in source.names}
    parts = [pickle.loads(pickle.dumps(part)) for part in table_parts(source, source.names)]
    found = [row for part in parts for row in rows_of(part.load().batches(reading))]
    expected = rows_of(open_source(tmp_path / name).batches(reading))
    if name in ("rows.svm", "rows.jsonl"):  # whose batches are larger here; nothing that is learned depends on them
        found, expected = (list(chain.from_iterable(map(as_rows, each))) for each in (found, expected))
    assert found == expected
    assert len(parts) > 3 or name == "rows.arrow"


def test_only_the_values_of_folders(tmp_path):
    write_folders(tmp_path / "folders")
    source = open_source(tmp_path / "folders")
    parts = table_parts(source, ["year"])
    found = [year for part in parts for batch in part.load().batches({"year": "category"}) for year in batch.table[0]]
    assert list(map(str, found)) == ["2023"] * 2 * ROWS + ["2024"] * 2 * ROWS


def as_rows(batch):
    return list(zip(*batch[0].values(), strict=True))


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "folders"])
def test_columns_as_they_are_written(tmp_path, name):
    FORMATS[name](tmp_path / name)
    source = open_source(tmp_path / name)
    texts = [written.to_pydict() for _, written in source.batches_as_written(READING, source.names)]
    parts = table_parts(open_source(tmp_path / name), source.names)
    many = [part.load().batches_as_written(READING, source.names) for part in parts]
    assert [written.to_pydict() for part in many for _, written in part] == texts


def test_a_file_that_changed_or_is_not_seen_is_refused(tmp_path):
    write_csv(tmp_path / "rows.csv")
    first, *_ = table_parts(open_source(tmp_path / "rows.csv"), ["a"])
    os.utime(tmp_path / "rows.csv", (0, 0))
    with pytest.raises(InputError, match=r"rows\.csv changed while it was read"):
        first.load()
    (tmp_path / "rows.csv").unlink()
    with pytest.raises(InputError, match=r"a worker on .* cannot read .*rows\.csv"):
        first.load()


def test_what_is_not_in_files_has_no_parts():
    with pytest.raises(InputError, match="workers read files"):
        next(table_parts(open_source(as_table({"a": [1.0]})), ["a"]))
