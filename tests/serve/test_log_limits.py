"""What a request may take: a record that can be read back, and rows of a bounded size."""

import pyarrow as arrow
import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.serve import log_segment
from rosenblatt.serve.expanded_size import check_expanded_size
from rosenblatt.serve.log_audit import audit_log
from rosenblatt.serve.log_records import Record
from rosenblatt.serve.log_writer import Feedback, LogWriter


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


def test_a_table_of_runs_or_lists_is_refused():
    runs = arrow.RunEndEncodedArray.from_arrays([9], ["x"])
    for values in (runs, arrow.array([[1]] * 9)):
        with pytest.raises(InputError, match="give numbers, dates or texts"):
            check_expanded_size(arrow.table({"text": values}), 1000)
