"""Requests and files that the service cannot use: each is refused with one sentence, and nothing else is said."""

import shutil

import pytest

from rosenblatt import fit, save
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.model_provider import ModelFile

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
