"""The service over HTTP: what it answers, and that it refuses everything else with one sentence."""

import json
import signal
import subprocess
import sys

import pyarrow as arrow
import pytest
from service_answers import ROW, arrow_body, sentence

from rosenblatt import fit, load, save
from rosenblatt.model.file import read
from rosenblatt.serve.access_tokens import AccessTokens
from rosenblatt.serve.application import SCOPES, Application
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.model_provider import LogFollower, ModelFile
from rosenblatt.serve.openapi import openapi
from rosenblatt.serve.row_formats import ARROW
from rosenblatt.serve.service import Limits, Service
from rosenblatt.serve.service_metrics import Metrics

NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture
def client(model_path, tmp_path, client_of):
    with client_of(LogWriter(tmp_path / "log", model_path, print), model=model_path) as client:
        yield client


def test_predictions_are_those_of_the_model_in_every_format(client, model_path, new_rows):
    rows = new_rows(30)
    columns = {name: [row[name] for row in rows] for name in ("size", "colour")}
    model = load(model_path)
    expected = model.predict(columns).tolist()
    scores = model.decision_function(columns).tolist()
    answer = client.post("/predict", json=rows).json()
    assert [one["label"] for one in answer["predictions"]] == expected
    assert [one["score"] for one in answer["predictions"]] == scores
    assert answer["record"] == 1
    lines = "\n".join(map(json.dumps, rows))
    found = client.post("/predict", content=lines, headers=NDJSON).text.splitlines()
    assert [json.loads(line)["score"] for line in found] == scores
    found = client.post("/predict", content=arrow_body(columns), headers={"content-type": ARROW})
    table = arrow.ipc.open_stream(found.content).read_all()
    assert (table["label"].to_pylist(), table["score"].to_pylist()) == (expected, scores)
    single = client.post("/predict?probabilities=true", json=rows[0]).json()
    assert single["label"] == expected[0]
    assert single["probabilities"] == dict(zip(model.classes_, model.predict_proba(columns)[0], strict=True))


def test_rows_are_learned_and_truths_may_come_later(client, new_rows):
    first = client.post("/learn", json=new_rows(20), headers={"idempotency-key": "one"}).json()
    assert first == {"record": 2, "learned": 20, "repeated": False}
    again = client.post("/learn", json=new_rows(20), headers={"idempotency-key": "one"}).json()
    assert again == {"record": 2, "learned": 20, "repeated": True}
    [one, two] = client.post("/predict?remember=true", json=[ROW, ROW]).json()["predictions"]
    assert client.post("/feedback", json={"id": two["id"], "label": "large"}).json()["learned"] == 1
    assert client.post("/feedback", json=[{"id": two["id"], "label": "large"}]).json()["repeated"]
    changed = client.post("/feedback", json=[{"id": two["id"], "label": "small"}])
    assert "was learned with another class" in sentence(changed, 409)
    assert client.get("/status").json()["record"] == 4
    assert "There is no prediction" in sentence(client.post("/feedback", json={"id": "7-7", "label": "large"}), 422)
    assert one["id"] != two["id"]
    status = client.get("/status").json()
    assert (status["rows_learned"], status["record"]) == (21, 4)
    assert status["progressive_accuracy"]["low"] <= status["progressive_accuracy"]["share"]
    learned = client.post(
        "/learn",
        content=arrow_body({**{k: [v] for k, v in ROW.items()}, "kind": ["large"]}),
        headers={"content-type": ARROW},
    )
    assert learned.json()["learned"] == 1


def test_explanations_sum_to_the_score(client):
    found = client.post("/explain?top=1", json=ROW).json()
    added = sum(one["adds"] for one in found["contributions"])
    assert found["score"] == pytest.approx(found["intercept"] + added + found["others_add"])
    assert len(client.post("/explain", json=[ROW, ROW]).json()["explanations"]) == 2
    assert "100 rows to explain at most" in sentence(client.post("/explain", json=[ROW] * 101), 422)
    assert "top must be" in sentence(client.post("/explain?top=-1", json=ROW), 422)


def test_a_boolean_of_json_is_the_class_that_train_makes_of_it(tmp_path, client_of):
    lines = tmp_path / "rows.jsonl"
    lines.write_text('{"size": 1, "kind": true}\n{"size": 9, "kind": false}\n' * 20)
    save(fit(lines, target="kind", algorithm="averaged"), tmp_path / "m")
    with client_of(LogWriter(tmp_path / "log", tmp_path / "m", print)) as client:
        assert client.post("/learn", json=[{"size": 2, "kind": True}, {"size": 7, "kind": False}]).status_code == 200
        assert client.post("/learn", json=[{"size": 2, "kind": "True"}]).status_code == 200
        status = client.get("/status").json()
        assert [str(label) for label in status["classes"]] == ["False", "True"]
        assert status["rows_learned"] == 3
        assert client.post("/predict", json={"size": 1}).json()["label"] in (True, "True")


def test_a_class_that_the_model_does_not_know_is_refused_and_learned_nowhere(client, new_rows):
    """A misspelled label would become a class, and predictions would change."""
    before = client.get("/status").json()
    asked = client.post("/predict?remember=true", json=ROW).json()
    misspelled = {**ROW, "kind": "Large"}
    assert "'Large': did you mean 'large'?" in sentence(client.post("/learn", json=[misspelled]), 422)
    assert "--new-classes" in sentence(client.post("/learn", json=[{**ROW, "kind": 3}]), 422)
    assert "'Small': did you mean" in sentence(
        client.post("/feedback", json={"id": asked["id"], "label": "Small"}), 422
    )
    table = arrow_body({name: [value] for name, value in misspelled.items()})
    assert "did you mean" in sentence(client.post("/learn", content=table, headers={"content-type": ARROW}), 422)
    after = client.get("/status").json()
    assert after["classes"] == before["classes"]
    assert after["rows_learned"] == before["rows_learned"]
    assert client.post("/feedback", json={"id": asked["id"], "label": "small"}).json()["learned"] == 1


def test_without_a_log_learning_is_refused(model_path, client_of):
    with client_of(ModelFile(model_path)) as client:
        assert "--log FOLDER" in sentence(client.post("/learn", json={**ROW, "kind": "large"}), 409)
        assert "--log FOLDER" in sentence(client.post("/feedback", json={"id": "1-0", "label": "large"}), 409)
        assert client.post("/predict", json=ROW).status_code == 200
        assert client.post("/admin/reload").json()["version"]


def test_a_follower_answers_and_does_not_learn(model_path, client_of, tmp_path, new_rows):
    with client_of(LogWriter(tmp_path / "log", model_path, print)) as client:
        client.post("/learn", json=new_rows(10))
        with client_of(LogFollower(tmp_path / "log", print)) as other:
            assert other.post("/predict", json=ROW).json() == client.post("/predict", json=ROW).json()
            assert "does not learn" in sentence(other.post("/learn", json={**ROW, "kind": "large"}), 409)


def test_the_inference_protocol(client):
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").status_code == 200
    about = client.get("/v2/models/model").json()
    assert [(one["name"], one["datatype"]) for one in about["inputs"]] == [("size", "FP64"), ("colour", "BYTES")]
    inputs = [
        {"name": "size", "shape": [2], "datatype": "FP64", "data": [2.0, -2.0]},
        {"name": "colour", "shape": [2, 1], "datatype": "BYTES", "data": [["red"], ["blue"]]},
    ]
    found = client.post("/v2/models/model/infer", json={"id": "a", "inputs": inputs}).json()
    plain = client.post("/predict", json=[ROW, {"size": -2.0, "colour": "blue"}]).json()["predictions"]
    assert found["outputs"][0]["data"] == [one["label"] for one in plain]
    assert found["outputs"][1]["data"] == [one["score"] for one in plain]
    assert found["id"] == "a"
    sentence(client.post("/v2/models/model/infer", json={"inputs": inputs[:1]}), 422)
    sentence(client.post("/v2/models/other/infer", json={"inputs": inputs}), 404)
    inputs[0]["shape"] = [3]
    sentence(client.post("/v2/models/model/infer", json={"inputs": inputs}), 422)


def test_the_description_names_every_route_and_its_methods(model_path):
    service = Service(ModelFile(model_path))
    described = {
        (path, method.upper())
        for path, operations in openapi(service.published.schema)["paths"].items()
        for method in operations
    }
    routes = Application(service, "model", Metrics()).routes()
    assert described == {(route.path, method) for route in routes for method in route.methods - {"HEAD"}}
    open_paths = {"/health", "/openapi.json"}
    assert {route.path for route in routes if not route.path.startswith("/v2")} - open_paths == set(SCOPES)


def test_versions_reload_and_rollback(client, new_rows):
    before = client.post("/predict", json=ROW).json()["score"]
    client.post("/learn", json=new_rows(50))
    kept = client.post("/admin/versions").json()
    learned = client.post("/predict", json=ROW).json()["score"]
    assert learned != before
    client.post("/admin/reload")
    assert client.post("/predict", json=ROW).json()["score"] == before
    assert client.post("/admin/rollback", json={"version": kept["kept"][:12]}).json()["version"] == kept["kept"]
    assert client.post("/predict", json=ROW).json()["score"] == learned
    sentence(client.post("/admin/rollback", json={"version": "zzzz"}), 422)
    assert set(client.get("/admin/versions").json()["versions"]) == set(kept["versions"])


def test_the_downloaded_model_is_a_model_file(client, tmp_path):
    (tmp_path / "m").write_bytes(client.get("/model").content)
    assert read(tmp_path / "m").classes.tolist() == ["large", "small"]


def test_the_page_and_the_metrics(client, new_rows):
    client.post("/learn", json=new_rows(15))
    page = client.get("/").text
    assert "15 rows (95 % interval" in page
    assert "Largest weights for large" in page
    assert "<script" not in page
    lines = client.get("/metrics").text.splitlines()
    assert "rosenblatt_rows_learned_total 15" in lines
    assert 'rosenblatt_requests_total{path="/learn",status="200"} 1' in lines
    assert 'rosenblatt_request_seconds_bucket{path="/learn",le="+Inf"} 1' in lines
    from prometheus_client.parser import text_string_to_metric_families

    assert {"rosenblatt_log_bytes", "rosenblatt_request_seconds"} <= {
        family.name for family in text_string_to_metric_families("\n".join(lines) + "\n")
    }


def test_tokens_open_their_scopes(model_path, client_of, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# one line a token\npredict aaaaaaaaaaaaaaaa\npredict,learn,admin bbbbbbbbbbbbbbbb # all\n")
    with client_of(LogWriter(tmp_path / "log", model_path, print), tokens=AccessTokens.read(path)) as client:
        few, every = ({"authorization": f"Bearer {letter * 16}"} for letter in "ab")
        row = {**ROW, "kind": "large"}
        assert client.post("/predict", json=ROW, headers=few).status_code == 200
        assert "scope learn" in sentence(client.post("/learn", json=row, headers=few), 401)
        assert client.post("/learn", json=row, headers=every).status_code == 200
        sentence(client.post("/predict", json=ROW), 401)
        sentence(client.post("/v2/models/model/infer", json={}), 401)
        sentence(client.get("/", headers={"authorization": "Basic aaaaaaaaaaaaaaaa"}), 401)
        assert client.get("/v2/health/live").status_code == 200


def test_limits_on_body_rows_and_rate(model_path, client_of):
    with client_of(ModelFile(model_path), Limits(body_bytes=200, rows=2, requests_per_second=4)) as client:
        sentence(client.post("/predict", content=b" " * 300, headers={"content-type": "application/json"}), 413)
        assert "2 rows at most" in sentence(client.post("/predict", json=[ROW] * 3), 422)
        statuses = [client.post("/predict", json=ROW).status_code for _ in range(5)]
        assert 429 in statuses


def test_other_hosts_and_sites_are_refused(client):
    sentence(client.post("/predict", json=ROW, headers={"host": "evil.example"}), 421)
    sentence(client.post("/predict", json=ROW, headers={"origin": "https://evil.example"}), 403)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"colour": "red", "kind": "large"}, "has no column 'size'"),
        ({"size": "two", "colour": "red", "kind": "large"}, "must be a finite number or null, not 'two'"),
        ({"size": [1], "colour": "red", "kind": "large"}, "not a list"),
        ({"size": 1, "colour": {}, "kind": "large"}, "not an object"),
        ({"size": 1, "colour": "red"}, "has no class in column 'kind'"),
        ({"size": 1, "colour": "red", "kind": " "}, "has no class"),
        ({"size": 10**400, "colour": "red", "kind": "large"}, "finite number"),
        ({"size": 1, "colour": "\ud800", "kind": "large"}, "not valid Unicode"),
        ("text", "is no JSON object"),
    ],
)
def test_rows_that_cannot_be_learned_are_refused_and_leave_the_log(client, row, why):
    found = client.post("/learn", content=json.dumps([row]), headers={"content-type": "application/json"})
    assert why in sentence(found, 422)
    assert client.get("/status").json()["record"] == 1


def test_the_command_serves_reloads_on_sighup_drains_on_sigterm_and_its_log_can_be_exported(
    model_path, tmp_path, start, new_rows
):
    import urllib.request

    command = [sys.executable, "-m", "rosenblatt.cli"]
    words = ["serve", model_path, "--log", tmp_path / "log", "--port", "0", "--log-requests"]
    process = start([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    urllib.request.urlopen(f"{address}health", timeout=60).close()
    process.send_signal(signal.SIGHUP)
    said = [process.stderr.readline(), process.stderr.readline()]
    body = json.dumps(new_rows(30)).encode()
    request = urllib.request.Request(f"{address}learn", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        assert json.load(response)["learned"] == 30
    with urllib.request.urlopen(f"{address}model", timeout=60) as response:
        served = response.read()
    process.terminate()
    said += process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == 0, said
    events = [json.loads(line)["event"] for line in said]
    assert events == ["request", "reloaded", "request", "request", "stopped"]
    verdict = subprocess.run([*command, "log", "verify", tmp_path / "log", "--json"], capture_output=True, check=True)
    audit = json.loads(verdict.stdout)
    assert (audit["learned"], audit["records"], audit["model_record"]) == (30, 3, 2)
    exported = subprocess.run([*command, "log", "export", tmp_path / "log"], capture_output=True, check=True).stdout
    train = ["train", "-", "--continue", audit["model"], "-o", tmp_path / "batch.safetensors", "-q"]
    subprocess.run([*command, *train], input=exported, capture_output=True, check=True)
    assert (tmp_path / "batch.safetensors").read_bytes() == served
