"""Rows are chosen and texts are encoded as Arrow does it, with and without Arrow's functions."""

import subprocess
import sys

import numpy as np
import pyarrow as arrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tables.read import arrow_arrays
from rosenblatt.tables.read.arrow_arrays import take_rows

SIZES = (1, 50, arrow_arrays.MAX_ROWS_IN_PYTHON, arrow_arrays.MAX_ROWS_IN_PYTHON + 1)


def mixed_table(size):
    places = range(size)
    return arrow.table(
        {
            "number": arrow.array([None if place % 7 == 3 else place / 4 for place in places], arrow.float64()),
            "text": [None if place % 5 == 1 else f"text {place}" for place in places],
            "kind": arrow.array([None if place % 6 == 2 else "ab"[place % 2] for place in places]).dictionary_encode(),
            "yes": [None if place % 9 == 4 else place % 2 == 0 for place in places],
            "list": [[place] * (place % 3) for place in places],
        }
    )


@given(st.data())
def test_few_rows_are_those_that_arrow_takes(data):
    table = mixed_table(data.draw(st.integers(1, 40)))
    if data.draw(st.booleans()):
        table = arrow.concat_tables([table, table])
    chosen = data.draw(st.sets(st.integers(0, table.num_rows - 1), min_size=1))
    rows = np.array(sorted(chosen), np.int64)
    found = take_rows(table, rows)
    found.validate(full=True)
    assert found.to_pylist() == table.take(rows).to_pylist()


@pytest.mark.parametrize("size", SIZES)
def test_rows_are_taken_on_both_sides_of_the_limit(size):
    table = mixed_table(2 * size)
    for rows in (np.arange(0, 2 * size, 2), np.arange(size // 2, size // 2 + size)):
        assert take_rows(table, rows).to_pylist() == table.take(rows).to_pylist()


def test_training_on_a_small_file_does_not_import_arrows_functions(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{place},{place % 7},{'abc'[place % 3]},{'yes' if place % 5 > 1 else 'no'}" for place in range(200)]
    path.write_text("\n".join(["a,b,c,target", *lines]))
    code = "import sys; from rosenblatt.cli import main; sys.argv[0] = 'rosenblatt'\ntry:\n    main()\n"
    code += "except SystemExit as end:\n    assert not end.code\nprint('pyarrow.compute' in sys.modules)"
    arguments = ["train", path, "--target", "target", "-o", tmp_path / "model.safetensors"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
