"""Model files: what is saved comes back, learns on, and can be read by others."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file
from saved_models import assert_same, saved_and_loaded, table
from sklearn.base import clone

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.engine.native_state import restore_state
from rosenblatt.model import file as modelfile
from rosenblatt.model import stream_state as modelstream
from rosenblatt.model.predict import probabilities
from rosenblatt.parts import catalogue

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSES = [getattr(classifiers, name) for name in catalogue.CLASS_NAMES if name not in catalogue.VOTING_NAMES]
DESCENDING = (rosenblatt.LinearSVM, rosenblatt.LogisticRegression)

PLANES = {"two": ("ovr", 2), "ovr": ("ovr", 3), "joint": ("joint", 3)}


def streaming(kind, **parameters):
    """A classifier that learns row by row."""
    return kind(**parameters, **({"solver": "sgd", "alpha": 0.01} if kind in DESCENDING else {}))


def labelled(codes, labels):
    return np.array(labels)[codes]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", ["Perceptron", "LogisticRegression", "KernelPerceptron"])
def test_equal_models_have_equal_files(learner, tmp_path):
    """How long each epoch took differs from run to run, and the file does not hold it."""
    X, y = np.random.default_rng(0).standard_normal((50, 3)), np.arange(50) % 2
    models = [getattr(rosenblatt, learner)(max_iter=9, random_state=0).fit(X, y) for _ in range(2)]
    models[0].history_["seconds"][:] = 7.0
    for place, model in enumerate(models):
        rosenblatt.save(model, tmp_path / str(place))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


@pytest.mark.parametrize("planes", PLANES)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_fitted_classifier_comes_back_whole(kind, planes, path):
    multi_class, classes = PLANES[planes]
    X, codes = table(classes)
    model = kind(max_iter=20, multi_class=multi_class, intercept_scaling=2.0, random_state=3)
    model.fit(X, labelled(codes, ["ash", "birch", "cedar"]))
    assert_same(model, saved_and_loaded(model, path), X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "ja, \u017e\u2603"]),
        np.array(["b", "a"], dtype=object),
        np.array([1, 0], dtype=np.int64),
        np.array([-(2**63), 2**63 - 1], dtype=np.int64),
        np.array([2**64 - 1, 3], dtype=np.uint64),
        np.array([7, 9], dtype=np.uint8),
        np.array([True, False]),
        np.array([1.0, 2.0]),
        np.array([1.0, 2.0], dtype=np.float32),
    ],
    ids=lambda labels: f"{labels.dtype}-{labels[0]}",
)
def test_labels_keep_value_and_type(labels, path):
    model = rosenblatt.Perceptron(random_state=0).fit([[-1.0], [1.0]], labels)
    loaded = saved_and_loaded(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [(type(label), label) for label in loaded.classes_] == [(type(label), label) for label in model.classes_]
    np.testing.assert_array_equal(loaded.predict([[-2.0], [2.0]]), labels)


def test_parameters_of_every_type_come_back(path):
    given = {"class_weight": {0: 2.5, 1: 1.0}, "eta0": np.float64(0.5), "max_iter": np.int64(7), "max_seconds": 9.5}
    model = rosenblatt.AveragedPerceptron(**given, fit_intercept=False, random_state=1, n_jobs=2).fit(*table())
    loaded = saved_and_loaded(model, path)
    assert loaded.get_params() == model.get_params()
    assert clone(loaded).fit(*table()).coef_.tolist() == model.coef_.tolist()


def test_column_names_come_back(path):
    X, y = table()
    frame = pd.DataFrame(X, columns=["width", "height", "a, b", "\u00e9"])
    loaded = saved_and_loaded(rosenblatt.AveragedPerceptron(random_state=0).fit(frame, y), path)
    assert list(loaded.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"width": "length"}))


@pytest.mark.parametrize("planes", PLANES)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_learning_goes_on_as_if_never_saved(kind, planes, path):
    if (kind, planes) == (rosenblatt.LogisticRegression, "joint"):
        return  # softmax is not learned row by row
    multi_class, classes = PLANES[planes]
    X, y = table(classes, rows=300)
    model = streaming(kind, multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    loaded = saved_and_loaded(model, path)
    assert_same(model, loaded, X)
    for part in (slice(100, 101), slice(101, 300)):
        model.partial_fit(X[part], y[part])
        loaded.partial_fit(X[part], y[part])
    newcomer = np.full(2, classes)
    assert_same(model.partial_fit(X[:2], newcomer), loaded.partial_fit(X[:2], newcomer), X)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_full_covariance_comes_back_and_others_are_refused(multi_class, path):
    X, y = table(3, rows=300)
    model = rosenblatt.AROW(step="full", multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    loaded = saved_and_loaded(model, path)
    assert_same(model.partial_fit(X[100:], y[100:]), loaded.partial_fit(X[100:], y[100:]), X)
    diagonal = rosenblatt.AROW(multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    stream = model._learned.states, diagonal._learned.states
    diagonal._learned.states = [
        restore_state({**theirs.__getstate__(), "covariance": ours.__getstate__()["covariance"]})
        for ours, theirs in zip(*stream, strict=True)
    ]
    rosenblatt.save(diagonal, path)
    with pytest.raises(ValueError, match="do not fit"):
        rosenblatt.load(path)


def test_nothing_of_a_state_is_forgotten():
    """What the core adds to its state must be saved, or be known to matter only while the same rows are at hand."""
    passing = {"checking", "position", "pass_mistakes", "pass_updates", "check_position", "check_mistakes"}
    passing |= {"level", "working_sets", "clean", "overflow"}
    made_of = {"planes", "columns", "keep"}
    saved = {*modelstream.STATE_COUNTS, *modelstream.STATE_SUMS, *modelstream.STATE_ARRAYS}
    known = set()
    for kind in CLASSES:
        known |= streaming(kind).partial_fit(*table())._learned.states[0].__getstate__().keys()
    assert known == saved | passing | made_of


def test_a_fitted_model_can_learn_on_after_loading(path):
    X, y = table()
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(X, y)
    loaded = saved_and_loaded(model, path)
    assert_same(model.partial_fit(X, y), loaded.partial_fit(X, y), X)


def test_the_same_model_makes_the_same_file(path, tmp_path):
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(*table())
    rosenblatt.save(model, path)
    rosenblatt.save(rosenblatt.load(path), tmp_path / "again")
    assert path.read_bytes() == (tmp_path / "again").read_bytes()


def test_other_tools_can_read_the_weights(path):
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(*table())
    rosenblatt.save(model, path)
    np.testing.assert_array_equal(load_file(path)["coef"], model.coef_)


# Calibrated models


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_probabilities_come_back_bit_for_bit(method, classes, path):
    X, codes = table(classes)
    model = rosenblatt.AveragedPerceptron(random_state=0, calibration=method).fit(X, codes)
    loaded = saved_and_loaded(model, path)
    assert_same(model, loaded, X)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(
        probabilities(modelfile.read(path), loaded.decision_function(X).reshape(len(X), -1)), model.predict_proba(X)
    )


# Without scikit-learn


def test_reading_and_writing_need_no_scikit_learn(path, tmp_path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).fit(*table(3)), path)
    code = (
        "import sys; from rosenblatt.model import file; file.write(file.read(sys.argv[1]), sys.argv[2]);"
        "print([name for name in ('sklearn', 'scipy', 'pandas') if name in sys.modules])"
    )
    again = tmp_path / "again"
    result = subprocess.run([sys.executable, "-c", code, path, again], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    assert again.read_bytes() == path.read_bytes()


def test_scores_and_decisions_of_a_model_are_the_classifiers(path):
    for classes in (2, 3):
        X, codes = table(classes)
        model = rosenblatt.AveragedPerceptron(random_state=0).fit(X, labelled(codes, ["ash", "birch", "cedar"]))
        rosenblatt.save(model, path)
        held = modelfile.read(path)
        scores = held.scores(rosenblatt.foundation.matrices.as_rows(X))
        np.testing.assert_array_equal(scores.squeeze(), model.decision_function(X))
        np.testing.assert_array_equal(held.classes[held.decide(scores)], model.predict(X))


@pytest.mark.parametrize("name", catalogue.ALGORITHMS)
def test_named_recipes_are_the_classifiers_defaults(name):
    classifier = getattr(classifiers, catalogue.ALGORITHMS[name].class_name)
    assert catalogue.recipe(name) == classifier()._recipe()


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVM"])
def test_a_file_keeps_the_strength_that_auto_has_chosen(name, tmp_path):
    X, y = table()
    model = getattr(rosenblatt, name)(C="auto", random_state=1).fit(X, y)
    paths = tmp_path / "one", tmp_path / "two"
    rosenblatt.save(model, paths[0])
    loaded = rosenblatt.load(paths[0])
    rosenblatt.save(loaded, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert (loaded.C_, loaded.C_one_standard_error_) == (model.C_, model.C_one_standard_error_)
    scores = [each.cv_results_["mean_test_score"] for each in (model, loaded)]
    np.testing.assert_array_equal(*scores)
