"""Every type that Arrow has either works, as a feature and as a target, or a sentence names it."""

import datetime
import decimal
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

from rosenblatt import TableEncoder, fit, save
from rosenblatt.cli.app import app
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read.arrow_arrays import days, to_python
from rosenblatt.tables.read.sources import open_source
from rosenblatt.tables.read.svmlight_table import ENTRY_TYPE

ROWS = 40
DAY = datetime.datetime(2020, 1, 1)
LISTS = [[1, 2], [3, 4], None, [5, 6]]
UNMADE = {"INTERVAL_DAY_TIME", "INTERVAL_MONTHS"}  # pyarrow cannot make these


def of(kind, *values):
    return arrow.array(list(values) * (ROWS // len(values)), kind)


def numbers(kind):
    return of(kind, 1, 2, None, 4)


def texts(kind):
    return of(kind, "oak", "ash", None, "a text that is long enough to be stored elsewhere")


def letters(kind):
    return of(kind, b"oak!", b"ash!", None, b"elm!")


def times(kind):
    return of(kind, *(DAY + datetime.timedelta(days=31 * month) for month in range(4)))


def runs(values):
    ends = arrow.array([ROWS // 4, ROWS // 2, ROWS], arrow.int32())
    return arrow.RunEndEncodedArray.from_arrays(ends, values)


def union(make):
    kinds = arrow.array([0, 1] * (ROWS // 2), arrow.int8())
    children = [of(arrow.int64(), 1, 2), of(arrow.string(), "a", "b")]
    if make == "dense":
        places = arrow.array([place // 2 for place in range(ROWS)], arrow.int32())
        return arrow.UnionArray.from_dense(kinds, places, children)
    return arrow.UnionArray.from_sparse(kinds, children)


def extended(kind, storage):
    return arrow.ExtensionArray.from_storage(kind, storage)


WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DECIMALS = ("decimal32", "decimal64", "decimal128", "decimal256")
NUMBERS = {name: numbers(getattr(arrow, name)()) for name in (*WHOLE, "float32", "float64")}
NUMBERS |= {name: of(getattr(arrow, name)(5, 2), *map(decimal.Decimal, ("1.5", "2", "3", "4"))) for name in DECIMALS}
NUMBERS |= {
    "float16": of(arrow.float16(), *np.array([1, 2, 3, 4], np.float16)),
    "runs of numbers": runs(arrow.array([1.5, 3.5, 2.5])),
    "bool8": extended(arrow.bool8(), of(arrow.int8(), 0, 1)),
}
TEXTS = {name: texts(getattr(arrow, name)()) for name in ("string", "large_string", "string_view")}
TEXTS |= {
    "bool": of(arrow.bool_(), True, False, None, True),
    "dictionary": texts(arrow.string()).dictionary_encode(),
    "dictionary of views": arrow.DictionaryArray.from_arrays(
        of(arrow.int8(), 0, 1), arrow.array(["a", "b"], arrow.string_view())
    ),
    "dictionary of numbers": numbers(arrow.int64()).dictionary_encode(),
    "dictionary of dates": times(arrow.date32()).dictionary_encode(),
    "runs of texts": runs(arrow.array(["oak", "ash", "elm"])),
    "runs of views": runs(arrow.array(["oak", "ash", "elm"], arrow.string_view())),
    "json": extended(arrow.json_(), texts(arrow.string())),
}
DATES = {name: times(getattr(arrow, name)()) for name in ("date32", "date64")}
DATES |= {f"timestamp[{unit}]": times(arrow.timestamp(unit)) for unit in ("s", "ms", "us", "ns")}
DATES |= {"timestamp in a zone": times(arrow.timestamp("us", "Europe/Prague"))}
LEFT_OUT = {name: letters(getattr(arrow, name)()) for name in ("binary", "large_binary", "binary_view")}
LEFT_OUT |= {f"time32[{unit}]": of(arrow.time32(unit), 1, 2, None, 4) for unit in ("s", "ms")}
LEFT_OUT |= {f"time64[{unit}]": of(arrow.time64(unit), 1000, 2000, None, 4000) for unit in ("us", "ns")}
LEFT_OUT |= {f"duration[{unit}]": of(arrow.duration(unit), 1000, 2000, None, 4) for unit in ("s", "ms", "us", "ns")}
LEFT_OUT |= {
    "fixed_size_binary": letters(arrow.binary(4)),
    "uuid": extended(arrow.uuid(), of(arrow.binary(16), b"0123456789abcdef", b"fedcba9876543210")),
    "opaque": extended(arrow.opaque(arrow.binary(), "wkb", "PostGIS"), letters(arrow.binary())),
}
NESTED = {
    name: of(make(arrow.int64()), *LISTS)
    for name, make in {
        "list": arrow.list_,
        "large_list": arrow.large_list,
        "list_view": arrow.list_view,
        "large_list_view": arrow.large_list_view,
        "fixed_size_list": lambda kind: arrow.list_(kind, 2),
    }.items()
}
NESTED |= {
    "month_day_nano_interval": of(arrow.month_day_nano_interval(), (1, 2, 3), (2, 2, 3)),
    "list of lists": of(arrow.list_(arrow.list_(arrow.int8())), [[1], None], None),
    "list of structs": of(arrow.list_(arrow.struct([("a", arrow.int8())])), [{"a": 1}], None),
    "struct": of(arrow.struct([("a", arrow.int64()), ("b", arrow.list_(arrow.string()))]), {"a": 1, "b": ["x"]}, None),
    "map": of(arrow.map_(arrow.string(), arrow.int64()), [("a", 1)], [("b", 2)]),
    "dense_union": union("dense"),
    "sparse_union": union("sparse"),
    "runs of lists": runs(arrow.array([[1], [2], [3]])),
    "dictionary of lists": arrow.DictionaryArray.from_arrays(of(arrow.int8(), 0, 1), arrow.array([[1], [2]])),
    "fixed_shape_tensor": extended(
        arrow.fixed_shape_tensor(arrow.int32(), [2]), of(arrow.list_(arrow.int32(), 2), [1, 2])
    ),
}
NUMBERED = {
    "numbered": of(arrow.list_(ENTRY_TYPE), [{"index": 1, "value": 2.0}], [], [{"index": 0, "value": 1.0}], []),
}
EMPTY = {"null": arrow.nulls(ROWS), "empty texts": of(arrow.string(), "", "?")}
USED = NUMBERS | TEXTS | DATES | NUMBERED
ALL = USED | LEFT_OUT | NESTED | EMPTY


@pytest.fixture(autouse=True)
def _no_news_of_mistakes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def beside(values, name="odd"):
    """A table of this column, one of numbers, one of texts, and one of classes."""
    note = [f"the number {place % 5} of a few words" for place in range(ROWS)]
    rest = {"size": np.arange(ROWS) % 7 / 2, "note": note, "kind": ["yes", "no"] * (ROWS // 2)}
    return arrow.table({name: values, **rest})


def saved(folder, table):
    path = folder / "rows.arrow"
    with arrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def test_there_is_an_example_of_every_type():
    def ids(kind):
        if isinstance(kind, arrow.BaseExtensionType):
            kind = kind.storage_type
        return kind.id

    every = {name[5:]: number for name, number in vars(arrow.lib).items() if name.startswith("Type_")}
    made = {ids(values.type) for values in ALL.values()}
    assert {name for name, number in every.items() if number not in made} <= UNMADE


def input_error(read):
    """The message of the InputError that a call raises, or None; the call returns one value per row otherwise."""
    try:
        assert len(read()) == ROWS
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", ALL)
def test_every_arrow_type_as_a_feature(name, tmp_path):
    table = beside(ALL[name])
    path = saved(tmp_path, table)
    for source in (table, path):
        model = fit(source, target="kind", max_iter=3)
        assert len(model.predict(source)) == ROWS
        assert ("odd" in model[0].left_out_) == (name not in USED)


@pytest.mark.parametrize("name", ALL)
def test_every_arrow_type_as_the_target(name, tmp_path):
    values = ALL[name]
    if values.null_count and name not in EMPTY:
        values = arrow.array([value for value in values.to_pylist() if value is not None] * 2, values.type)[:ROWS]
    table = beside(arrow.nulls(ROWS)).slice(0, len(values)).set_column(0, "odd", values)
    path = saved(tmp_path, table)
    for source in (table, path):
        if name in NESTED | NUMBERED:
            with pytest.raises(InputError, match=r"column 'odd' holds values of type .* neither numbers"):
                fit(source, target="odd", max_iter=3)
        elif name in EMPTY:
            with pytest.raises(InputError, match="column 'odd' has no class"):
                fit(source, target="odd", max_iter=3)
        else:
            assert len(fit(source, target="odd", max_iter=3).predict(source)) == len(values)


@pytest.mark.parametrize("asked", ["number", "category", "text", "date"])
@pytest.mark.parametrize("name", ALL)
def test_every_arrow_type_read_as_another_kind(name, asked):
    """Where a kind is asked for, the column has it, or a sentence says that it has not."""
    table = beside(ALL[name])
    message = input_error(lambda: fit(table, target="kind", kinds={"odd": asked}, max_iter=3).predict(table))
    if message is not None:
        assert len(message.splitlines()) == 1
        assert "odd" in message or str(ALL[name].type) in message


@pytest.mark.parametrize("name", ALL)
def test_where_a_model_expects_another_type(name):
    for learned in ("float64", "string", "date32", "numbered"):
        model = fit(beside(ALL[learned]), target="kind", max_iter=3)
        message = input_error(lambda model=model: model.predict(beside(ALL[name])))
        if message is not None:
            assert len(message.splitlines()) == 1
            assert "odd" in message or "column of type" in message


def test_a_table_of_many_rows_of_a_rare_type():
    """Arrow counts values itself where there are many, but not of all types."""
    values = arrow.array([(1, 2, 3), (4, 5, 6)] * 3000, arrow.month_day_nano_interval())
    for odd in (arrow.array([1.5, 2.5] * 3000, arrow.float16()), arrow.array([1, 2] * 3000, arrow.duration("s"))):
        table = arrow.table({"odd": odd, "size": np.arange(6000) % 7, "other": values})
        assert len(fit(table, target="odd", max_iter=3).predict(table)) == 6000


@pytest.mark.parametrize(
    "values",
    [
        arrow.array([2**31 - 1, -(2**31)], arrow.date32()),
        arrow.array([2**62, -(2**62)], arrow.timestamp("s")),
        arrow.array([2**62, 5], arrow.timestamp("ns", "Nowhere/Atall")),
        arrow.array([2**62, -(2**62)], arrow.duration("s")),
    ],
)
def test_dates_that_python_has_not(values):
    assert len(set(to_python(values))) == 2
    table = arrow.table({"odd": arrow.concat_arrays([values] * 20), "size": np.arange(40) % 7, "kind": ["a", "b"] * 20})
    for target in ("odd", "kind"):
        assert len(fit(table, target=target, max_iter=3).predict(table)) == 40


def test_lists_of_dates_that_python_has_not():
    dates = arrow.array([[2**31 - 1], [0]], arrow.list_(arrow.date32()))
    assert to_python(dates) == ["out of range", [datetime.date(1970, 1, 1)]]
    repeated = arrow.chunked_array([dates.flatten().dictionary_encode()])
    assert to_python(repeated) == [2**31 - 1, datetime.date(1970, 1, 1)]


def test_dates_written_as_texts():
    assert days(arrow.array(["1970-01-03", None])).tolist()[0] == 2.0
    learned = arrow.table({"day": times(arrow.date32())})
    encoder = TableEncoder().fit(learned)
    written = arrow.table({"day": [str(day) for day in learned.column("day").to_pylist()]})
    assert (encoder.transform(written) != encoder.transform(learned)).nnz == 0
    with pytest.raises(InputError, match="column 'day' does not hold dates"):
        encoder.transform({"day": ["soon"]})


@pytest.mark.parametrize(
    "entries",
    [
        [{"index": -1, "value": 1.0}],
        [{"index": 2, "value": 1.0}, {"index": 2, "value": 1.0}],
        [{"index": None, "value": 1.0}],
        [{"index": 1, "value": None}],
        [{"index": 1, "value": np.inf}],
        [None],
        None,
    ],
)
def test_lists_of_index_and_value_that_are_not_as_they_must_be(entries):
    fine = [{"index": 1, "value": 1.0}]
    table = beside(of(arrow.list_(ENTRY_TYPE), fine, entries))
    with pytest.raises(InputError, match="column 'odd' needs lists of index and value, indices rising"):
        fit(table, target="kind")


def test_more_columns_than_can_be_counted():
    table = beside(of(arrow.list_(ENTRY_TYPE), [{"index": 2**31 - 1, "value": 1.0}]))
    with pytest.raises(
        InputError, match=r"would need 2,147,483,6.. columns, more than 2,147,483,647: number them anew"
    ):
        fit(table, target="kind")


def test_views_of_missing_texts_are_not_followed(tmp_path):
    """Arrow does not check where these point, and its own conversion reads there."""
    present, views, letters = texts(arrow.string_view()).buffers()
    views = np.frombuffer(views, np.int32).reshape(-1, 4).copy()
    views[2] = [-(2**31), 0, 0, 0]  # of a negative size
    odd = arrow.Array.from_buffers(arrow.string_view(), ROWS, [present, arrow.py_buffer(views), letters])
    path = saved(tmp_path, arrow.table({"odd": odd}))
    read = (
        "from rosenblatt.tables.read import sources; import sys; print(sources.open_source(sys.argv[1]).sample().table)"
    )
    done = subprocess.run([sys.executable, "-c", read, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "large_string" in done.stdout


def test_columns_without_a_name(tmp_path):
    rows = [[1.0, 2.0, 8.0, 9.0] * 5, [3.0, 1.0] * 10, [3.0, 1.0] * 10, ["s", "s", "l", "l"] * 5]
    table = arrow.table(rows, names=["size", "", "", "kind"])
    path = tmp_path / "rows.parquet"
    parquet.write_table(table.select([0, 1, 3]), path)
    for source in (table, path, saved(tmp_path, table)):
        assert fit(source, target="kind").predict(source).tolist() == rows[3]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_predictions_beside_columns_without_a_name(name, tmp_path):
    table = arrow.table([[1.0, 2.0, 8.0, 9.0] * 5, [3.0, 1.0] * 10, list("ssll") * 5], names=["size", "", "kind"])
    path, model = tmp_path / name, tmp_path / "rows.model"
    (csv.write_csv if name.endswith("csv") else parquet.write_table)(table, path)
    save(fit(path, target="kind"), model)
    done = CliRunner().invoke(app, ["predict", str(model), str(path), "--add"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == ["size,kind,prediction", "1,s,s" if name.endswith("csv") else "1.0,s,s"]


def test_a_file_without_rows_cannot_be_predicted(tmp_path):
    table = beside(NUMBERS["float64"])
    model = fit(table, target="kind", max_iter=3)
    path = tmp_path / "rows.parquet"
    parquet.write_table(table.slice(0, 0), path)
    with pytest.raises(InputError, match="names columns but has no rows"):
        model.predict(path)


def test_numbers_too_large_for_what_was_learned():
    table = beside(NUMBERS["float64"])  # with texts, so that rows are sparse, of float32
    model = fit(table, target="kind", max_iter=3)
    with pytest.raises(InputError, match="holds numbers too large for this model"):
        model.predict(table.set_column(0, "odd", of(arrow.float64(), 1e300)))


def test_json_lines_with_lists(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"tags": [1, 2], "size": 1.5}\n' * 5)
    with pytest.raises(InputError, match=r"rows\.jsonl, column 'tags' holds values of type list"):
        fit(path, target="tags")
    assert open_source(path).names == ["tags", "size"]
