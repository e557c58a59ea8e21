"""What a request may take: a record that can be read back, and rows of a bounded size."""

import pyarrow as arrow
import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.serve import log_segment, row_formats
from rosenblatt.serve.compressed_size import check_compressed_size
from rosenblatt.serve.expanded_size import check_expanded_size
from rosenblatt.serve.log_audit import audit_log
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_writer import Feedback, LogWriter
from rosenblatt.serve.row_formats import ARROW, parse_rows


def test_a_record_that_could_not_be_read_back_is_refused_before_it_is_learned(
    tmp_path, model_path, new_rows, monkeypatch
):
    monkeypatch.setattr(log_segment, "MAX_RECORD_BYTES", 400)
    writer = LogWriter(tmp_path / "log", model_path, print)
    lines = [writer.published.schema.line(row, 1, True) for row in new_rows(30)]
    with pytest.raises(InputError, match="a record of the log can have 400 at most"):
        writer.submit(Record("learn", b"".join(lines))).result()
    assert writer.submit(Record("learn", lines[0])).result().record == 2
    assert writer.published.rows == 1
    writer.close()
    assert audit_log(writer.folder).learned == 1


def test_feedback_for_an_empty_id_is_refused(tmp_path, model_path):
    writer = LogWriter(tmp_path / "log", model_path, print)
    with pytest.raises(InputError, match="There is no prediction ''"):
        writer.submit(Feedback({"": "large"})).result()
    writer.close()


TEXTS = arrow.array(["x" * 50, None, "x" * 50, "y"])


@pytest.mark.parametrize("values", [TEXTS, TEXTS.dictionary_encode(), TEXTS.cast(arrow.string_view())])
def test_every_value_counts_as_often_as_it_occurs(values):
    table = arrow.table({"text": values, "size": [1.0, 2.0, None, 4.0]}).slice(1)
    check_expanded_size(table, 51 + 24)
    with pytest.raises(InputError, match="take more than 74 bytes"):
        check_expanded_size(table, 51 + 23)


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_a_compressed_batch_is_measured_before_it_is_decompressed(codec, dictionary, monkeypatch):
    texts = arrow.array(["x" * 1_000_000] * 8)
    sizes = arrow.array([float(k) for k in range(8)])
    table = arrow.table({"text": texts.dictionary_encode() if dictionary else texts, "size": sizes})
    body, total = written(table, codec), (1_000_000 if dictionary else 8_000_000)
    assert len(body) < total / 20
    check_compressed_size(body, total + 2000)
    with pytest.raises(InputError, match="bytes: send several requests"):
        check_compressed_size(body, total)
    assert parse_rows(ARROW, body, 100).row_count == 8
    before = arrow.total_allocated_bytes()
    monkeypatch.setattr(row_formats, "MAX_RECORD_BYTES", total)
    monkeypatch.setattr(arrow.ipc, "open_stream", lambda source: pytest.fail("the stream was decompressed"))
    with pytest.raises(InputError, match="bytes: send several requests"):
        parse_rows(ARROW, body, 100)
    assert arrow.total_allocated_bytes() - before < total


def test_a_stream_that_is_not_compressed_has_no_compressed_bytes():
    check_compressed_size(written(arrow.table({"text": TEXTS}), None), 0)


def written(table, codec):
    sink = arrow.BufferOutputStream()
    options = arrow.ipc.IpcWriteOptions(compression=codec)
    with arrow.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_a_table_of_runs_or_lists_is_refused():
    runs = arrow.RunEndEncodedArray.from_arrays([9], ["x"])
    for values in (runs, arrow.array([[1]] * 9)):
        with pytest.raises(InputError, match="give numbers, dates or texts"):
            check_expanded_size(arrow.table({"text": values}), 1000)
