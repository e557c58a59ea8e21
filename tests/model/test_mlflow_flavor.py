"""Models in MLflow's format: the real MLflow loads them, and what they predict is what the classifier predicts."""

import json
import os

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt import LogisticRegression, Perceptron, fit, save
from rosenblatt.foundation.errors import InputError


@pytest.fixture(autouse=True, scope="module")
def private_store(tmp_path_factory):
    """A tracking store of files in a folder of its own, and no message to anybody."""
    patch = pytest.MonkeyPatch()
    patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    patch.setenv("MLFLOW_TRACKING_URI", (tmp_path_factory.mktemp("store") / "runs").as_uri())
    yield
    patch.undo()


@pytest.fixture(scope="module")
def pyfunc(private_store):
    import mlflow.pyfunc

    return mlflow.pyfunc


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    size = random.normal(size=90)
    colour = random.choice(["red", "blue", None], 90)
    day = random.choice(["2024-01-01", "2024-05-02", "2024-09-03"], 90)
    return pd.DataFrame({"size": size, "colour": colour, "day": day, "kind": np.where(size > 0.2, "large", "small")})


@pytest.fixture(scope="module")
def model(table):
    return fit(table, target="kind", algorithm="averaged")


@pytest.fixture(scope="module")
def rows(table):
    return table.drop(columns="kind")


def types(signature):
    return {one["name"]: one["type"] for one in json.loads(signature.to_dict()["inputs"])}


def test_mlflow_predicts_what_the_classifier_predicts(model, rows, pyfunc, tmp_path):
    rosenblatt.mlflow.save_model(model, tmp_path / "m")
    loaded = pyfunc.load_model(str(tmp_path / "m"))
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    assert types(loaded.metadata.signature) == {"size": "double", "colour": "string", "day": "string"}
    with pytest.raises(Exception, match="missing inputs"):
        loaded.predict(rows[["size"]])
    again = rosenblatt.mlflow.load_model(tmp_path / "m")
    assert again.decision_function(rows).tolist() == model.decision_function(rows).tolist()


def test_the_folder_holds_the_file_that_save_writes_and_no_pickle(model, tmp_path):
    rosenblatt.mlflow.save_model(model, tmp_path / "m", metadata={"team": "mails"})
    save(model, tmp_path / "same.safetensors")
    held = {path.name for path in (tmp_path / "m").iterdir()}
    assert held == {"MLmodel", "model.safetensors", "requirements.txt", "python_env.yaml"}
    assert (tmp_path / "m" / "model.safetensors").read_bytes() == (tmp_path / "same.safetensors").read_bytes()
    assert "team: mails" in (tmp_path / "m" / "MLmodel").read_text()
    needed = (tmp_path / "m" / "requirements.txt").read_text()
    assert needed == f"rosenblatt[mlflow]=={rosenblatt.__version__}\n"


@pytest.mark.parametrize("function", ["predict", "predict_proba", "decision_function"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_function_returns_what_it_was_asked_for(function, classes, pyfunc, tmp_path):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(60, 3)), np.arange(60) % classes
    model = LogisticRegression().fit(X, y)
    rosenblatt.mlflow.save_model(model, tmp_path / "m", pyfunc_predict_fn=function)
    loaded = pyfunc.load_model(str(tmp_path / "m"))
    expected = getattr(model, function)(X)
    assert loaded.predict(X).tolist() == expected.tolist()
    (described,) = json.loads(loaded.metadata.signature.to_dict()["outputs"])
    if function == "predict":
        assert described["type"] == "long"
    else:
        assert described["tensor-spec"]["shape"] == [-1, *expected.shape[1:]]


def test_named_columns_of_a_frame_are_in_the_signature(rows, table, pyfunc, tmp_path):
    model = Perceptron(order="cyclic", max_iter=5).fit(rows[["size"]], table["size"] > 0)
    rosenblatt.mlflow.save_model(model, tmp_path / "m")
    loaded = pyfunc.load_model(str(tmp_path / "m"))
    assert types(loaded.metadata.signature) == {"size": "double"}
    assert json.loads(loaded.metadata.signature.to_dict()["outputs"])[0]["type"] == "boolean"
    assert loaded.predict(rows[["size"]]).tolist() == model.predict(rows[["size"]]).tolist()


def test_an_input_example_is_kept_and_gives_the_signature(model, rows, pyfunc, tmp_path):
    example = rows.dropna().head(3)
    rosenblatt.mlflow.save_model(model, tmp_path / "m", input_example=example)
    loaded = pyfunc.load_model(str(tmp_path / "m"))
    assert loaded.input_example.to_dict("list") == example.to_dict("list")
    assert types(loaded.metadata.signature) == {"size": "double", "colour": "string", "day": "string"}
    assert loaded.predict(loaded.input_example).tolist() == model.predict(example).tolist()


def test_a_scikit_learn_pipeline_is_saved_as_well(rows, table, pyfunc, tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = rows[["size"]].to_numpy()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, table["kind"])
    rosenblatt.mlflow.save_model(model, tmp_path / "m", input_example=X[:2])
    assert pyfunc.load_model(str(tmp_path / "m")).predict(X).tolist() == model.predict(X).tolist()


def test_a_logged_and_registered_model_is_loaded_by_its_address(model, rows, pyfunc):
    import mlflow

    assert pyfunc is mlflow.pyfunc
    with mlflow.start_run():
        info = rosenblatt.mlflow.log_model(
            model, "mails", input_example=rows.dropna().head(2), registered_model_name="filter"
        )
    for address in (info.model_uri, "models:/filter/1"):
        assert pyfunc.load_model(address).predict(rows).tolist() == model.predict(rows).tolist()
        assert rosenblatt.mlflow.load_model(address).predict(rows).tolist() == model.predict(rows).tolist()


def test_what_cannot_be_saved_leaves_nothing(model, rows, tmp_path):
    refused = [
        ({"input_example": rows[["colour"]]}, "size"),
        ({"pyfunc_predict_fn": "explain"}, "must be one of predict, predict_proba, decision_function"),
        ({"input_example": rows.head(1), "signature": object()}, "signature|to_dict"),
    ]
    for arguments, words in refused:
        with pytest.raises(Exception, match=words):
            rosenblatt.mlflow.save_model(model, tmp_path / "m", **arguments)
        assert os.listdir(tmp_path) == []
    with pytest.raises(ValueError, match="learned nothing yet"):
        rosenblatt.mlflow.save_model(Perceptron(), tmp_path / "m")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "mine").write_text("kept")
    with pytest.raises(InputError, match="not an empty folder: give a new one"):
        rosenblatt.mlflow.save_model(model, tmp_path / "m")
    assert (tmp_path / "m" / "mine").read_text() == "kept"


def test_other_folders_are_refused_in_a_sentence(model, tmp_path):
    with pytest.raises(InputError, match=r"is no model of MLflow: give the folder that save_model wrote\.$"):
        rosenblatt.mlflow.load_model(tmp_path)
    rosenblatt.mlflow.save_model(model, tmp_path / "m")
    about = tmp_path / "m" / "MLmodel"
    about.write_text(about.read_text().replace("  rosenblatt:", "  another:"))
    with pytest.raises(InputError, match="but none of rosenblatt"):
        rosenblatt.mlflow.load_model(tmp_path / "m")


def test_a_description_cannot_name_a_file_elsewhere(model, tmp_path):
    rosenblatt.mlflow.save_model(model, tmp_path / "m")
    about = tmp_path / "m" / "MLmodel"
    about.write_text(about.read_text().replace("data: model.safetensors", "data: ../other.safetensors"))
    with pytest.raises(InputError, match="but none of rosenblatt"):
        rosenblatt.mlflow.load_model(tmp_path / "m")
