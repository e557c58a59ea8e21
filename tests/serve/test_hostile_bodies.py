"""Hostile bodies are answered or refused with one sentence, and leave a service that works."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from service_answers import arrow_body, sentence

from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.row_formats import ARROW


@pytest.fixture(scope="module")
def hostile_client(model_path, tmp_path_factory, client_of):
    """A service for many requests that it must refuse."""
    with client_of(LogWriter(tmp_path_factory.mktemp("hostile") / "log", model_path, print)) as client:
        yield client


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["size", "colour", "kind", "id", "label", "rows", "inputs"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
PATHS = ["/predict", "/learn", "/feedback", "/explain", "/admin/rollback", "/v2/models/model/infer"]


def check_answer(response):
    """Anything may come, but a refusal is one sentence, and nothing fails."""
    if response.status_code != 200:
        assert 400 <= response.status_code < 500, response.text
        sentence(response, response.status_code)


@settings(max_examples=150)
@given(value=VALUES, path=st.sampled_from(PATHS))
def test_hostile_json_is_answered_or_refused(hostile_client, value, path):
    check_answer(hostile_client.post(path, content=json.dumps(value), headers={"content-type": "application/json"}))


@settings(max_examples=150)
@given(
    body=st.binary(max_size=60)
    | st.lists(VALUES, max_size=3).map(lambda some: "\n".join(map(json.dumps, some)).encode()),
    path=st.sampled_from(PATHS),
    kind=st.sampled_from(["application/json", "application/x-ndjson", ARROW, "text/plain", ""]),
)
def test_hostile_bytes_are_answered_or_refused(hostile_client, body, path, kind):
    check_answer(hostile_client.post(path, content=body, headers={"content-type": kind}))


@settings(max_examples=150)
@given(
    place=st.integers(0, 10**6), byte=st.integers(1, 255), cut=st.integers(0, 10**6), path=st.sampled_from(PATHS[:4])
)
def test_damaged_arrow_streams_are_answered_or_refused(hostile_client, place, byte, cut, path):
    body = bytearray(arrow_body({"size": [1.0, 2.0], "colour": ["red", None], "kind": ["large", "small"]}))
    body[place % len(body)] ^= byte
    size = len(body) - (cut % len(body) if cut % 3 == 0 else 0)
    check_answer(hostile_client.post(path, content=bytes(body[:size]), headers={"content-type": ARROW}))


def test_the_hostile_requests_left_a_service_that_works(hostile_client, new_rows):
    assert hostile_client.post("/learn", json=new_rows(3)).json()["learned"] == 3
    assert hostile_client.get("/health").json() == {"ready": True, "failure": None}
