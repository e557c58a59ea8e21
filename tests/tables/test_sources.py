"""Every kind of file, however compressed and wherever it lies, gives the same table; what is broken is named."""

import bz2
import gzip
import io
import lzma
import threading

import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from pyarrow import feather, parquet
from seen_tables import READING, seen

from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import typed_files
from rosenblatt.tables.read.arrow_arrays import category_codes, floats
from rosenblatt.tables.read.parallel_map import map_in_parallel
from rosenblatt.tables.read.sources import open_source
from rosenblatt.tables.read.text_lines import BLOCK_SIZE

TABLE = arrow.table({"size": [1.5, None, 3.0, 4.0], "kind": ["oak", "ash", None, "oak"], "note": list("abcd")})

COMPRESSIONS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: arrow.compress(data, codec="zstd", asbytes=True),
}


def as_csv(delimiter):
    frame = TABLE.to_pandas()
    return lambda: frame.to_csv(index=False, sep=delimiter).encode()


def written(write):
    def content():
        sink = io.BytesIO()
        write(sink)
        return sink.getvalue()

    return content


def stream(sink):
    with arrow.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


FORMATS = {
    "csv": as_csv(","),
    "tsv": as_csv("\t"),
    "semicolons": as_csv(";"),
    "parquet": written(lambda sink: parquet.write_table(TABLE, sink)),
    "arrow": written(lambda sink: feather.write_feather(TABLE, sink, compression="uncompressed")),
    "stream": written(stream),
    "jsonl": lambda: TABLE.to_pandas().to_json(orient="records", lines=True).encode(),
}


def assert_is_table(source, times=1):
    sizes, kinds = seen(source)
    np.testing.assert_array_equal(sizes, [1.5, np.nan, 3.0, 4.0] * times)
    assert kinds == ["oak", "ash", None, "oak"] * times


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_and_compression(kind, compression, tmp_path):
    """The name says nothing: the content does."""
    path = tmp_path / "table"
    path.write_bytes(COMPRESSIONS[compression](FORMATS[kind]()))
    source = open_source(path)
    assert source.names == ["size", "kind", "note"]
    assert_is_table(source)
    assert_is_table(source)  # once more
    assert source.size == path.stat().st_size


@pytest.mark.parametrize("kind", FORMATS)
def test_standard_input(kind, monkeypatch):
    content = FORMATS[kind]()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert_is_table(open_source("-"))


def test_several_files_a_pattern_and_a_folder(tmp_path):
    for name in ("a.csv", "b.csv.gz"):
        compress = gzip.compress if name.endswith("gz") else bytes
        (tmp_path / name).write_bytes(compress(FORMATS["csv"]()))
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden").write_text("no table")
    for where in ([tmp_path / "a.csv", tmp_path / "b.csv.gz"], tmp_path / "*.csv*", tmp_path):
        assert_is_table(open_source(where), times=2)


def test_folders_that_say_something_are_columns(tmp_path):
    for year in (2023, 2024):
        (tmp_path / f"year={year}" / "region=north").mkdir(parents=True)
        parquet.write_table(TABLE, tmp_path / f"year={year}" / "region=north" / "part.parquet")
    source = open_source(tmp_path)
    assert source.names == ["size", "kind", "note", "year", "region"]
    years = [category_codes(batch.table.column("year")).texts for batch in source.read_all({"year": "category"})]
    assert years == [["2023"], ["2024"]]


@pytest.mark.parametrize("make", [lambda: TABLE, TABLE.to_pandas, lambda: TABLE.to_pydict()])
def test_tables_in_memory(make):
    assert_is_table(open_source(make()))


def test_files_whose_columns_differ_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("size,kind\n1,oak\n")
    (tmp_path / "b.csv").write_text("size,sort\n1,oak\n")
    with pytest.raises(InputError, match=r"b.csv has no column 'kind', which .*a.csv has"):
        open_source(tmp_path).read_all(READING)


def test_rows_of_many_blocks_keep_their_lines(tmp_path):
    """Line ends in quotes and blank lines count as people count them, across blocks."""
    filler = "x" * 1000
    rows = BLOCK_SIZE // 1000 + 50
    lines = [f'{row},"{filler}\n""more"""\n{"" if row % 3 else chr(10)}' for row in range(rows)]
    path = tmp_path / "table.csv"
    path.write_text("size,kind\n" + "".join(lines))
    batches = open_source(path).read_all(READING)
    assert len(batches) > 1
    assert sum(batch.table.num_rows for batch in batches) == rows
    content = path.read_text().split("\n")
    for batch in batches:
        for row in (0, batch.table.num_rows - 1):
            line = int(batch.place(row).removeprefix("line "))
            assert content[line - 1].split(",")[0] == str(int(floats(batch.table.column("size"))[row]))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_as_any_system_ends_them(newline, tmp_path):
    path = tmp_path / "table.csv"
    rows = BLOCK_SIZE // 4
    path.write_text(f"size,kind{newline}" + f'1,"o{newline}k"{newline}' * 2 + f"2,fir{newline}" * rows, newline="")
    batches = open_source(path).read_all(READING)
    assert sum(batch.table.num_rows for batch in batches) == rows + 2
    assert seen(open_source(path))[1][:3] == [f"o{newline}k"] * 2 + ["fir"]
    assert batches[0].place(2) == "line 6"
    assert batches[-1].place(batches[-1].table.num_rows - 1) == f"line {rows + 5}"


def test_a_block_ends_in_no_quotes_whatever_quotes_are_letters(tmp_path):
    """A quote within a value is a letter, so quotes need not come in pairs up to a line's end."""
    path = tmp_path / "table.csv"
    pairs = 8 * BLOCK_SIZE // 1000
    path.write_text("size,kind\n" + f'1,5" pipe\n2,"a\n{"x" * 1000}"\n' * pairs)
    batches = open_source(path).read_all(READING)
    assert sum(batch.table.num_rows for batch in batches) == 2 * pairs


def test_quotes_in_tabbed_text_are_letters_unless_all_are_pairs(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text('size\tkind\n1\t"Good" film\n2\tplain\n')
    assert seen(open_source(path))[1] == ['"Good" film', "plain"]
    path.write_text('size\tkind\n1\t"Good\tfilm"\n2\tplain\n')
    assert seen(open_source(path))[1] == ["Good\tfilm", "plain"]


def test_libsvm_text(tmp_path):
    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress(b"+1 1:0.5 3:2 # first\n-1 2:1\n"))
    source = open_source(path)
    assert (source.names, source.target) == (["label", "features"], "label")
    [batch] = source.read_all({"label": "category", "features": "numbered"})
    assert batch.table.column("features").to_pylist() == [
        [{"index": 1, "value": 0.5}, {"index": 3, "value": 2.0}],
        [{"index": 2, "value": 1.0}],
    ]


def test_batches_of_a_large_table_are_bounded(tmp_path):
    frame = pd.DataFrame({"size": np.arange(400_000), "kind": "oak"})
    parquet.write_table(arrow.Table.from_pandas(frame), tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.parquet", "t.csv"):
        batches = open_source(tmp_path / name).read_all(READING)
        assert len(batches) > 1
        assert np.concatenate([floats(batch.table.column("size")) for batch in batches]).tolist() == [*range(400_000)]


# While a source is read


def test_reading_may_be_given_up_in_one_of_its_own_threads():
    """As when garbage is collected there: nothing may wait for itself, nor complain."""
    held, begun, ended = [], threading.Event(), threading.Event()

    def make(k):
        if k == 4 and begun.wait(10):
            held.pop().close()
            ended.set()
        return k

    held.append(map_in_parallel(make, range(100), threads=2))
    assert [next(held[0]) for _ in range(2)] == [0, 1]  # so that 4 is under way
    begun.set()
    assert ended.wait(10)


def test_lines_of_json_count_as_read_when_they_come(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text(f'{{"a": 1, "b": "{"x" * 10_000}"}}\n' * 4000)
    source = open_source(path)
    batches = source.batches({"a": "number"})
    next(batches)
    assert 0 < source.done < source.size / 4  # not what is read ahead
    assert sum(batch.table.num_rows for batch in batches) < 4000
    assert source.done == source.size


def test_a_wide_parquet_file_is_decoded_piece_by_piece_into_the_same_batches(tmp_path, monkeypatch):
    """The batches decide which sums are made, so they must not depend on how much Arrow decodes at once."""
    rows = arrow.table({"a": range(5000), "b": [f"text {k % 7}" for k in range(5000)]})
    parquet.write_table(rows, tmp_path / "rows.parquet", row_group_size=1700)
    monkeypatch.setattr(typed_files, "BATCH_ROWS", 2048)
    monkeypatch.setattr(typed_files, "MIN_DECODED_ROWS", 100)
    source = open_source(tmp_path / "rows.parquet")
    decoded, made = [], []
    open_file = type(source)._open

    class Listening:
        def __init__(self, file):
            self.file, self.metadata, self.schema_arrow = file, file.metadata, file.schema_arrow

        def iter_batches(self, size, **more):
            decoded.append(size)
            return self.file.iter_batches(size, **more)

    monkeypatch.setattr(type(source), "_open", lambda self: Listening(open_file(self)))
    for cells in (1 << 22, 400):
        monkeypatch.setattr(typed_files, "DECODED_CELLS", cells)
        made.append([batch.table for batch in source.batches({"a": "number", "b": "category"})])
    assert decoded == [2048, 200]
    assert [table.num_rows for table in made[1]] == [2048, 2048, 904]
    for one, other in zip(*made, strict=True):
        assert one.equals(other)
    assert arrow.concat_tables(made[1]).column("a").to_pylist() == list(range(5000))
