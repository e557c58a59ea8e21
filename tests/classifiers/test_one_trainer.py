"""One model, several threads: training is refused while another thread trains, everything else sees a whole model."""

import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, LogisticRegression, PassiveAggressive, Perceptron
from rosenblatt.classifiers.one_trainer import one_trainer

REFUSED = r"this \w+ is being trained in another thread: train one model for each thread, or wait for the other\."
ROUNDS = 60


def table(classes, rows=300):
    random = np.random.default_rng(classes)
    X = random.normal(size=(rows, 4))
    return X, np.array(["ash", "birch", "cedar", "elm"])[np.argmax(X[:, :classes], axis=1)]


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_training_is_refused_while_another_thread_trains(method, monkeypatch):
    model, (X, y) = Perceptron(), table(2)
    begun, refused, train = threading.Event(), threading.Event(), model._train

    def train_slowly(*given, **how):
        begun.set()
        assert refused.wait(60)
        return train(*given, **how)

    monkeypatch.setattr(model, "_train", train_slowly)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(model.fit, X, y)
        try:
            assert begun.wait(60)
            with pytest.raises(RuntimeError, match=REFUSED):
                getattr(model, method)(X, y)
        finally:
            refused.set()
        assert other.result() is model
    assert model.partial_fit(X, y) is model  # once the other has ended


class Nested:
    @one_trainer
    def fit(self):
        return self.fit_once() + 1

    @one_trainer
    def fit_once(self):
        return 1


def test_the_same_thread_may_train_within_a_training():
    model = Nested()
    assert (model.fit(), model.fit()) == (2, 2)


def busy(*works):
    """Call all works over and over, each in a thread of its own, and return what went wrong otherwise than refused."""
    wrong = []

    def repeat(work):
        for _ in range(ROUNDS):
            try:
                work()
            except RuntimeError as error:
                if "in another thread" not in str(error):
                    wrong.append(error)
            except Exception as error:
                wrong.append(error)

    with ThreadPoolExecutor(len(works)) as pool:
        list(pool.map(repeat, works))
    return wrong


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [Perceptron, LogisticRegression, KernelPerceptron])
def test_fit_and_predict_and_save_at_once(kind, tmp_path):
    """Models of two and of four classes take turns; a prediction is by one of them, not by parts of both."""
    two, four = table(2), table(4)
    parameters = {"max_iter": 3} if kind is not LogisticRegression else {}
    expected = [kind(random_state=0, **parameters).fit(*rows).predict(four[0]) for rows in (two, four)]
    model = kind(random_state=0, **parameters).fit(*two)

    def predict():
        answer = model.predict(four[0])
        assert any((answer == one).all() for one in expected)

    def save():
        path = tmp_path / f"{threading.get_ident()}"
        rosenblatt.save(model, path)
        answer = rosenblatt.load(path).predict(four[0])
        assert any((answer == one).all() for one in expected)

    assert not busy(lambda: model.fit(*two), lambda: model.fit(*four), predict, predict, save)


@pytest.mark.parametrize("rows", [1, 7])
def test_partial_fit_and_predict_and_save_at_once(rows, tmp_path):
    """No call that returns is lost, and what is saved can be loaded: its weights are those of its state."""
    X, y = table(2)
    model, learned = PassiveAggressive().partial_fit(X[:2], y[:2], classes=np.unique(y)), []

    def learn():
        model.partial_fit(X[:rows], y[:rows])
        learned.append(rows)

    def save():
        path = tmp_path / f"{threading.get_ident()}"
        rosenblatt.save(model, path)
        rosenblatt.load(path)

    assert not busy(learn, learn, lambda: model.predict(X), save, lambda: pickle.dumps(model))
    assert model.n_visits_ == 2 + sum(learned)
    weights = model.coef_.copy()
    assert (pickle.loads(pickle.dumps(model)).coef_ == weights).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # there are threads: that is the point
def test_a_process_forked_during_a_fit_can_train_and_predict():
    random = np.random.default_rng(0)
    X = random.normal(size=(40_000, 4))  # large enough for the pool of threads
    y = X @ random.normal(size=4) + random.normal(size=len(X)) > 0
    expected = LogisticRegression(n_jobs=2).fit(X, y)
    model, ended = LogisticRegression(n_jobs=2).fit(X, y), threading.Event()

    def train():
        while not ended.is_set():
            model.fit(X, y)

    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(train)
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    signal.alarm(60)  # which ends it where it waits for ever
                    same = (model.fit(X, y).coef_ == expected.coef_).all()
                    os._exit(0 if same and (model.predict(X) == expected.predict(X)).all() else 1)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            ended.set()
        training.result()
