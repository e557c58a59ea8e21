"""Requests and files that the service cannot use: each is refused with one sentence, and nothing else is said."""

import asyncio
import json
import logging
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import unquote

import pytest

from rosenblatt import fit, save
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.model_provider import ModelFile
from rosenblatt.serve.run_service import LOGGING
from rosenblatt.serve.service import Limits

ROW = {"size": 2.0, "colour": "red"}


def refusal(response, status):
    assert response.status_code == status, response.text
    return response.json()["error"]


def test_an_inference_request_without_rows_is_refused(tmp_path, client_of):
    rows = range(60)
    save(fit({"size": [k % 9 for k in rows], "kind": ["abc"[k % 3] for k in rows]}, target="kind"), tmp_path / "m")
    with client_of(ModelFile(tmp_path / "m")) as client:
        empty = {"name": "size", "shape": [0], "datatype": "FP64", "data": []}
        assert "has no rows" in refusal(client.post("/v2/models/model/infer", json={"inputs": [empty]}), 422)


@pytest.mark.parametrize("learns", [False, True])
def test_a_model_file_that_is_gone_is_said_in_a_sentence(learns, model_path, tmp_path, client_of, capsys):
    path = shutil.copy(model_path, tmp_path / "m")
    with client_of(LogWriter(tmp_path / "log", path, print) if learns else ModelFile(path), model=path) as client:
        path.unlink()
        assert "No such file" in refusal(client.post("/admin/reload"), 503)
        assert str(path) in capsys.readouterr().err
        assert client.post("/predict", json=ROW).status_code == 200


def test_a_column_named_rows_can_be_asked_with_a_single_object(tmp_path, client_of):
    count = range(60)
    save(fit({"rows": [k % 9 for k in count], "kind": ["ab"[k % 2] for k in count]}, target="kind"), tmp_path / "m")
    with client_of(ModelFile(tmp_path / "m")) as client:
        single = client.post("/predict", json={"rows": 5}).json()
        assert (
            client.post("/predict", json={"rows": [{"rows": 5}]}).json()["predictions"][0]["score"] == single["score"]
        )


def test_a_failure_is_one_line_of_json_and_one_sentence(model_path, client_of, monkeypatch, capsys):
    provider = ModelFile(model_path)
    monkeypatch.setattr(type(provider), "reload", lambda self: 1 // 0)
    with client_of(provider) as client:
        assert "failed at this request" in refusal(client.post("/admin/reload"), 500)
        [line] = capsys.readouterr().err.splitlines()
        assert json.loads(line)["error"].startswith("ZeroDivisionError")
        assert 'rosenblatt_requests_total{path="/admin/reload",status="500"} 1' in client.get("/metrics").text


def test_the_servers_own_messages_are_lines_of_json(capsys):
    handler = LOGGING["handlers"]["events"]["()"]()
    error = ValueError("two\nlines")
    handler.handle(logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "Fail%s", ("ed",), (None, error, None)))
    [line] = capsys.readouterr().err.splitlines()
    assert (json.loads(line)["message"], json.loads(line)["error"]) == ("Failed", "ValueError: two\nlines")


def test_a_websocket_is_closed(model_path, client_of):
    sent = []

    async def send(message):
        sent.append(message)

    with client_of(ModelFile(model_path)) as client, ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, client.app({"type": "websocket", "path": "/"}, None, send)).result()
    assert sent == [{"type": "websocket.close"}]


def test_a_question_ends_with_its_mark(model_path, client_of):
    with client_of(ModelFile(model_path)) as client:
        text = refusal(client.post("/predict", json={"size": 1e308, "colour": "red"}), 422)
        assert text.endswith("trained on?")


@pytest.mark.parametrize(("key", "says"), [(None, "/status"), ("one", "same idempotency key")])
def test_a_request_that_waits_too_long_is_told_what_it_can_do(
    key, says, model_path, tmp_path, client_of, monkeypatch, new_rows
):
    writer = LogWriter(tmp_path / "log", model_path, print)
    monkeypatch.setattr(writer, "submit", lambda *about: Future())
    with client_of(writer, Limits(answer_seconds=0.01)) as client:
        headers = {} if key is None else {"idempotency-key": key}
        assert says in refusal(client.post("/learn", json=new_rows(1), headers=headers), 504)


@pytest.mark.parametrize("name", ["mails", "模型", 'a"\r\nx: y', "a b"])
def test_a_model_of_any_name_can_be_fetched(client_of, model_path, name):
    """The name stands in a header of the answer."""
    with client_of(ModelFile(model_path), name=name) as client:
        answer = client.get("/model")
    assert answer.status_code == 200
    header = answer.headers["content-disposition"]
    assert header.isascii()
    assert header.isprintable()
    assert unquote(header).rstrip('"').endswith(f"{name}.safetensors")


@pytest.mark.parametrize("text", ["1_000", "\u0661\u0662", "0x10", "1e", ".", " ", "+-1", "1 2"])
def test_a_text_that_no_table_takes_for_a_number_is_refused(client_of, model_path, text):
    with client_of(ModelFile(model_path)) as client:
        assert "must be a finite number" in refusal(client.post("/predict", json={**ROW, "size": text}), 422)


@pytest.mark.parametrize("text", ["12", " -1.5e3 ", ".5", "+2."])
def test_a_text_of_a_number_is_that_number(client_of, model_path, text):
    with client_of(ModelFile(model_path)) as client:
        assert (
            client.post("/predict", json={**ROW, "size": text}).json()
            == client.post("/predict", json={**ROW, "size": float(text)}).json()
        )
