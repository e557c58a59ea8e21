"""Rows of an Arrow table: /predict reads each value as /learn does, which reads it as a row of JSON."""

from datetime import date, datetime
from decimal import Decimal

import pyarrow as arrow
import pytest

from rosenblatt import fit, save
from rosenblatt.foundation.errors import InputError
from rosenblatt.serve.model_provider import ModelFile
from rosenblatt.serve.row_formats import ARROW, parse_rows
from rosenblatt.serve.row_schema import RowSchema
from rosenblatt.serve.service import Service

MOST = 100
PLAIN = {"size": arrow.array([2.5]), "flag": arrow.array(["True"]), "day": arrow.array(["2024-05-05"])}
CELLS = [
    ("flag", arrow.array([True])),
    ("flag", arrow.array([2.0])),
    ("flag", arrow.array(["True"]).dictionary_encode()),
    ("flag", arrow.array([None])),
    ("flag", arrow.array([b"True"])),
    ("day", arrow.array([datetime(2024, 5, 5)], arrow.timestamp("ns"))),
    ("day", arrow.array([date(2024, 5, 5)])),
    ("size", arrow.array([""])),
    ("size", arrow.array(["2.5"])),
    ("size", arrow.array([True])),
    ("size", arrow.array([(1 << 53) + 1])),
    ("size", arrow.array([float("nan")])),
    ("size", arrow.array([float("inf")])),
    ("size", arrow.array([Decimal("2.5")])),
    ("size", arrow.array([1.5], arrow.float32())),
]


def stream(table):
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rows = range(60)
    table = {
        "size": [float(k % 7) for k in rows],
        "flag": [str(k % 3 == 0) for k in rows],
        "day": [f"2024-0{1 + k % 9}-0{1 + k % 5}" for k in rows],
        "kind": ["ab"[k % 2] for k in rows],
    }
    path = tmp_path_factory.mktemp("arrow") / "m"
    save(fit(table, target="kind", algorithm="averaged"), path)
    return path


def outcome(call):
    try:
        return call()
    except ValueError:
        return "refused"


@pytest.mark.parametrize(("name", "values"), CELLS, ids=[f"{name}-{values.type}" for name, values in CELLS])
def test_a_value_is_predicted_as_the_line_that_is_learned_from_it(name, values, path):
    service = Service(ModelFile(path))
    published = service.published
    rows = parse_rows(ARROW, stream(arrow.table({**PLAIN, name: values})), MOST)

    def by_lines():
        lines = parse_rows("application/x-ndjson", rows.lines(published.schema), MOST)
        return service.predict(lines, False)[0]

    assert outcome(lambda: service.predict(rows, False)[0]) == outcome(by_lines)


def test_a_table_with_a_column_twice_is_refused():
    table = arrow.table([arrow.array([1.0]), arrow.array([2.0])], names=["size", "size"])
    with pytest.raises(ValueError, match="several columns 'size'"):
        parse_rows(ARROW, stream(table), MOST)


def test_a_short_request_of_long_rows_is_refused():
    text = arrow.DictionaryArray.from_arrays(arrow.array([0] * 290, arrow.int32()), arrow.array(["x" * 1_000_000]))
    rows = parse_rows(ARROW, stream(arrow.table({"text": text, "extra": [[1]] * 290})), 1000)
    with pytest.raises(InputError, match="take more than 268,435,456 bytes"):
        rows.lines(RowSchema({"text": "category"}, None))
