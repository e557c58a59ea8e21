"""scikit-learn's callbacks hear of a fit and of its epochs, and are torn down however it ends."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
)

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSIFIERS = [
    Perceptron(random_state=0),
    AveragedPerceptron(random_state=0),
    PocketPerceptron(random_state=0, max_iter=20),
    PassiveAggressive(random_state=0),
    LinearSVM(),
    LinearSVM(loss="squared-hinge"),
    LinearSVM(solver="sgd", alpha=1e-3, max_iter=5, random_state=0),
    LogisticRegression(),
    LogisticRegression(solver="gd", max_iter=5),
    KernelPerceptron(random_state=0),
]


class Recorder:
    """Notes what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.heard.append(f"end {context.task_name}")


def table(classes=2, rows=120):
    X = np.random.default_rng(classes).normal(size=(rows, 4))
    return X, np.argmax(X[:, :classes], axis=1)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_callbacks_hear_of_a_fit_and_its_epochs(model, classes):
    recorder = Recorder()
    model = clone(model).set_callbacks(recorder).fit(*table(classes))
    *first, last = recorder.heard
    assert first[:2] == ["setup", "begin fit"]
    assert (first[-1], last) == ("end fit", "teardown")
    epochs = recorder.heard[2:-2]
    assert epochs == ["begin epoch", "end epoch"] * (len(epochs) // 2)
    assert epochs
    assert "_callback_fit_ctx" not in vars(model)


def test_each_epoch_is_one_task():
    recorder = Recorder()
    model = Perceptron(order="cyclic", max_iter=7, tol=0).set_callbacks(recorder)
    X, _ = table()
    model.fit(X, np.arange(len(X)) % 2)
    assert recorder.heard.count("end epoch") == model.n_iter_ == 7


def test_callbacks_change_nothing_that_is_learned():
    X, y = table(3)
    plain, told = Perceptron(random_state=0), Perceptron(random_state=0).set_callbacks(Recorder())
    np.testing.assert_array_equal(plain.fit(X, y).coef_, told.fit(X, y).coef_)


class StopsAfter(Recorder):
    """Asks to stop at the end of an epoch."""

    def __init__(self, epochs):
        super().__init__()
        self.epochs = epochs

    def on_fit_task_end(self, estimator, context):
        super().on_fit_task_end(estimator, context)
        return self.heard.count("end epoch") >= self.epochs


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_can_end_a_fit(model, classes, n_jobs):
    """Labels without a pattern: no classifier ends within an epoch by itself."""
    X, y = np.random.default_rng(0).normal(size=(300, 4)), np.arange(300) % classes
    stop = StopsAfter(1)
    model = clone(model).set_params(n_jobs=n_jobs).set_callbacks(stop).fit(X, y)
    assert model.status_.reason == "interrupted"
    assert stop.heard[-2:] == ["end fit", "teardown"]
    assert model.predict(X).shape == (300,)


def test_a_fit_ends_at_the_epoch_at_which_a_callback_asks_for_it():
    X = table()[0]
    y = np.arange(len(X)) % 2
    model = Perceptron(random_state=0).set_callbacks(StopsAfter(5)).fit(X, y)
    assert model.n_iter_ == 5
    np.testing.assert_array_equal(model.coef_, Perceptron(random_state=0, max_iter=5).fit(X, y).coef_)


def test_ctrl_c_is_still_raised():
    class Interrupted(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Perceptron().set_callbacks(Interrupted()).fit(*table())


def test_callbacks_are_torn_down_after_a_failed_fit():
    recorder = Recorder()
    model = Perceptron().set_callbacks(recorder)
    with pytest.raises(ValueError, match="only one class"):
        model.fit([[1.0], [2.0]], [1, 1])
    assert recorder.heard == ["setup", "begin fit", "teardown"]


def test_trainings_for_a_calibration_are_not_reported():
    recorder = Recorder()
    model = Perceptron(calibration="platt", random_state=0).set_callbacks(recorder)
    model.fit(*table())
    assert recorder.heard.count("setup") == recorder.heard.count("begin fit") == 1


def test_set_callbacks_without_arguments_removes_them():
    recorder = Recorder()
    Perceptron().set_callbacks(recorder).set_callbacks().fit(*table())
    assert not recorder.heard


def test_a_scoring_monitor_scores_the_fitted_model():
    X, y = table()
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = LogisticRegression().set_callbacks(monitor).fit(X, y, sample_weight=np.arange(len(X)) % 3)
    [entry] = monitor.get_logs().data
    assert entry["accuracy"] == pytest.approx(model.score(X, y, np.arange(len(X)) % 3))


def test_a_progress_bar_of_a_search_shows_the_classifier(capsys):
    search = GridSearchCV(Perceptron(random_state=0), {"eta0": [1.0, 2.0]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # "does not support callbacks"
        search.set_callbacks(callback.ProgressBar()).fit(*table())
    assert "Perceptron - fit" in capsys.readouterr().out


def test_without_callbacks_their_module_is_not_imported():
    train = "rosenblatt.Perceptron().fit([[0.0], [1.0]], [0, 1])"
    code = f"import sys, rosenblatt; {train}; print('sklearn.callback' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
