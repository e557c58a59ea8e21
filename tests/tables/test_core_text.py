"""Plain text is read by the core, everything else by Arrow: nobody can tell."""

import numpy as np
import pyarrow as arrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import _core
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import delimited
from rosenblatt.tables.read.arrow_arrays import floats
from rosenblatt.tables.read.sources import open_source


def both(text, monkeypatch, tmp_path, **reading):
    """A table as the core reads it, and as Arrow does; whether the core did."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    read, refused = [], []
    native = delimited._core.read_delimited

    def seen(*given):
        found = native(*given)
        (refused if found is None else read).append(found)
        return found

    monkeypatch.setattr(delimited._core, "read_delimited", seen)
    first = arrow.concat_tables(batch.table for batch in open_source(path).batches(reading))
    monkeypatch.setattr(delimited._core, "read_delimited", lambda *given: None)
    second = arrow.concat_tables(batch.table for batch in open_source(path).batches(reading))
    monkeypatch.undo()
    for name, kind in reading.items():
        columns = [table.column(name) for table in (first, second)]
        if kind == "number":
            np.testing.assert_array_equal(*(floats(column).view(np.int64) for column in columns))
        else:
            assert columns[0].type == columns[1].type
            assert columns[0].to_pylist() == columns[1].to_pylist()
    return bool(read) and not refused


@pytest.mark.parametrize(
    "text",
    [
        "n,w\n1,a\n-2.5,b\n",
        "n,w\r\n1,a\r\n\r\n0.1,b",
        "n,w\n,a\n1e-7,b\n12345678901234567890.5,c\n",
        "n,w\n0.30000000000000004,a\n9007199254740993,b\n1.7976931348623157e308,c\n-0,d\n4.9e-324,e\n",
        "n,w\n123456.7890123456789012345678901234,no\n0.0000000000000000000000000000012345,neg\n",
        "n;w\n1;a b c\n2;a,b\n",
        'n,w\n1,"a"\n2,"b, c"\r\n3,d\n',
        'n,w\n"1",a\n"-2.5","b"\r\n"",c\n',
        'n,w\r\n1.5,"a"\r\n' + '-0.25,"a longer word than others"\r\n' * 9 + '-12.5,"b, c"\r\n2,d',
    ],
)
def test_plain_text_is_read_by_the_core_as_arrow_reads_it(text, monkeypatch, tmp_path):
    for kind in ("category", "text"):
        assert both(text, monkeypatch, tmp_path, n="number", w=kind)
        assert both(text, monkeypatch, tmp_path, w=kind)


@pytest.mark.parametrize(
    "text",
    [
        'n,w\n1,"a ""b"""\n',
        'n,w\n1,"a\nb"\n',
        'n,w\n1,a "b"\n',
        'n,w\n"1" ,a\n',
        "n,w\n 1,a\n",
        "n,w\n+1,a\n",
        "n,w\n1.,a\n.5,b\n",
        "n,w\n1,\u00e4\n",
    ],
)
def test_irregular_csv_is_left_to_arrow(text, monkeypatch, tmp_path):
    assert not both(text, monkeypatch, tmp_path, n="number", w="category")


@pytest.mark.parametrize("gap", [*delimited.MISSING_VALUES, '"?"', '""'])
def test_missing_values_are_read_by_the_core_as_arrow_reads_them(gap, monkeypatch, tmp_path):
    text = f"n,w\n1,a\n{gap},{gap}\n2,b\n{gap},a\n3,{gap}\n"
    assert both(text, monkeypatch, tmp_path, n="number", w="category")
    assert not both(text, monkeypatch, tmp_path, n="number", w="text")


WORDS = st.sampled_from(
    ["a", "b", "ab", "sixteen letters.", "seventeen letters", "a text longer than two blocks of bytes"]
)


@given(st.lists(WORDS, min_size=1, max_size=60))
def test_categories_are_numbered_as_arrow_numbers_them(texts):
    letters = np.frombuffer("\n".join(texts).encode(), np.uint8)
    found = _core.read_delimited(letters, ",", True, np.array([3], np.uint8))
    expected = arrow.array(texts).dictionary_encode()
    column = delimited._arrow_column(found[0])
    column.validate(full=True)
    assert column.equals(expected)


@pytest.mark.parametrize("text", ["1,a\rb\n", "1,a\r", '1,"a\n', '1,"a"b\n', "1,a,2\n", "1\n", "1,a\n2", "a,1\n"])
def test_the_core_reads_nothing_that_is_odd(text):
    odd = np.frombuffer(("1.5,a\n" * 30 + text).encode(), np.uint8)
    for kind in (2, 3):
        kinds = np.array([1, kind], np.uint8)
        assert _core.read_delimited(odd, ",", True, kinds) is None
        assert _core.read_delimited(odd[-len(text) :], ",", True, kinds) is None


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_read_again_block_by_block(mark, monkeypatch, tmp_path):
    path, reading = tmp_path / "t.csv", {"n": "number", "w": "category"}
    rows = [f'{k}.5,"word {k % 7}"\r\n' for k in range(1000)]
    path.write_bytes(mark + "".join(["n,w\r\n", *rows]).encode())
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1000)
    monkeypatch.setattr(delimited, "BYTES_PER_COLUMN", 10)
    source = open_source(path)
    first = list(source.batches(reading))
    monkeypatch.setattr(delimited, "read_blocks", None)  # nobody looks for the ends of rows again
    again = list(source.batches(reading))
    assert len(first) > 5
    assert [batch.table for batch in again] == [batch.table for batch in first]
    assert [batch.where(3) for batch in again] == [batch.where(3) for batch in first]
    assert source.done == source.size
    monkeypatch.undo()
    path.write_bytes(b"n,w\n" + b"".join(b"%d,other\n" % k for k in range(9)))  # but of another file
    assert [batch.table.num_rows for batch in source.batches(reading)] == [9]


NUMERALS = st.from_regex(r"-?[0-9]{1,9}(\.[0-9]{1,9})?(e-?[0-9]{1,2})?", fullmatch=True)


@given(st.lists(NUMERALS, min_size=1, max_size=200))
def test_numbers_are_read_to_the_last_bit(texts):
    letters = np.frombuffer("".join(f"{text},{text}\n" for text in texts).encode(), np.uint8)
    columns = _core.read_delimited(letters, ",", True, np.ones(2, np.uint8))
    for column in columns:
        assert column.tobytes() == np.array([float(text) for text in texts]).tobytes()


@pytest.mark.parametrize(("row", "what"), [("1", "1 value"), ("1,a,2", "3 values"), ("x,a", "'x' in line 3")])
def test_rows_that_are_wrong_are_told(row, what, tmp_path):
    (tmp_path / "t.csv").write_text(f"n,w\n1,a\n{row}\n")
    with pytest.raises(InputError, match=what):
        list(open_source(tmp_path / "t.csv").batches({"n": "number", "w": "category"}))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_numbers_are_read_back_as_they_were_written(numbers):
    text = "".join(f"{number!r},{number:.6f},{number:.17e}\n" for number in numbers).encode()
    found = delimited._core.read_delimited(np.frombuffer(text, np.uint8), ",", True, np.ones(3, np.uint8))
    wanted = [[float(style(number)) for number in numbers] for style in (repr, "{:.6f}".format, "{:.17e}".format)]
    np.testing.assert_array_equal(np.array(found).view(np.int64), np.array(wanted).view(np.int64))
