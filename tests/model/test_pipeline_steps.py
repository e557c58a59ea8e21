"""Pipelines of scikit-learn's transformers and a classifier: what is saved predicts the same, and nothing is run."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

import rosenblatt
from rosenblatt.foundation.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 3)) * [1, 100, 0.01] + [5, 0, 1]
y = np.where(X[:, 0] + X[:, 1] / 100 > 5, "high", "low")
TABLE = pd.DataFrame({"size": X[:, 0], "width": X[:, 1], "wood": RANDOM.choice(["oak", "ash", "élm"], 80)})
TABLE.loc[::9, "size"] = np.nan
TEXTS = np.array(["an old oak", "a young ash tree", "the elm", "an ash, an oak"] * 20)


def mixed(remainder):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    wood = OneHotEncoder(handle_unknown="ignore", min_frequency=3)
    return ColumnTransformer([("numbers", numbers, ["size"]), ("wood", wood, ["wood"])], remainder=remainder)


PIPELINES = {
    "standard": (make_pipeline(StandardScaler()), X),
    "no mean": (make_pipeline(StandardScaler(with_mean=False)), X),
    "minmax": (make_pipeline(MinMaxScaler((-1, 1), clip=True)), X),
    "frame": (make_pipeline(StandardScaler()), pd.DataFrame(X, columns=list("abc"))),
    "two": (make_pipeline(MinMaxScaler(), StandardScaler()), X),
    "one-hot texts": (make_pipeline(OneHotEncoder(drop="first")), TABLE[["wood"]]),
    "one-hot numbers": (make_pipeline(OneHotEncoder(sparse_output=False)), (X * 2).round().clip(0, 3)),
    "imputed": (make_pipeline(SimpleImputer(strategy="median", add_indicator=False)), TABLE[["size", "width"]]),
    "dropped": (mixed("drop"), TABLE),
    "passed on": (mixed("passthrough"), TABLE),
    "counts": (make_pipeline(CountVectorizer()), TEXTS),
    "tf-idf": (make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, stop_words="english")), TEXTS),
    "own stop words": (make_pipeline(TfidfVectorizer(stop_words=["an"], min_df=2, norm=None)), TEXTS),
}


def fitted(transformer, rows, classifier=None):
    steps = transformer.steps if isinstance(transformer, Pipeline) else [("columns", transformer)]
    return Pipeline([*steps, ("last", classifier or rosenblatt.LogisticRegression())]).fit(rows, y)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_comes_back_whole(name, tmp_path):
    transformer, rows = PIPELINES[name]
    model = fitted(transformer, rows)
    rosenblatt.save(model, tmp_path / "m")
    loaded = rosenblatt.load(tmp_path / "m")
    assert [step for step, _ in loaded.steps] == [step for step, _ in model.steps]
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
    np.testing.assert_array_equal(loaded.predict(rows[:7]), model.predict(rows[:7]))
    assert loaded[:-1].get_feature_names_out().tolist() == model[:-1].get_feature_names_out().tolist()
    again = loaded.fit(rows, y)  # parameters come back, too
    np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
    rosenblatt.save(rosenblatt.load(tmp_path / "m"), tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_categories_that_are_missing_come_back(tmp_path):
    rows = TABLE[["wood"]].astype(object)
    rows.iloc[::5] = None
    numbers = (X[:, :1] * 2).round()
    numbers[::7] = np.nan
    for given in (rows, numbers):
        model = fitted(make_pipeline(OneHotEncoder(handle_unknown="ignore")), given)
        rosenblatt.save(model, tmp_path / "m")
        scores = rosenblatt.load(tmp_path / "m").decision_function(given)
        np.testing.assert_array_equal(scores, model.decision_function(given))


def test_a_loaded_stream_goes_on(tmp_path):
    scaler = StandardScaler().fit(X)
    classifier = rosenblatt.AveragedPerceptron().partial_fit(scaler.transform(X), y)
    model = Pipeline([("scaler", scaler), ("last", classifier)])
    rosenblatt.save(model, tmp_path / "m")
    loaded = rosenblatt.load(tmp_path / "m")
    for one in (model, loaded):
        one[-1].partial_fit(one[0].transform(X), y)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("transformer", "rows", "what"),
    [
        (PCA(2), X, "PCA in the step 'step'"),
        (FunctionTransformer(np.tanh), X, "a function in the step 'step.func'"),
        (TfidfVectorizer(tokenizer=str.split, token_pattern=None), TEXTS, "a function in the step 'step.tokenizer'"),
    ],
    ids=["class", "function", "tokenizer"],
)
def test_what_cannot_be_saved_is_named(transformer, rows, what, tmp_path):
    model = Pipeline([("step", transformer), ("last", rosenblatt.LogisticRegression())]).fit(rows, y)
    with pytest.raises(ValueError, match=r"it keeps a TableEncoder, or StandardScaler, .* of scikit-learn") as caught:
        rosenblatt.save(model, tmp_path / "m")
    assert what in str(caught.value)
    assert not (tmp_path / "m").exists()


def test_a_classifier_of_scikit_learn_is_refused(tmp_path):
    from sklearn.linear_model import SGDClassifier

    model = make_pipeline(StandardScaler(), SGDClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="save takes a classifier of rosenblatt"):
        rosenblatt.save(model, tmp_path / "m")


def test_damaged_steps_are_refused(tmp_path):
    path = tmp_path / "m.safetensors"
    rosenblatt.save(fitted(*PIPELINES["passed on"]), path)
    whole, dice, refusals = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(200):
        spoilt = bytearray(whole)
        spoilt[dice.integers(len(whole))] ^= 1 << dice.integers(8)
        path.write_bytes(spoilt)
        try:
            assert np.isfinite(rosenblatt.load(path).decision_function(TABLE)).all()
        except ValueError as error:
            refusals.append(str(error))
    assert len(refusals) > 100
    assert all(path.name in refusal for refusal in refusals)


def test_steps_under_a_damaged_name_are_not_left_out(tmp_path):
    path = tmp_path / "m.safetensors"
    rosenblatt.save(fitted(*PIPELINES["passed on"]), path)
    path.write_bytes(path.read_bytes().replace(b'\\"steps\\": {', b'\\"stepr\\": {', 1))
    with pytest.raises(ValueError, match=r"m\.safetensors .*unknown part 'stepr'"):
        rosenblatt.load(path)


def test_a_class_from_elsewhere_is_refused(tmp_path):
    import json

    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    from rosenblatt.model.pipeline_steps import _checksum

    path = tmp_path / "m.safetensors"
    rosenblatt.save(fitted(*PIPELINES["standard"]), path)
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["rosenblatt"])
    tensors = load_file(path)
    steps = header["steps"]
    steps["steps"][0][1]["transformer"][0] = "os.system"
    del steps["checksum"]
    steps["checksum"] = _checksum(steps, {name: one for name, one in tensors.items() if name.startswith("steps.")})
    save_file(tensors, path, metadata={"rosenblatt": json.dumps(header)})
    with pytest.raises(InputError, match="is damaged"):
        rosenblatt.load(path)


def test_another_version_of_scikit_learn_warns(tmp_path, monkeypatch):
    rosenblatt.save(fitted(*PIPELINES["standard"]), tmp_path / "m")
    monkeypatch.setattr("sklearn.__version__", "99.1.0")
    with pytest.warns(UserWarning, match="is loaded with 99.1.0: check its predictions"):
        rosenblatt.load(tmp_path / "m")


def test_the_command_line_names_the_way(tmp_path):
    rosenblatt.save(fitted(*PIPELINES["frame"]), tmp_path / "m")
    PIPELINES["frame"][1].to_csv(tmp_path / "rows.csv", index=False)
    words = [sys.executable, "-m", "rosenblatt.cli", "predict", tmp_path / "m", tmp_path / "rows.csv"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert "holds a pipeline of scikit-learn: use it in Python, with rosenblatt.load." in done.stderr
