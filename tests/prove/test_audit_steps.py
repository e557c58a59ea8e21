"""What an audit stands on: the path that w has come, what rounding leaves open, and the table."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from separable_rows import separable
from test_audit import replay_of

from rosenblatt import Perceptron, mistake_bound
from rosenblatt.prove.mistakes.audit import _Replay
from rosenblatt.prove.mistakes.audit_mixing import MIXING_ROUNDINGS, MixedAudit, _MixedReplay, _updates_by_epoch
from rosenblatt.prove.mistakes.mistake_bound import MistakeBound, PerceptronRows, novikoff_bound, squared_ratio
from rosenblatt.prove.mistakes.traced_rows import TracedRows, TraceError, is_short

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])


def traced(X, y, form=np.asarray, weights=None, eta=1.0, **parameters):
    model = Perceptron(order="cyclic", fit_intercept=False, eta0=eta, **parameters).fit(form(X), y, weights, trace=True)
    rows = PerceptronRows(form(X), y, False, 1.0, weights, None)
    return model, TracedRows(rows, eta, model.trace_)


@FORMS
@pytest.mark.parametrize("eta", [0.25, 1.0, 8.0])
def test_the_path_is_as_long_as_its_steps(form, eta):
    """Rows of length 5 and 13, each step eta times its weight times the row."""
    X, y, weights = np.array([[3.0, 4.0], [-5.0, 12.0]]), np.array([1, -1]), np.array([2.0, 0.5])
    model, rows = traced(X, y, form, weights, eta)
    rows.check_steps(model)
    w, travelled = np.zeros(2), 0.0
    for k, row in enumerate(model.trace_["row"].tolist()):
        before = travelled
        travelled = rows.replay(k, w, travelled, roundings=k)
        assert travelled - before == pytest.approx(eta * weights[row] * [5.0, 13.0][row])
    rows.check_end(w, model, travelled, roundings=rows.count)
    np.testing.assert_allclose(w, model.coef_[0])


@FORMS
def test_rows_are_added_up_with_their_labels_and_weights(form):
    X, y, weights = np.array([[0.1, 0.0], [0.3, 0.7]]), np.array([1, -1]), np.array([0.2, 3.0])
    _, rows = traced(X, y, form, weights)
    total = rows.exact_sum({0: Fraction(2), 1: Fraction(1, 3)})
    exact = [[Fraction(value) for value in row] for row in X.tolist()]
    factors = 2 * Fraction(0.2), -Fraction(3.0) / 3
    assert total == [factors[0] * a + factors[1] * b for a, b in zip(*exact, strict=True)]


@pytest.mark.parametrize("power", [-40, 0, 40])
def test_scaling_by_a_power_of_two_leaves_the_same_mistakes_open(power):
    """Every number of the audit is scaled without rounding, the errors too."""
    X, y = separable(3, gap=0.05, offset=0.0)
    found = []
    for scale in (1.0, 2.0**power):
        model, rows = traced(X * scale, y)
        replay = _Replay(rows, novikoff_bound(rows.rows))
        replay.check(model)
        found.append([part.tolist() for part in replay._undecided_mistakes()])
    assert found[0] == found[1]
    assert len(found[0][0]) < rows.count


def test_inequalities_that_are_far_from_equality_are_not_decided_again():
    X, y = separable(1)
    model, replay = replay_of(X, y)
    replay.check(model)
    last = replay.traced.count - 1
    lead = replay.record["progress"] - replay.record["least_progress"]
    room = replay.record["most_squared_norm"] - replay.record["squared_norm"]
    unclear = replay._undecided_mistakes()
    assert all(lead[k] < 1e-9 * replay.record["progress"][last] for k in unclear.progress)
    assert all(room[k] < 1e-9 * replay.record["most_squared_norm"][last] for k in unclear.norm)


def test_a_margin_raises_the_growth_of_the_square():
    bound = MistakeBound(2.0, 1.0, 7.0, None, slack=3.0)
    assert bound.squared_growth == 7
    assert is_short([Fraction(7), Fraction(0)], Fraction(7), bound)
    assert not is_short([Fraction(7), Fraction(1)], Fraction(7), bound)
    assert squared_ratio(2.0, 1.0, 3.0) == 7.0
    assert squared_ratio(2.0, 0.0) == squared_ratio(np.inf, 1.0) == squared_ratio(2.0, 1.0, np.inf) == np.inf


@pytest.mark.parametrize("weights", [[1.0, 1.0], [4.0, 4.0], [4.0, 1.0]])
@pytest.mark.parametrize(("margin", "eta"), [(1.0, 1.0), (3.0, 0.5)])
def test_the_slack_is_twice_the_largest_weight_times_the_margin_by_eta(weights, margin, eta):
    bound = mistake_bound([[1.0], [-1.0]], [1, -1], False, sample_weight=weights, margin=margin, eta0=eta)
    assert bound.slack == 2 * max(weights) * margin / eta
    assert bound.radius == pytest.approx(max(weights))
    assert bound.bound == pytest.approx((max(weights) ** 2 + bound.slack) / min(weights) ** 2, rel=1e-5)


def test_a_trace_that_ends_elsewhere_is_refused():
    X, y = np.array([[3.0, 4.0], [-5.0, 12.0]]), np.array([1, -1])
    model, rows = traced(X, y)
    rows.check_steps(model)
    with pytest.raises(TraceError, match="does not end in the weights"):
        rows.check_end(np.zeros(2), model, 1.0, 1)
    rows.trace["norm"][0] = 4.0
    with pytest.raises(TraceError, match="the norm of w is 5, but 4 in the trace"):
        rows.replay(0, np.zeros(2), 0.0, 0)


# Mixed shards


def mixed_audit(epochs):
    numbers = np.arange(1.0, epochs + 1)
    record = {"epoch": numbers.astype(int), "mistakes": numbers, "mistake": numbers, "progress": 2 * numbers}
    record |= {"least_progress": numbers, "squared_norm": numbers, "most_squared_norm": 3 * numbers}
    bound = mistake_bound([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    return MixedAudit(True, 7, Fraction(7, 2), bound, record)


@pytest.mark.parametrize(("epochs", "shown"), [(1, [1]), (20, range(1, 21)), (21, [*range(1, 20), 21]), (0, [])])
def test_the_table_has_twenty_lines_at_most_and_the_last(epochs, shown):
    *lines, verdict = str(mixed_audit(epochs)).splitlines()
    assert verdict == ("7 mistakes count for 3.5, at most 117 were possible: both inequalities hold after every epoch")
    assert [int(line.split()[0]) for line in lines[1:]] == list(shown)
    if shown:
        assert " ".join(lines[0].split()) == "epoch mistakes sum mu k w.w* at least ||w||^2 at most"
        assert lines[-1].split() == [f"{epochs * factor}" for factor in (1, 1, 1, 2, 1, 1, 3)]


def test_a_broken_table_says_why():
    broken = replace(mixed_audit(2), ok=False, why_not="After epoch 2 something is wrong.")
    assert str(broken).endswith("were possible: After epoch 2 something is wrong.")
    assert not broken


def test_updates_are_grouped_by_epoch_and_shard():
    trace = {"epoch": np.array([0, 0, 0, 2, 2]), "shard": np.array([0, 0, 3, 1, 2]), "row": np.arange(5)}
    assert _updates_by_epoch(trace) == [[range(2), range(2, 3)], [range(3, 4), range(4, 5)]]
    assert _updates_by_epoch({name: values[:0] for name, values in trace.items()}) == []
    trace["shard"][2] = 0
    trace["epoch"][1] = 1
    with pytest.raises(TraceError, match="Update 3 is out of order"):
        _updates_by_epoch(trace)


def test_every_epoch_adds_roundings():
    """Those of the updates, and those of each mixture."""
    X, y = separable(1)
    _, rows = traced(X, y)
    replay = _MixedReplay(rows, novikoff_bound(rows.rows))
    roundings = [replay._roundings(epochs) for epochs in range(4)]
    assert roundings[0] == rows.count
    assert set(np.diff(roundings)) == {MIXING_ROUNDINGS}
