"""Risk on rows held out, and by cross-validation: the numbers, the intervals, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import binomtest, norm, ttest_1samp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from rosenblatt import BayesRule, LogisticRegression, cross_validated_risk, empirical_risk, held_out_risk

TRUTH, DECISION = [0] * 60 + [1] * 40, [0] * 55 + [1] * 45


def test_right_and_wrong_get_the_exact_interval():
    found = held_out_risk(TRUTH, DECISION, level=0.9)
    exact = binomtest(5, 100).proportion_ci(0.9, "exact")
    assert (found.risk, found.n, found.method) == (0.05, 100, "clopper-pearson")
    assert (found.lower, found.upper) == pytest.approx((exact.low, exact.high))


def test_losses_of_two_values_are_right_and_wrong_on_another_scale():
    plain, scaled = held_out_risk(TRUTH, DECISION), held_out_risk(TRUTH, DECISION, [[-2, 5], [5, -2]])
    assert scaled.method == "clopper-pearson"
    assert [scaled.lower, scaled.risk, scaled.upper] == pytest.approx(
        [7 * value - 2 for value in (plain.lower, plain.risk, plain.upper)]
    )


@pytest.mark.parametrize("method", ["chernoff", "bernstein", "hoeffding"])
def test_other_losses_are_scaled(method):
    matrix = np.array([[0, 1], [10, 0], [2, 2]])
    one = held_out_risk(TRUTH, DECISION, matrix, method=method)
    ten = held_out_risk(TRUTH, DECISION, 10 * matrix, method=method)
    assert one.lower <= one.risk <= one.upper <= 10
    assert [ten.lower, ten.risk, ten.upper] == pytest.approx([10 * one.lower, 10 * one.risk, 10 * one.upper])


def test_no_mistakes_do_not_mean_no_risk():
    found = held_out_risk([0, 1] * 10, [0, 1] * 10)
    assert found.risk == found.lower == 0
    assert found.upper == pytest.approx(1 - 0.025 ** (1 / 20))
    assert held_out_risk([1] * 20, [1] * 20).upper == found.upper  # one class only: still right and wrong


def test_refusals():
    with pytest.raises(ValueError, match=r"level must be between 0 and 1, both excluded, not 1"):
        held_out_risk(TRUTH, DECISION, level=1)
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        held_out_risk(TRUTH, DECISION, level="0.9")
    with pytest.raises(ValueError, match=r"method must be one of clopper-pearson, wilson, chernoff, .* not 'normal'"):
        held_out_risk(TRUTH, DECISION, method="normal")
    with pytest.raises(ValueError, match="'wilson' is for losses that have two values"):
        held_out_risk(TRUTH, DECISION, [[0, 1], [10, 0]], method="wilson")


def test_importing_it_needs_neither_scikit_learn_nor_scipy():
    import subprocess
    import sys

    code = "import sys; from rosenblatt import held_out_risk, vc_bound; print(held_out_risk([0, 1], [0, 1]).risk); "
    code += "print(sorted({'scipy', 'sklearn'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["0.0", "[]"]


# Cross-validation


def test_cross_validated_risk_is_that_of_the_decisions_on_rows_held_out():
    X, y = load_breast_cancer(return_X_y=True)
    found = cross_validated_risk(LinearDiscriminantAnalysis(), X, y, cv=4)
    assert found.decisions.tolist() == cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=4).tolist()
    assert found.risk == empirical_risk(y, found.decisions)
    assert len(found.folds) == 4
    assert found.lower < found.risk < found.upper


def test_interval_is_the_corrected_t_of_the_folds():
    X, y = load_breast_cancer(return_X_y=True)
    found = cross_validated_risk(LinearDiscriminantAnalysis(), X[:500], y[:500], cv=KFold(5), level=0.8)
    plain = ttest_1samp(found.folds, 0).confidence_interval(0.8)
    half = (plain.high - plain.low) / 2 * np.sqrt((1 / 5 + 1 / 4) / (1 / 5))
    assert found.upper - found.risk == pytest.approx(half)


def test_folds_without_mistakes_do_not_make_the_interval_a_point():
    X = np.r_[np.zeros(20), np.ones(20)].reshape(-1, 1) + np.linspace(0, 0.1, 40).reshape(-1, 1)
    found = cross_validated_risk(LinearDiscriminantAnalysis(), X, [0] * 20 + [1] * 20)
    assert found.risk == found.lower == 0
    assert found.upper == held_out_risk([0] * 40, [0] * 40).upper


def test_losses_text_labels_and_leaving_one_out():
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    matrix = {a: dict.fromkeys(set(y) - {a}, 5.0) for a in set(y)}
    found = cross_validated_risk(LinearDiscriminantAnalysis(), X, y, matrix, cv=LeaveOneOut())
    assert found.risk == 5 * np.mean(found.decisions != y)
    assert len(found.folds) == 150


def test_folds_that_lack_a_class_use_the_matrix_of_all():
    y = np.array([0] * 10 + [1] * 10 + [2] * 10)
    found = cross_validated_risk(DummyClassifier(), np.zeros((30, 1)), y, 1 - np.eye(3), cv=KFold(3))
    assert found.risk == 1.0  # the class held out is never the most frequent of the others


def test_interval_holds_the_mean_risk_of_such_classifiers_most_of_the_time():
    """40 rows of 20 columns, one of which matters: the interval of 40 independent rows would hold it in 88 of 100."""
    random, y, rows = np.random.default_rng(0), np.repeat([0, 1], 20), np.r_[0:16, 20:36]
    intervals, risks = [], []
    for _ in range(100):
        X = random.standard_normal((40, 20)) + np.outer(y, np.eye(20)[0])
        found = cross_validated_risk(LinearDiscriminantAnalysis(), X, y)
        intervals.append((found.lower, found.upper))
        model = LinearDiscriminantAnalysis().fit(X[rows], y[rows])
        w, b = model.coef_[0], model.intercept_[0]
        risks.append(np.mean(norm.cdf([b, -b - w[0]] / np.linalg.norm(w))))
    low, high = np.array(intervals).T
    assert np.mean((low <= np.mean(risks)) & (np.mean(risks) <= high)) >= 0.95


def test_rules_that_reject_sparse_rows_and_tables():
    data, target = load_breast_cancer(return_X_y=True, as_frame=True)
    target, losses = target.map({0: "bad", 1: "good"}), [[0, 10], [1, 0], [0.3, 0.3]]
    rule = BayesRule(LogisticRegression(), losses)
    found = cross_validated_risk(rule, data / data.max(), target, losses, cv=3)
    assert (found.decisions == "reject").any()
    assert found.risk == pytest.approx(empirical_risk(target, found.decisions, losses))
    numbers = cross_validated_risk(
        rule, csr_matrix((data / data.max()).to_numpy()), (target == "good").astype(int), losses, cv=3
    )
    assert numbers.risk == pytest.approx(found.risk)
    assert set(numbers.decisions.tolist()) == {0, 1, "reject"}


def test_groups_stay_together():
    """Groups of four equal rows, labels by chance: a row's twins give it away unless they are held out with it."""
    random = np.random.default_rng(0)
    X, y, groups = (np.repeat(part, 4, axis=0) for part in (random.standard_normal((40, 2)), [0, 1] * 20, range(40)))
    apart = cross_validated_risk(KNeighborsClassifier(1), X, y, cv=KFold(5, shuffle=True, random_state=0))
    together = cross_validated_risk(KNeighborsClassifier(1), X, y, cv=GroupKFold(5), groups=groups)
    assert apart.risk < 0.1 < 0.3 < together.risk


def test_a_splitter_must_hold_out_each_row_once():
    with pytest.raises(ValueError, match=r"must hold out each row once, but row \d+ is held out"):
        cross_validated_risk(DummyClassifier(), np.zeros((20, 1)), [0, 1] * 10, cv=ShuffleSplit(3, random_state=0))
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        cross_validated_risk(DummyClassifier(), np.zeros((20, 1)), [0, 1] * 10, level=0)
