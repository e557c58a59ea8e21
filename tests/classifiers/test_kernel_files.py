"""Kernel perceptrons in files and at the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from kernel_rows import PLANES_KEPT, XOR, spirals, whole_numbers
from scipy import sparse
from typer.testing import CliRunner

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.cli.app import app

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("keep", PLANES_KEPT)
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_models_come_back_from_files(form, keep, tmp_path):
    X, y = spirals(120)
    labels = np.array(["inner", "outer"])[y]
    Z = X + 0.1
    path = tmp_path / "model.safetensors"
    fitted = KernelPerceptron(gamma=0.5, keep=keep, random_state=0, max_iter=10).fit(form(X), labels)
    stream = KernelPerceptron(keep=keep, random_state=0).partial_fit(form(X), labels)
    for model in (fitted, stream):
        save(model, path)
        back = load(path)
        np.testing.assert_array_equal(back.decision_function(Z), model.decision_function(Z))
        np.testing.assert_array_equal(back.predict(Z), model.predict(Z))
        assert (back.status_, back.gamma_, back.n_features_in_) == (model.status_, model.gamma_, 2)
    np.testing.assert_array_equal(load_again(fitted, path).support_, fitted.support_)
    back = load_again(stream, path)
    for model in (stream, back):
        model.partial_fit(form(Z), labels)
    np.testing.assert_array_equal(back.decision_function(X), stream.decision_function(X))


def test_the_command_line_predicts(tmp_path):
    X, y = spirals(120)
    table, path = tmp_path / "rows.csv", tmp_path / "model.safetensors"
    frame = pd.DataFrame(X, columns=["across", "up"])
    frame.to_csv(table, index=False)
    model = KernelPerceptron(gamma=0.5, random_state=0).fit(frame, y)
    save(model, path)
    answer = CliRunner().invoke(app, ["predict", str(path), str(table)])
    assert answer.stdout.split() == ["prediction", *map(str, y)]


def load_again(model, path):
    save(model, path)
    return load(path)


def test_a_precomputed_model_comes_back_and_a_callable_is_refused(tmp_path):
    X, y = whole_numbers()
    path = tmp_path / "model.safetensors"
    model = KernelPerceptron("precomputed", max_iter=5, random_state=0).fit(X @ X.T, y)
    back = load_again(model, path)
    np.testing.assert_array_equal(back.decision_function(X @ X.T), model.decision_function(X @ X.T))
    np.testing.assert_array_equal(back.support_, model.support_)
    with pytest.raises(ValueError, match="cannot be saved"):
        save(KernelPerceptron(lambda a, b: a @ b.T, max_iter=5).fit(X, y), path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("degree", -1), ("degree", 0), ("degree", 10**30), ("gamma", -1.0), ("gamma", 0.0), ("coef0", 1e999)],
)
def test_a_file_with_an_impossible_kernel_is_refused(tmp_path, name, value):
    path = tmp_path / "model"
    save(KernelPerceptron(random_state=0).fit(*XOR), path)
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    inner = json.loads(header["__metadata__"]["rosenblatt"])
    inner["support"][name] = value
    header["__metadata__"]["rosenblatt"] = json.dumps(inner)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + size :])
    with pytest.raises(ValueError, match="model"):
        load(path)
