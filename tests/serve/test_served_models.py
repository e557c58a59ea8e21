"""Models of every kind are served, and their columns refuse what they do not know."""

import pyarrow as arrow
import pytest
from service_answers import arrow_body, sentence

from rosenblatt import Perceptron, fit, save
from rosenblatt.serve.log_writer import LogWriter
from rosenblatt.serve.model_provider import ModelFile
from rosenblatt.serve.row_formats import ARROW
from rosenblatt.serve.service import Limits


def numbers_model():
    return Perceptron(order="cyclic").fit([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, 0])


def table_model(algorithm, **columns):
    rows = range(60)
    table = {name: [values[k % len(values)] for k in rows] for name, values in columns.items()}
    return fit({**table, "kind": ["abc"[k % 3] for k in rows]}, target="kind", algorithm=algorithm)


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (numbers_model, {"x0": 5, "x1": 5}),
        (lambda: table_model("averaged", size=[1.0, 5.0, 9.0]), {"size": 4}),
        (
            lambda: table_model("logistic", size=[1.0, 5.0, 9.0], colour=["r", "g", "b", "r"]),
            {"size": 4, "colour": None},
        ),
        (lambda: table_model("averaged", day=["2024-01-01", "2024-05-02", "2024-09-03"]), {"day": "2024-05-05"}),
    ],
)
def test_models_of_every_kind_are_served(make, row, tmp_path, client_of):
    model = make()
    save(model, tmp_path / "m.safetensors")
    with client_of(ModelFile(tmp_path / "m.safetensors")) as client:
        found = client.post("/predict", json=[row, row]).json()["predictions"]
        given = [list(row.values())] if "x0" in row else {name: [value] for name, value in row.items()}
        assert found[0]["label"] == model.predict(given)[0]
        scores = model.decision_function(given)[0]
        assert found[1]["score" if "score" in found[1] else "scores"] == scores.tolist()
        table = {name: [value] for name, value in row.items()}
        sent = client.post("/predict", content=arrow_body(table), headers={"content-type": ARROW})
        assert arrow.ipc.open_stream(sent.content).read_all()["label"].to_pylist() == [found[0]["label"]]


def test_a_text_that_is_no_date_is_refused_and_learned_nowhere(tmp_path, client_of):
    save(table_model("averaged", day=["2024-01-01", "2024-05-02", "2024-09-03"]), tmp_path / "m.safetensors")
    limits = Limits(new_classes=True)
    with client_of(LogWriter(tmp_path / "log", tmp_path / "m.safetensors", print), limits) as client:
        assert client.post("/learn", json={"day": "2024-07-07", "kind": "a"}).json()["learned"] == 1
        sentence(client.post("/learn", json={"day": "soon", "kind": "a"}), 422)
        sentence(client.post("/predict", json={"day": "soon"}), 422)
        assert client.post("/learn", json={"day": None, "kind": "d"}).json()["learned"] == 1
        refused = sentence(client.post("/learn", json={"day": None, "kind": True}), 422)
        assert refused == "Row 1 has the class true, but no class of the model is a boolean: give a text."
        assert client.get("/status").json()["classes"] == ["a", "b", "c", "d"]
