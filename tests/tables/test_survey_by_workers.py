"""A table surveyed and encoded by workers: the cache has the bytes that one process writes."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.distributed.traffic import Traffic
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.cache import disk_arrays, stored_rows
from rosenblatt.tables.cache.encoded_cache import open_cache
from rosenblatt.tables.cache.storage import Storage
from rosenblatt.tables.encode import words
from rosenblatt.tables.encode.columns import category
from rosenblatt.tables.encode.encoded_rows import EncodedRows, LabelledRows
from rosenblatt.tables.read import delimited, table_parts, text_lines, typed_files
from rosenblatt.tables.read.sources import open_source
from rosenblatt.tables.survey import survey_by_workers
from rosenblatt.tables.survey.encode_table import TableEncoding
from rosenblatt.tables.survey.table_task import SplitOptions, TableTask

ROWS = 3_000


def write_table(folder):
    """Numbers of all sizes, categories, words, dates and missing values, in CSV and Parquet. A class comes late."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kind = rng.choice(["small", "large"], ROWS)
    kind[ROWS // 2 :: 7] = "odd"
    frame = pandas.DataFrame(
        {
            "size": rng.standard_normal(ROWS) * 10.0 ** rng.integers(-150, 150, ROWS),
            "gaps": np.where(rng.random(ROWS) < 0.2, np.nan, 1e6 + rng.standard_normal(ROWS)),
            "city": rng.choice([f"city {k}" for k in range(400)], ROWS),
            "note": [" ".join(rng.choice([f"w{k}" for k in range(900)], 6)) for _ in range(ROWS)],
            "day": pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 900, ROWS), unit="D"),
            "same": kind,
            "part": rng.choice(["train", "test"], ROWS),
            "kind": kind,
        }
    )
    for number, first in enumerate(range(0, ROWS, 600)):
        some = frame.iloc[first : first + 600]
        if number % 2:
            some.to_parquet(folder / f"{number}.parquet", row_group_size=90)
        else:
            some.to_csv(folder / f"{number}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("table"))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Many batches of a small table, so many that rare words and categories are forgotten."""
    monkeypatch.setattr(text_lines, "BLOCK_SIZE", 5_000)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 5_000)
    monkeypatch.setattr(table_parts, "MAX_WHOLE_FILE", 0)
    monkeypatch.setattr(typed_files, "BATCH_ROWS", 64)
    monkeypatch.setattr(typed_files, "PIECE_ROWS", 128)
    monkeypatch.setattr(category, "MAX_COUNTED_VALUES", 300)
    monkeypatch.setattr(words, "MAX_COUNTED_WORDS", 3_000)


def encode(folder, cache, executor=None, traffic=None, **options):
    """Every file of the cache of a table, but for the header: its name and its bytes; and the encoded table."""
    given = {"kinds": {"note": "text"}, "ngrams": 2, "drop": ("part",), **options}
    task = TableTask(open_source(folder), SplitOptions(**given), "kind", executor, traffic)
    table = TableEncoding(task, Storage(folder=cache, shared=True)).run().table
    return {file.name: file.read_bytes() for file in sorted(table.cache.path.iterdir())}, table


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test_fraction": 0.0},
        {"test_fraction": 0.7, "seed": 3},
        {"split_column": "part", "drop": ()},
        {"scale": False},
    ],
    ids=str,
)
def test_workers_write_the_bytes_of_one_process(folder, tmp_path, options):
    expected, one = encode(folder, tmp_path / "one", **options)
    assert {"header.json", "train.values", "test.values", "train.codes"} <= expected.keys()
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as threads:
            found, many = encode(folder, tmp_path / f"{workers}", threads, **options)
        assert found == expected
        assert (many.leaks, many.class_counts) == (one.leaks, one.class_counts) == (["same"], one.class_counts)


def test_processes_write_the_same_and_one_that_dies_changes_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.undo()  # processes read with the usual sizes
    expected, _ = encode(folder, tmp_path / "one")
    monkeypatch.setattr(survey_by_workers, "part_survey", DieOnce(str(tmp_path / "died")))
    with LocalProcesses(2) as processes:
        assert encode(folder, tmp_path / "many", processes)[0] == expected
    assert (tmp_path / "died").exists()


NUMBERS = {"kinds": {}, "ngrams": 1, "drop": ("part", "city", "note", "same", "day")}  # dense rows


@pytest.mark.parametrize("fraction", [0.0, 0.3])
def test_workers_write_dense_rows_themselves_to_the_same_bytes(folder, tmp_path, monkeypatch, fraction):
    for module in (disk_arrays, stored_rows):
        monkeypatch.setattr(module, "BLOCK_BYTES", 1_000)  # parts begin and end within blocks of checksums
    expected, _ = encode(folder, tmp_path / "one", **NUMBERS, test_fraction=fraction)
    for workers in (1, 3):
        traffic = Traffic()
        with ThreadPoolExecutor(workers) as threads:
            found, _ = encode(folder, tmp_path / f"{workers}", threads, traffic, **NUMBERS, test_fraction=fraction)
        assert found == expected
        assert traffic.by_kind["part rows"].returned < len(expected["train.values"])
        open_cache(tmp_path / f"{workers}", next((tmp_path / f"{workers}").iterdir()).name, 1 << 30)  # checks all bytes


def test_a_worker_that_dies_while_it_writes_changes_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.undo()
    expected, _ = encode(folder, tmp_path / "one", **NUMBERS)
    monkeypatch.setattr(survey_by_workers, "part_rows", DieOnce(str(tmp_path / "died"), "part_rows"))
    with LocalProcesses(2) as processes:
        assert encode(folder, tmp_path / "many", processes, **NUMBERS)[0] == expected
    assert (tmp_path / "died").exists()


def test_a_cache_that_a_worker_does_not_see_is_named(tmp_path):
    rows = LabelledRows(EncodedRows(1, np.ones((2, 1)), None), np.zeros(2, np.int32))
    places = stored_rows.RowPlaces(str(tmp_path / "gone" / "key"), {"train": 0})
    with pytest.raises(InputError, match=r"a worker on .* cannot write into .*gone: put the cache"):
        list(places.store([{"train": rows}]))


class DieOnce:
    """A function of a part, in a process that is killed when the function has ended for the first time."""

    def __init__(self, mark, name="part_survey"):
        self.mark, self.name = mark, name

    def __call__(self, *args):
        done = getattr(survey_by_workers, self.name)(*args)
        try:
            Path(self.mark).touch(exist_ok=False)
        except FileExistsError:
            return done
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("1.0,a\nx,b\n", r"column 'size' does not hold numbers|'x'"),
        ("1.0,a\n2.0,\n", r"column 'kind' has no class in 1 row at least, the first in line 3"),
        ("", r"names columns but has no rows"),
        ("1.0,a\n2.0,a\n", r"has only one class, 'a'"),
    ],
)
def test_errors_are_those_of_one_process(tmp_path, rows, sentence):
    (tmp_path / "rows.csv").write_text(f"size,kind\n{rows}")
    options = {"kinds": {"size": "number"} if rows else {}, "drop": ()}
    with ThreadPoolExecutor(2) as threads:
        for executor in (None, threads):
            with pytest.raises(InputError, match=sentence):
                encode(tmp_path / "rows.csv", tmp_path / "cache", executor, **options)
    assert not (tmp_path / "cache").exists() or not list((tmp_path / "cache").iterdir())
