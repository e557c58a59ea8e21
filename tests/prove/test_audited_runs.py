"""The audit of a run repeats every update, compares it with the bound, and catches what was tampered with."""

import numpy as np
import pytest
from separable_rows import NOTES, XOR, separable

from rosenblatt import (
    ALMA,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    audit,
)


def audited(**parameters):
    X, y = separable(4)
    return Perceptron(order="cyclic", **parameters).fit(X, y, trace=True), X, y


def test_the_audit_of_the_notes_prints_a_table_and_keeps_a_record():
    model = Perceptron(order="cyclic").fit(*NOTES, trace=True)
    report = audit(model, *NOTES)
    assert report
    assert {len(column) for column in report.record.values()} == {7}
    np.testing.assert_allclose(report.record["squared_norm"], [19, 8, 3, 4, 19, 12, 11])
    np.testing.assert_allclose(report.record["most_squared_norm"], 26 * np.arange(1, 8))
    assert str(report).count("\n") == 8
    assert str(report).endswith("7 mistakes, at most 117 were possible: both inequalities hold at every mistake")


def test_a_long_table_is_shortened():
    X, y = separable(5, rows=200, gap=0.01)
    model = Perceptron(order="cyclic", max_iter=10**5).fit(X, y, trace=True)
    report = audit(model, X, y)
    assert report
    assert report.mistakes > 40
    assert str(report).count("\n") < 20


@pytest.mark.parametrize("classifier", [AveragedPerceptron, PocketPerceptron])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_averages_and_pockets_are_audited_by_the_weights_that_moved(classifier):
    X, y = separable(6)
    model = classifier(random_state=0).fit(X, y, trace=True)
    report = audit(model, X, y)
    assert report, report.why_not
    assert report.mistakes == model.n_mistakes_


def test_class_weights_are_known_to_the_audit():
    X, y = separable(7)
    model = Perceptron(class_weight={-1: 0.3, 1: 2.0}, random_state=0).fit(X, y, trace=True)
    report = audit(model, X, y)
    assert report, report.why_not
    assert not audit(model.set_params(class_weight=None), X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_overlapping_rows_are_audited_by_the_norm_alone():
    model = Perceptron(order="cyclic", max_iter=20).fit(*XOR, trace=True)
    report = audit(model, *XOR)
    assert report
    assert report.bound.bound == np.inf
    assert np.isnan(report.record["progress"]).all()
    assert "no limit is known" in str(report)


TAMPERED = {
    "row": (lambda column: np.append(column[:-1], 10**6), "not among the rows"),
    "margin": (lambda column: column + 1.0, "margin"),
    "change": (lambda column: column * 1.001, "moved w by"),
    "norm": (lambda column: column * 1.001, "norm of w"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_trace_is_caught(name):
    model, X, y = audited()
    assert audit(model, X, y)
    change, message = TAMPERED[name]
    model.trace_[name][:] = change(model.trace_[name])
    report = audit(model, X, y)
    assert not report
    assert message in report.why_not
    assert report.why_not in str(report)


def test_two_updates_exchanged_are_caught():
    model, X, y = audited()
    rows = model.trace_["row"]
    other = np.flatnonzero(rows != rows[0])[0]
    rows[0], rows[other] = rows[other], rows[0]
    assert not audit(model, X, y)


def test_a_missing_update_is_caught():
    model, X, y = audited()
    for name in model.trace_:
        model.trace_[name] = model.trace_[name][:-1]
    assert "updates, but the model made" in audit(model, X, y).why_not


def test_an_update_without_a_mistake_is_caught():
    """A hinge moves at margins up to 1: its trace, passed off as a perceptron's, is refused where the margin is > 0."""
    X, y = np.array([[-0.5], [0.5]]), np.array([-1, 1])
    model = Perceptron(order="cyclic").fit(X, y, trace=True)
    # w = 0.5, b = -1 after row 0 and ... replayed by hand: visit row 0 again although it is right
    trace = {"row": [0, 0], "margin": [0.0, 1.25], "change": [1.0, 1.0], "norm": [0.5, 1.0]}
    for name, values in trace.items():
        model.trace_[name] = np.array(values)
    object.__setattr__(model._learned, "n_updates", 2)
    assert "not made at a mistake" in audit(model, X, y).why_not


def test_other_rows_than_those_of_the_fit_are_caught():
    model, X, y = audited()
    assert not audit(model, X * 1.01, y)
    assert not audit(model, X, -y)


def test_a_warm_start_is_refused():
    """The bound is about weights that start from 0. So does the first fit with warm_start=True."""
    X, y = separable(8)
    model = Perceptron(order="cyclic", warm_start=True).fit(X, y, trace=True)
    assert audit(model, X, y).ok
    model.fit(X, -y, trace=True)
    with pytest.raises(ValueError, match="started from the weights of an earlier fit: set warm_start=False"):
        audit(model, X, -y)
    assert audit(model.set_params(warm_start=False).fit(X, -y, trace=True), X, -y).ok


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ALMA(), "step='alma'"),
        (PassiveAggressive(), "loss='hinge' with step='pa1'"),
        (Perceptron(step="1/t"), "constant step"),
        (Perceptron(order="batch"), "many rows at once"),
        (KernelPerceptron(), "has none: a Perceptron"),
    ],
)
def test_what_the_theorem_is_not_about_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        audit(model.fit(*NOTES, trace=True), *NOTES)


def test_models_without_a_trace_are_refused():
    with pytest.raises(ValueError, match="trace=True"):
        audit(Perceptron().fit(*NOTES), *NOTES)
    with pytest.raises(ValueError, match="trace=True"):
        audit("a model", *NOTES)
    corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 1, 2]
    with pytest.raises(ValueError, match="two classes"):
        audit(Perceptron().fit(*corners, trace=True), *corners)
    with pytest.raises(ValueError, match="fitted on"):
        audit(Perceptron().fit(*NOTES, trace=True), NOTES[0], [5, 5, 6])
