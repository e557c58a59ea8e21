"""Rows held out judge the weights that are returned, and traces name rows as they were given."""

import numpy as np
import pytest
from penalised_learners import LEARNERS, LOSSES, overlapping, quietly
from sklearn.linear_model import SGDClassifier

from rosenblatt import LogisticRegression
from rosenblatt.foundation.splitting import split


@quietly
@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("criterion", ["loss", "mistakes"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_held_out_judge_the_weights_returned(learner, criterion, solver):
    X, y = overlapping(400)
    s = np.random.default_rng(2).uniform(0.5, 2, 400)
    model = learner(solver=solver, early_stopping=True, criterion=criterion, random_state=7, validation_fraction=0.25)
    model.fit(X, y, sample_weight=s)
    seed = np.random.RandomState(7).randint(2**31 - 1)
    kept, out = split(y.astype(np.int32), 0.25, int(seed))
    assert model.status_.rows == len(kept) == 300
    margins = (2 * y - 1)[out] * model.decision_function(X[out])
    seen = LOSSES[model.loss](margins) if criterion == "loss" else margins <= 0
    assert model.history_["held_out"].min() == pytest.approx(np.average(seen, weights=s[out]), abs=1e-12)
    assert model.status_.reason in ("held-out", "max_iter")
    if model.status_.reason == "held-out":
        before, last = np.split(model.history_["held_out"], [-5])
        assert before.min() - last.min() <= 1e-4


def test_theirs_judges_other_weights_and_labels_than_it_returns():
    """Rows held out have labels 0 and 1 for the log loss where -1 and 1 are predicted: all of class 0 are wrong.

    And the weights judged lack the factor that the L2 penalty keeps apart from them.
    """
    seen = {}

    class Watched(SGDClassifier):
        def score(self, X, y, sample_weight=None):
            seen.update(X=X, y=y, coef=self.coef_.copy(), score=super().score(X, y, sample_weight))
            return seen["score"]

    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 3))
    y = (X[:, 0] + 0.3 * random.normal(size=1000) > 1.0).astype(int)
    theirs = Watched(loss="log_loss", alpha=0.1, early_stopping=True, random_state=0).fit(X, y)
    truth = np.mean(theirs.predict(seen["X"]) == (seen["y"] > 0))
    assert seen["score"] < 0.25 < 0.8 < truth
    assert np.abs(seen["coef"]).max() > 2 * np.abs(theirs.coef_).max()
    ours = LogisticRegression(solver="sgd", alpha=0.1, early_stopping=True, criterion="mistakes", random_state=0)
    out = split(y.astype(np.int32), 0.1, int(np.random.RandomState(0).randint(2**31 - 1)))[1]
    assert 1 - ours.fit(X, y).history_["held_out"].min() == pytest.approx(ours.score(X[out], y[out]))


def test_a_held_out_part_without_rows_is_refused():
    with pytest.raises(ValueError, match=r"validation_fraction=0.1 of 4 rows holds out none"):
        LogisticRegression(solver="sgd", early_stopping=True).fit([[0], [1], [2], [3]], [0, 0, 1, 1])


@quietly
def test_traces_name_rows_of_x_though_some_are_held_out():
    X, y = overlapping(100)
    model = LogisticRegression(solver="sgd", early_stopping=True, max_iter=1, random_state=7).fit(X, y, trace=True)
    kept, _ = split(y.astype(np.int32), 0.1, int(np.random.RandomState(7).randint(2**31 - 1)))
    assert sorted(model.trace_["row"]) == kept.tolist()
