"""C="auto" does the work of LogisticRegressionCV."""

import re
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.classifiers.strength_search import SearchWatcher
from rosenblatt.solvers.training_plan import TrainingPlan
from rosenblatt.solvers.tuning.search import SearchProgress

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def noisy(rows=150, columns=100):
    """Mostly columns that say nothing, for which a strong penalty is right."""
    random = np.random.default_rng(0)
    rows_of_noise = random.normal(size=(rows, columns))
    return rows_of_noise, rows_of_noise[:, 0] + 2 * random.normal(size=rows) > 0


def test_noise_needs_a_strong_penalty_and_clear_columns_a_weak_one():
    strong = LogisticRegression(C="auto").fit(*noisy())
    rows, labels = make_classification(2000, 5, n_informative=5, n_redundant=0, class_sep=3.0, random_state=0)
    weak = LogisticRegression(C="auto").fit(rows, labels)
    assert strong.C_ <= 0.1 < weak.C_
    assert strong.C_one_standard_error_ <= strong.C_


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_the_model_is_that_of_the_chosen_c(penalty):
    model = LogisticRegression("auto", penalty=penalty).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, LogisticRegression(model.C_, penalty=penalty).fit(X, Y).coef_)
    assert clone(model).get_params() == model.get_params()
    assert model.C == "auto"


def test_no_worse_than_logistic_regression_cv_on_new_rows():
    losses = []
    for seed in range(3):
        train, test, labels, truth = train_test_split(X, Y, test_size=0.4, random_state=seed, stratify=Y)
        mine = LogisticRegression("auto").fit(train, labels)
        theirs = LogisticRegressionCV(
            Cs=np.logspace(-4, 4, 17),
            scoring="neg_log_loss",
            max_iter=1000,
            l1_ratios=(0,),
            use_legacy_attributes=False,
        ).fit(train, labels)
        losses.append([log_loss(truth, model.predict_proba(test)) for model in (mine, theirs)])
    ours, other = np.mean(losses, axis=0)
    assert ours <= 1.02 * other


def test_results_are_named_as_in_grid_search():
    model = LinearSVM(C="auto").fit(X, Y)
    found = model.cv_results_
    assert len({len(column) for column in found.values()}) == 1
    best = int(np.argmin(found["rank_test_score"]))
    assert found["param_C"][best] == model.C_ == found["params"][best]["C"]
    splits = [found[f"split{k}_test_score"][best] for k in range(5)]
    assert found["mean_test_score"][best] == pytest.approx(np.mean(splits), rel=0.02)  # folds differ by a row at most
    untried = np.isnan(found["mean_test_score"])
    assert all(found["abandoned"][untried])


def test_folds_come_from_the_random_state():
    scores = [LogisticRegression("auto", random_state=seed).fit(X, Y).cv_results_ for seed in (None, None, 1, 1, 2)]
    means = [np.nanmax(found["mean_test_score"]) for found in scores]
    assert means[0] == means[1]
    assert means[2] == means[3]
    assert len(set(means)) == 3


def test_several_classes_weights_lifts_and_calibration():
    rows, labels = load_wine(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    for model in (
        LogisticRegression("auto", class_weight="balanced"),
        LogisticRegression("auto", multi_class="ovr"),
        LinearSVM(C="auto", calibration="platt"),
        LogisticRegression("auto", features="polynomial-2"),
    ):
        assert model.fit(rows, labels, np.full(len(labels), 2.0)).score(rows, labels) > 0.95
        assert model.predict_proba(rows).shape == (178, 3)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LogisticRegression("auto", alpha=1.0), "C='auto' and alpha=1.0 both say how strong the penalty is: give one."),
        (LogisticRegression("auto", penalty=None), "C='auto' does not go with penalty=None, which has no strength"),
        (LogisticRegression("auto", penalty="jeffreys"), "C='auto' does not go with penalty='jeffreys'"),
        (LinearSVM(C="auto", solver="sgd"), "C='auto' does not go with solver='sgd': it compares optima"),
    ],
    ids=str,
)
def test_contradictions_are_refused(model, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


def test_a_class_of_one_row_is_refused_and_the_old_model_stays():
    model = LogisticRegression("auto").fit(X, Y)
    before = model.coef_
    with pytest.raises(ValueError, match=re.escape("C='auto' needs two rows or more of each class, and 7 has one.")):
        model.fit(X, np.where(np.arange(len(Y)) == 3, 7, Y))
    assert model.coef_ is before


def test_there_is_no_chosen_c_without_auto():
    with pytest.raises(AttributeError, match="there is no C_: fit with C='auto' leaves it, unless"):
        LogisticRegression().fit(X, Y).C_  # noqa: B018


def test_the_limit_that_was_given_is_told():
    with pytest.warns(UserWarning, match="max_seconds"):
        model = LogisticRegression("auto", max_seconds=1e-9).fit(X, Y)
    assert "max_seconds=1e-09 reached" in model.status_


def test_the_clock_of_the_training_starts_with_the_search(monkeypatch):
    started, train = [], TrainingPlan.train

    def noted(plan, *rows, **how):
        started.append((time.perf_counter(), how.get("began"), plan.recipe.stops.max_seconds))
        return train(plan, *rows, **how)

    monkeypatch.setattr(TrainingPlan, "train", noted)
    model = LogisticRegression("auto", max_seconds=1000.0).fit(X, Y)
    now, began, limit = started[-1]  # the one after those of the search
    assert now - began >= model._learned.tuning.seconds
    assert limit == 1000.0


def test_time_for_the_search_and_the_training_is_limited():
    model = LogisticRegression("auto", max_seconds=1e-6)
    with pytest.warns(UserWarning, match="max_seconds"):
        model.fit(X, Y)
    assert not hasattr(model, "C_")
    assert model.coef_.shape == (1, 30)


def test_progress_is_told_at_intervals(capsys):
    quiet, watch = SearchWatcher("LinearSVM", 0), SearchWatcher("LinearSVM", 1)
    for seconds in (1.0, 2.5, 3.0):
        for each in (quiet, watch):
            each(SearchProgress(3, 85, seconds, 0.25))
    told = capsys.readouterr().err
    assert told == "[LinearSVM] choosing C: 3 of at most 85 trainings, least mean loss 0.25, 2.5 s\n"
