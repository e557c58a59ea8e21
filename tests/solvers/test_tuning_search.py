"""The search for a penalty: its losses are those of other libraries, and hopeless trials are not missed."""

import json

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import StandardScaler

from rosenblatt.foundation.matrices import as_rows
from rosenblatt.foundation.splitting import folds
from rosenblatt.solvers.penalised_plan import penalised_plan
from rosenblatt.solvers.tuning import fold_path
from rosenblatt.solvers.tuning.fold_path import LastFold, PenaltyPath
from rosenblatt.solvers.tuning.search import FOLDS, STRENGTHS, Search
from rosenblatt.solvers.tuning.tuning import Tuning

X, Y = load_breast_cancer(return_X_y=True)
X, CODES = StandardScaler().fit_transform(X), Y.astype(np.int32)


def search(rows=X, codes=CODES, penalties=("l2",), **options):
    parent, paths = None, []
    for penalty in penalties:
        plan = penalised_plan("logistic", loss="logistic", penalty=penalty)
        parent = PenaltyPath({"penalty": penalty}, plan, lambda places: as_rows(rows[places]), parent)
        paths.append(parent)
    return Search(paths, codes, 2, **options)


def left_out_losses(C, seed=0, weights=None):
    """The losses of rows by scikit-learn's trainings without their folds."""
    losses = np.empty(len(X))
    for places in folds(CODES, FOLDS, seed):
        rest = np.setdiff1d(np.arange(len(X)), places)
        model = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10_000)
        model.fit(X[rest], Y[rest], None if weights is None else weights[rest])
        losses[places] = -model.predict_log_proba(X[places])[np.arange(len(places)), Y[places]]
    return losses


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_losses_are_those_of_scikit_learn_on_the_same_folds(C):
    [trial] = search(Cs=[C], seed=3).run().trials
    losses = left_out_losses(C, seed=3)
    assert trial.loss == pytest.approx(losses.mean(), rel=1e-3)
    assert trial.standard_error == pytest.approx(losses.std() / np.sqrt(len(X)), rel=1e-3)


def test_weights_count_as_rows_do():
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    [trial] = search(Cs=[0.1], weights=weights).run().trials
    assert trial.loss == pytest.approx(np.average(left_out_losses(0.1, weights=weights), weights=weights), rel=1e-3)


@pytest.mark.parametrize("seed", range(2))
def test_abandoning_trials_does_not_change_the_choice(seed):
    rows, labels = make_classification(
        200, 10 + 10 * seed, n_informative=4, flip_y=0.1, class_sep=0.5 + 0.3 * seed, random_state=seed
    )
    codes = labels.astype(np.int32)
    tuning = search(rows, codes, ("l2", "l1")).run()
    every = [
        search(rows, codes, (penalty,), Cs=[C]).run().trials[0] for penalty in ("l2", "l1") for C in STRENGTHS
    ]  # one C at a time, so that nothing is abandoned
    assert len(every) == len(tuning.trials)
    assert any(trial.abandoned for trial in tuning.trials)
    best = min(range(len(every)), key=lambda k: every[k].loss)
    assert tuning.chosen.loss <= every[best].loss + 0.05 * every[best].standard_error
    near = [trial for trial in every if trial.loss <= every[best].loss + every[best].standard_error]
    simplest = tuning.trials[tuning.simplest]
    assert simplest.weights <= min(trial.weights for trial in near) + 1


def test_rounding_of_losses_without_weights_ends_no_path():
    random = np.random.default_rng(4)
    rows = random.normal(size=(random.integers(160, 400), 5))
    noise = random.normal(size=len(rows)) * random.choice([0.3, 1, 3]) + random.normal()
    codes = (rows @ random.normal(size=5) + noise > 0).astype(np.int32)
    tuning = search(rows, codes, ("l1",)).run()
    assert tuning.chosen.weights > 0
    assert tuning.chosen.loss < tuning.trials[0].loss  # the first C leaves all weights 0


@pytest.mark.parametrize("seed", range(3))
def test_a_penalty_that_beats_its_parent_sees_all_folds(seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(400, 100))
    codes = (2 * rows[:, 0] + 0.3 * random.normal(size=400) > 0).astype(np.int32)
    tuning = search(rows, codes, ("l2", "l1")).run()
    assert tuning.chosen.settings == {"penalty": "l1"}
    assert len(tuning.chosen.fold_losses) == FOLDS
    assert not tuning.chosen.abandoned


def stop_after(calls):
    def watch(progress):
        nonlocal calls
        calls -= 1
        if not calls:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("calls", [1, 10, 40])
def test_an_interrupted_search_chooses_among_trials_of_the_same_folds(calls):
    whole = search().run()
    tuning = search(watch=stop_after(calls)).run()
    assert tuning.ended == "interrupted"
    assert not whole.ended
    seen = {len(trial.fold_losses) for trial in tuning.trials if not trial.abandoned and trial.fold_losses}
    assert len(seen) <= 1
    for trial, other in zip(tuning.trials, whole.trials, strict=True):
        assert trial.fold_losses == other.fold_losses[: len(trial.fold_losses)]


def test_a_search_without_time_chooses_nothing():
    tuning = search(limit=1e-9).run()
    assert tuning.ended == "max_seconds"
    assert tuning.chosen is None
    assert tuning.simplest is None


class OutOfTime(Search):
    """A search whose limit is over after so many trainings."""

    trainings = 0

    def _seconds_left(self):
        if not self.trainings:
            raise TimeoutError
        self.trainings -= 1


@pytest.mark.parametrize(("trainings", "chooses"), [(1, False), (8, False), (9, True), (30, True)])
def test_a_search_that_ends_before_the_default_c_chooses_nothing(trainings, chooses):
    whole = search()
    cut = OutOfTime(whole.paths, whole.codes, whole.classes)
    cut.trainings = trainings
    tuning = cut.run()
    assert tuning.ended == "max_seconds"
    assert tuning.trials[0].fold_losses
    assert (tuning.chosen is not None, tuning.simplest is not None) == (chooses, chooses)


def test_a_c_that_was_given_is_compared_with_no_default():
    whole = search(Cs=[0.01])
    cut = OutOfTime(whole.paths, whole.codes, whole.classes, Cs=whole.Cs)
    cut.trainings = 1
    assert cut.run().chosen.C == 0.01


def test_the_same_seed_gives_the_same_losses():
    one, same, other = (search(seed=seed, threads=threads).run() for seed, threads in ((1, 1), (1, 2), (2, 1)))
    assert [trial.fold_losses for trial in one.trials] == [trial.fold_losses for trial in same.trials]
    assert one.chosen.fold_losses != other.chosen.fold_losses


def test_few_rows_make_fewer_folds():
    tuning = search(X[[0, 1, 19, 20]], CODES[[0, 1, 19, 20]], Cs=[0.1, 1.0]).run()
    assert tuning.folds == 4
    assert {len(trial.fold_losses) for trial in tuning.trials} == {4}


def test_a_fold_begins_where_the_last_one_says():
    path = search().paths[0]
    last = LastFold(path)
    optima = {C: (np.full((1, 2), C), np.array([2 * C])) for C in (1.0, 3.0)}
    last.begin_fold()
    assert last.start(1.0) is None
    for C, optimum in optima.items():
        last.note(C, optimum)
    last.begin_fold()
    assert last.start(1.0) is optima[1.0]
    last.note(1.0, (np.full((1, 2), 1.5), np.array([7.0])))
    coef, intercept = last.start(3.0)  # as far from this fold's optimum as the last fold's two were from each other
    assert coef.tolist() == [[3.5, 3.5]]
    assert intercept.tolist() == [11.0]
    assert last.start(9.0)[1] == 7.0  # the last fold had none for this C


def test_sparse_paths_begin_at_the_optimum_before():
    last = LastFold(search(penalties=("l1",)).paths[0])
    for C in (1.0, 3.0):
        last.note(C, (np.full((1, 2), C), np.ones(1)))
    last.begin_fold()
    assert last.start(1.0) is None
    before = np.zeros((1, 2)), np.zeros(1)
    last.note(1.0, before)
    assert last.start(3.0) is before


def test_large_optima_are_not_kept(monkeypatch):
    monkeypatch.setattr(fold_path, "MAX_KEPT_BYTES", 8)
    last = LastFold(search().paths[0])
    last.begin_fold()
    for C in (1.0, 2.0):
        last.note(C, (np.full((1, 2), C), np.zeros(1)))
    assert last.start(3.0)[0].tolist() == [[2.0, 2.0]]
    last.begin_fold()
    assert last.start(1.0) is None


def test_starts_of_the_last_fold_do_not_change_the_losses(monkeypatch):
    found = search().run()
    monkeypatch.setattr(LastFold, "start", lambda self, C: None)
    cold = search().run()
    assert found.best == cold.best
    assert found.trials[found.best].fold_losses == pytest.approx(cold.trials[cold.best].fold_losses, rel=1e-3)
    for warm, other in zip(found.trials, cold.trials, strict=True):
        both = min(
            len(warm.fold_losses), len(other.fold_losses)
        )  # where a hopeless path ends, the tolerance may decide
        assert warm.fold_losses[:both] == pytest.approx(other.fold_losses[:both], rel=1e-3)


def test_a_tuning_of_plain_values_is_the_same_and_an_unsound_one_is_refused():
    found = search().run().without_seconds()
    plain = json.loads(json.dumps(found.as_dict()))
    assert Tuning.from_dict(plain) == found
    for damage in ({"best": len(found.trials)}, {"simplest": "0"}, {"folds": 1}):
        with pytest.raises(ValueError, match="tuning"):
            Tuning.from_dict({**plain, **damage})
