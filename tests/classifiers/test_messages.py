"""What a classifier says: truthful about the weights returned, useful, and pointing at the caller's line."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron, Recipe, Status
from rosenblatt.classifiers import messages
from rosenblatt.classifiers.messages import SeparationWarning, Watcher, advice, ended_as_asked, warn_of_descent
from rosenblatt.engine.result import Progress
from rosenblatt.parts.stops import Stops

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
OVERLAP = np.array([[0.0], [1], [2], [3], [9]]), [0, 0, 1, 1, 0]
AND = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def mistakes(model, X, y):
    """Rows with margin <= 0: a score of exactly 0 is a mistake for either class."""
    signs = np.where(np.equal(y, model.classes_[1]), 1, -1)
    return np.sum(signs * model.decision_function(X) <= 0)


ENDLESS = {"max_iter": 10**9, "n_iter_no_change": 10**9}


def progress(seconds, mistakes=3):
    return Progress(epochs=12.5, max_iter=1000, mistakes=mistakes, seconds=seconds)


@pytest.mark.parametrize(
    ("model", "hints"),
    [
        (
            Perceptron(max_iter=7),
            ["max_iter reached after 7 epochs", "separability(X, y)", "PocketPerceptron", "raise max_iter"],
        ),
        (Perceptron(n_iter_no_change=3), ["no better for 3 epochs", "PocketPerceptron", "raise n_iter_no_change"]),
        (Perceptron(**ENDLESS, max_seconds=0.05), ["max_seconds=0.05 reached", "raise max_seconds"]),
        (Perceptron(), ["(proved)", "PocketPerceptron", "separability(X, y)", "n_iter_no_change=max_iter"]),
        (PocketPerceptron(max_iter=9), ["the best weights found", "raise max_iter"]),
        (PassiveAggressive(criterion="loss", max_iter=3), ["max_iter reached after 3 epochs"]),
    ],
)
def test_ending_with_mistakes_left_warns_and_says_what_to_do(model, hints):
    [warning] = warnings_of(lambda: model.set_params(random_state=0).fit(*XOR))
    assert warning.category is ConvergenceWarning
    text = str(warning.message)
    assert text.startswith(f"{type(model).__name__}: {model.status_}. ")
    assert f"{mistakes(model, *XOR)} of 4 rows misclassified" in text
    for hint in hints:
        assert hint in text


@pytest.mark.parametrize(
    "model",
    [
        PocketPerceptron(n_iter_no_change=3),  # pockets, averages and the hinge loss are for classes that overlap
        AveragedPerceptron(),
        PassiveAggressive(),
        Perceptron(tol=0.6),  # three of five were allowed
        Perceptron(criterion="loss", tol=100.0),  # mistakes were not what was asked for
        Perceptron(criterion="weights", tol=100.0),
        PocketPerceptron(tol=0.5),
    ],
)
def test_mistakes_that_were_allowed_do_not_warn(model):
    assert not warnings_of(lambda: model.set_params(random_state=0).fit(*OVERLAP))
    assert model.status_.mistakes == mistakes(model, *OVERLAP) > 0


@pytest.mark.parametrize(
    "model", [Perceptron(), PocketPerceptron(), PassiveAggressive(), Perceptron(order="working-set")]
)
def test_no_mistakes_no_warning(model):
    assert not warnings_of(lambda: model.set_params(random_state=0).fit(*AND))
    assert model.status_.mistakes == 0
    assert "no mistakes left" in model.status_


def test_an_average_that_errs_where_the_last_weights_do_not_says_so():
    model = AveragedPerceptron(order="cyclic", n_iter_no_change=None)
    X, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, 4.0]], [1, 0, 1]
    [warning] = warnings_of(lambda: model.fit(X, y))
    assert model.status_.reason == "average-errs"
    assert model.status_.mistakes == mistakes(model, X, y) > 0
    assert "Perceptron returns the last weights." in str(warning.message)
    assert Perceptron(order="cyclic").fit(X, y).score(X, y) == 1


def status(reason, mistakes=2, rows=4):
    return Status("...", reason, mistakes, rows, epochs=3)


@pytest.mark.parametrize("keep", ["last", "average", "best"])
@pytest.mark.parametrize("reason", ["mistakes", "loss", "gradient", "weights", "no-change", "max_iter", "max_seconds"])
@pytest.mark.parametrize("criterion", ["mistakes", "loss", "gradient", "weights"])
def test_every_ending_is_either_asked_for_or_comes_with_advice(keep, reason, criterion):
    recipe = Recipe(keep=keep, stops=Stops(criterion=criterion, tol=0.25))
    limit = {"no-change": "n_iter_no_change", "max_iter": "max_iter", "max_seconds": "max_seconds"}.get(reason)
    if limit is not None and not ended_as_asked(status(reason), recipe):
        assert f"raise {limit}" in advice(status(reason), recipe)
    assert advice(status(reason), recipe).endswith(".")
    if reason in ("max_iter", "max_seconds"):
        assert not ended_as_asked(status(reason), recipe)
    if reason == criterion == "mistakes" and keep != "best":
        assert not ended_as_asked(status(reason, 2), recipe)
        assert ended_as_asked(status(reason, 1), recipe)


def test_tol_is_a_share_of_the_weight():
    light = np.array([1.0, 1, 1, 1, 0.01])  # the row out of place
    for seed in range(5):
        model = Perceptron(tol=0.05, max_iter=10_000, random_state=seed)
        assert not warnings_of(lambda model=model: model.fit(*OVERLAP, sample_weight=light))
        assert model.status_.mistakes == mistakes(model, *OVERLAP) == 1


def test_one_vs_rest_problems_within_tol_that_together_are_not():
    recipe = Recipe(stops=Stops(tol=0.3))
    assert "lower tol" in advice(status("mistakes"), recipe)


# Where warnings point


@pytest.mark.parametrize(
    ("reason", "category", "advice"),
    [
        ("separated", SeparationWarning, r"choose a penalty.*separability\(X, y\)"),
        ("precision", ConvergenceWarning, "centre and scale them, or raise tol"),
        ("max_iter", ConvergenceWarning, "raise max_iter or set solver='optimum'"),
        ("max_seconds", ConvergenceWarning, "raise max_seconds or set solver='optimum'"),
    ],
)
def test_a_descent_that_did_not_arrive_says_what_to_do(reason, category, advice):
    with pytest.warns(category, match=f"SVM: it ended. .*{advice}"):
        warn_of_descent("SVM", Status("it ended", reason, 0, 4, 1), "sgd")


@pytest.mark.parametrize("reason", ["gradient", "gap", "loss", "weights", "mistakes", "held-out", "interrupted"])
def test_a_descent_that_ended_as_asked_says_nothing(reason):
    warn_of_descent("SVM", Status("it ended", reason, 3, 4, 1), "sgd")


def test_a_warning_points_at_the_line_that_called():
    here = sys._getframe().f_lineno + 1
    [warning] = warnings_of(lambda: Perceptron(max_iter=2).fit(*XOR))
    assert (warning.filename, warning.lineno) == (__file__, here)


def test_so_does_the_one_after_a_long_while(monkeypatch):
    monkeypatch.setattr(messages, "PATIENCE_SECONDS", 0.0)
    for y in (XOR[1], [0, 1, 2, 0]):  # one run, and three in threads
        here = sys._getframe().f_lineno + 1
        caught = warnings_of(lambda y=y: Perceptron(**ENDLESS, max_seconds=0.3, n_jobs=2).fit(XOR[0], y))
        assert [warning.category for warning in caught].count(UserWarning) == 1
        assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, here)}


# While it trains


def test_a_long_training_says_once_what_else_could_be_done():
    watch = Watcher("Perceptron", Recipe(), verbose=0)
    assert not warnings_of(lambda: watch(progress(9.9)))
    [warning] = warnings_of(lambda: watch(progress(10.1)))
    for hint in ("still training after 10 s", "of at most 1,000", "separability(X, y)", "PocketPerceptron"):
        assert hint in str(warning.message)
    assert not warnings_of(lambda: watch(progress(60.0)))


@pytest.mark.parametrize("recipe", [Recipe(keep="best"), Recipe(stops=Stops(criterion="loss"))])
def test_long_pocket_training_does_not_warn(recipe):
    assert not warnings_of(lambda: Watcher("Pocket", recipe, verbose=0)(progress(60.0)))


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (False, 0), (1, 2), (True, 2), (2, 6)])
def test_progress_goes_to_stderr_now_and_then(verbose, lines, capsys):
    watch = Watcher("Perceptron", Recipe(keep="best"), verbose)
    for tenths in range(0, 50, 8):
        watch(progress(tenths / 10, mistakes=None if tenths == 0 else 3))
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == lines
    if lines:
        assert "[Perceptron] epoch 12.5 of at most 1,000, 3 mistakes in the last whole one, 2.4 s" in err.splitlines()


@pytest.mark.parametrize("verbose", [0, 1])
def test_a_verbose_fit_tells_how_it_ended(verbose, capsys):
    model = Perceptron(verbose=verbose, random_state=0).fit(*AND)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (f"[Perceptron] {model.status_}\n" if verbose else "")
