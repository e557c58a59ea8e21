"""A row to send to the service, and the one sentence of a refusal."""

import re

import pyarrow as arrow

ROW = {"size": 2.0, "colour": "red"}


def sentence(response, status):
    assert response.status_code == status, response.text
    text = response.json()["error"]
    assert re.fullmatch(r"[^\n]+[.?]", text), text
    assert "Traceback" not in text
    return text


def arrow_body(columns):
    sink = arrow.BufferOutputStream()
    table = arrow.table(columns)
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
