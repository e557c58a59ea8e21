"""The exact half of the audit: both inequalities in fractions, equality included, and the smallest deviations."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from separable_rows import separable

from rosenblatt import Perceptron, audit
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.mistakes.audit import _printed_places, _Replay
from rosenblatt.prove.mistakes.mistake_bound import PerceptronRows, novikoff_bound
from rosenblatt.prove.mistakes.traced_rows import TracedRows, TraceError, has_progress, is_short

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])


def replay_of(X, y, form=np.asarray, weights=None, **parameters):
    model = Perceptron(order="cyclic", **parameters).fit(form(X), y, weights, trace=True)
    rows = PerceptronRows(form(X), y, True, 1.0, weights, None)
    return model, _Replay(TracedRows(rows, float(model.eta0), model.trace_), novikoff_bound(rows))


def exact_path(X, y, weights, numbers):
    """w / eta after each mistake, in fractions."""
    w, path = [Fraction(0)] * (len(X[0]) + 1), []
    for row in numbers:
        step = Fraction(float(weights[row])) * int(y[row])
        w = [a + step * Fraction(float(b)) for a, b in zip(w, [*X[row], 1.0], strict=True)]
        path.append(w)
    return path


@FORMS
@pytest.mark.parametrize("weighted", [True, False])
def test_the_path_is_added_up_without_rounding(form, weighted):
    X, y = separable(0)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    _, replay = replay_of(X, y, form, weights if weighted else None)
    path = exact_path(X.tolist(), y, weights, replay.traced.trace["row"].tolist())
    for count in range(1, replay.traced.count + 1):
        assert replay._exact_w(count) == path[count - 1]


def test_both_inequalities_are_decided_in_fractions():
    """For the true bound, and for bounds that are false by one unit in the last place or by a sign."""
    X, y = np.array([[2.0], [-2.0]]), np.array([1, -1])
    model = Perceptron(order="cyclic", fit_intercept=False).fit(X, y, trace=True)
    rows = PerceptronRows(X, y, False, 1.0, None, None)
    bound = replace(novikoff_bound(rows), radius=2.0, margin=2.0)
    changes = {
        (): (True, True),
        (("margin", np.nextafter(2.0, 3.0)),): (False, True),
        (("margin", np.nextafter(2.0, 1.0)),): (True, True),
        (("radius", np.nextafter(2.0, 1.0)),): (True, False),
        (("radius", np.inf),): (True, True),
        (("hyperplane", Hyperplane((Fraction(-1),), Fraction(0))),): (False, True),
        (("hyperplane", Hyperplane((Fraction(3),), Fraction(0))),): (True, True),
    }
    w, once = TracedRows(rows, 1.0, model.trace_).exact_sum({0: Fraction(1)}), Fraction(1)
    for change, expected in changes.items():
        changed = replace(bound, **dict(change))
        assert (has_progress(w, once, changed), is_short(w, once, changed)) == expected, change


@pytest.mark.parametrize("eta0", [0.1, 1.0, 3.0])
def test_rows_at_which_both_inequalities_are_equalities_pass(eta0):
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    report = audit(Perceptron(order="cyclic", fit_intercept=False, eta0=eta0).fit(X, y, trace=True), X, y)
    assert report, report.why_not
    assert report.mistakes == 1


@pytest.mark.parametrize(
    ("name", "of_first_mistake", "words"),
    [
        ("margin", lambda record: 1.01 * record["progress"][0], "is below 1 eta gamma"),
        ("radius", lambda record: 0.99 * record["squared_norm"][0] ** 0.5, "is above 1 eta"),
    ],
)
def test_a_false_bound_is_noticed_at_the_first_mistake(name, of_first_mistake, words):
    X, y = separable(1)
    model, replay = replay_of(X, y)
    replay.check(model)
    false = replace(replay.bound, **{name: of_first_mistake(replay.record)})
    with pytest.raises(TraceError, match=words):
        _Replay(TracedRows(replay.traced.rows, replay.eta, model.trace_), false).check(model)


def test_the_first_margin_is_exactly_0():
    X, y = separable(2)
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    model.trace_["margin"][0] = -1e-16
    assert audit(model, X, y).why_not.endswith("by the rows, but -1e-16 in the trace.")


@pytest.mark.parametrize("name", ["margin", "norm"])
def test_deviations_of_a_few_rounding_errors_are_caught_in_long_traces(name):
    X, y = separable(3, rows=200, gap=0.05)
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    assert audit(model, X, y)
    last = len(model.trace_[name]) - 1
    model.trace_[name][last] -= 1e-9
    assert f"istake {last + 1} " in audit(model, X, y).why_not


def test_other_weights_than_those_of_the_trace_are_caught():
    X, y = separable(4)
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    model.coef_[0, 1] += 1e-9
    assert audit(model, X, y).why_not == "The trace does not end in the weights of the model."


@FORMS
@pytest.mark.parametrize("weighted", [True, False])
def test_the_record_is_that_of_the_path(form, weighted):
    X, y = separable(5)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    model = Perceptron(order="cyclic", eta0=0.5).fit(form(X), y, weights, trace=True)
    report = audit(model, form(X), y, weights)
    w = 0.5 * np.array(exact_path(X.tolist(), y, weights, model.trace_["row"].tolist()), dtype=float)
    star, number = report.bound.hyperplane.coef, np.arange(1, len(w) + 1)
    np.testing.assert_allclose(report.record["squared_norm"], (w**2).sum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(report.record["progress"], w @ star / np.linalg.norm(star), rtol=1e-9)
    np.testing.assert_allclose(report.record["least_progress"], 0.5 * report.bound.margin * number)
    np.testing.assert_allclose(report.record["most_squared_norm"], (0.5 * report.bound.radius) ** 2 * number)
    assert (report.record["progress"] >= report.record["least_progress"] * (1 - 1e-12)).all()
    assert (report.record["squared_norm"] <= report.record["most_squared_norm"] * (1 + 1e-12)).all()


def test_labels_of_one_class_are_refused():
    X, y = separable(6)
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    with pytest.raises(ValueError, match="y must hold the labels that the model was fitted on"):
        audit(model, X, np.ones(len(y), dtype=int))


@pytest.mark.parametrize("count", [0, 1, 12, 13, 16, 17, 31, 32, 33, 1000])
def test_places_of_a_table_rise_to_the_last(count):
    places = _printed_places(count)
    assert places == sorted(set(places))
    assert places[-1:] == ([count - 1] if count else [])
    assert len(places) <= 12


def test_few_mistakes_in_many_columns_pass():
    """Fewer mistakes than columns: the weights at the end may still differ by rounding."""
    X, y = separable(7, rows=20, columns=60, gap=2.0)
    model = Perceptron(order="cyclic", eta0=0.1).fit(X, y, trace=True)
    report = audit(model, X, y)
    assert report, report.why_not
    assert 0 < report.mistakes < 50
