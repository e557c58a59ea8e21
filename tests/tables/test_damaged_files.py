"""Damaged files end in a sentence: never in a crash, nor in a traceback."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pytest

from rosenblatt import fit
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import typed_files
from rosenblatt.tables.read.sources import open_source

READER = Path(__file__).with_name("damaged_files.py")


def written(path, table):
    with arrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def texts_that_begin(starts, letters=b"oakash"):
    """A text column whose texts begin where these numbers say."""
    buffers = [None, arrow.py_buffer(np.array(starts, np.int32)), arrow.py_buffer(letters)]
    return arrow.Array.from_buffers(arrow.string(), len(starts) - 1, buffers)


UNSOUND = {
    "texts outside of their memory": texts_that_begin([0, 1 << 30, 3, 6]),
    "texts of a negative size": texts_that_begin([3, 0, 3, 6]),
    "texts not in UTF-8": texts_that_begin([0, 1, 2, 3], b"\xff\xfe\xfd"),
    "entries beyond a dictionary": arrow.DictionaryArray.from_arrays(
        arrow.array([0, 99, 1]), arrow.array(["oak", "ash"]), safe=False
    ),
}


@pytest.mark.parametrize("what", UNSOUND)
def test_arrow_offsets_out_of_bounds_are_refused(what, tmp_path):
    table = arrow.table({"kind": UNSOUND[what], "size": [1.0, 2.0, 3.0]})
    path = written(tmp_path / "rows.arrow", table)
    with pytest.raises(InputError, match=r"rows\.arrow is damaged or not in Arrow format \(.*\): fetch or write"):
        list(open_source(path).batches({"kind": "category"}))


def test_a_column_whose_name_is_no_text(tmp_path):
    sink = io.BytesIO()
    written(sink, arrow.table({"name": [1.0], "kind": ["oak"]}))
    path = tmp_path / "rows.arrow"
    path.write_bytes(sink.getvalue().replace(b"name", b"n\xff\xfee"))
    with pytest.raises(InputError, match=r"rows\.arrow is damaged or not in Arrow format"):
        open_source(path)


def test_json_that_is_no_text_below_its_first_lines(tmp_path):
    path, row = tmp_path / "rows.jsonl", b'{"note": "oak"}\n'
    path.write_bytes(row * 100_000 + b'{"note": "o\xff\xfek"}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl, line 100001 is not text in UTF-8"):
        list(open_source(path).batches({"note": "text"}))


def test_a_file_cut_short_while_it_is_in_use(tmp_path):
    path = written(tmp_path / "rows.arrow", arrow.table({"size": np.arange(100_000.0)}))
    [*batches] = open_source(path).batches({"size": "number"})
    os.truncate(path, 10)
    assert [batch.table.column("size")[-1].as_py() for batch in batches] == [65_535.0, 99_999.0]


def test_a_file_of_large_batches_is_mapped(monkeypatch, tmp_path):
    """Reading one of them at once could take more memory than allowed."""
    path = written(tmp_path / "rows.arrow", arrow.table({"size": np.arange(100_000.0)}))
    monkeypatch.setattr(typed_files, "MAX_UNMAPPED_BATCH", 1000)
    before = arrow.total_allocated_bytes()
    [*batches] = open_source(path).batches({"size": "number"})
    assert arrow.total_allocated_bytes() - before < 100_000
    assert [batch.table.num_rows for batch in batches] == [65_536, 34_464]


def test_many_damaged_files(tmp_path):
    done = subprocess.run([sys.executable, READER, tmp_path], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr)
    wrong = [(lines[place - 1], line) for place, line in enumerate(lines) if not line.startswith("at ")]
    assert not wrong
    assert len(lines) >= 200


def test_an_intact_file_is_read(tmp_path):
    table = arrow.table({"size": [1.0, 2.0, 8.0, 9.0] * 5, "kind": ["small", "small", "large", "large"] * 5})
    path = written(tmp_path / "rows.arrow", table)
    model = fit(path, target="kind")
    assert model.predict(path).tolist() == table.column("kind").to_pylist()
