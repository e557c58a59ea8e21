"""The vote of all weights met: held to the definition, and to a loop that stores every plane."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import rosenblatt
from rosenblatt import Perceptron, VotedPerceptron, _core, reference
from rosenblatt.engine import vote as engine_vote
from rosenblatt.engine.resume import Bookmark
from rosenblatt.engine.train import train
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.orders import WHOLE_PASSES
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops
from rosenblatt.reference.returned_scores import vote

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def noisy(seed, rows=40, columns=3, classes=2):
    """Small whole numbers, so that every score is exact and votes of 0 occur."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rows, columns)).astype(float)
    return X, (X[:, 0] + rng.integers(-2, 3, rows)).clip(0, classes - 1).astype(int)


def planes_of(model, plane):
    """Every w of a vote, offset last, from its moves."""
    moves = model.vote_.planes[plane]
    rows = model.vote_.rows.toarray() if sparse.issparse(model.vote_.rows) else model.vote_.rows
    rows = np.column_stack([rows, np.full(len(rows), model.vote_.constant)])
    steps = rows[moves.row] * moves.change[:, None]
    first = np.append(model.vote_.coef[plane], model.vote_.intercept[plane])
    return first + np.vstack([np.zeros(len(first)), np.cumsum(steps, axis=0)])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("order", WHOLE_PASSES)
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"intercept_scaling": 2.0}, {"eta0": 0.5}])
def test_the_vote_is_that_of_the_definition(order, options, form):
    for seed in range(5):
        X, y = noisy(seed)
        recipe = Recipe(order=order, keep="vote", **options, stops=Stops(max_iter=4))
        learned = train(as_rows(form(X)), y.astype(np.int32), 2, recipe, seed=7)
        learner = reference.train(X.tolist(), (2 * y - 1).tolist(), recipe, seed=7)
        expected = [vote(learner, x) for x in X.tolist()]
        np.testing.assert_array_equal(learned.vote.scores(as_rows(form(X)), 1)[0], expected)
        assert learned.trace is None
        assert sum(learned.vote.planes[0].survived) == learned.n_visits == len(learner.path)


@pytest.mark.parametrize("features", ["identity", "polynomial-2"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_each_class_against_the_rest_votes_as_its_own_problem_does(form, features):
    X, y = noisy(3, 60, 4, classes=3)
    model = VotedPerceptron(max_iter=5, random_state=0, features=features).fit(form(X), y)
    scores = model.decision_function(form(X))
    for k in range(3):
        alone = VotedPerceptron(max_iter=5, random_state=0, features=features).fit(form(X), y == k)
        np.testing.assert_array_equal(scores[:, k], alone.decision_function(form(X)))
    np.testing.assert_array_equal(model.predict(form(X)), scores.argmax(axis=1))


def test_the_last_plane_of_the_vote_is_the_perceptrons():
    X, y = noisy(1)
    model = VotedPerceptron(max_iter=3, n_iter_no_change=None, random_state=0).fit(X, y)
    last = Perceptron(max_iter=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(planes_of(model, 0)[-1], np.append(last.coef_, last.intercept_))
    assert model.status_.mistakes == last.status_.mistakes > 0
    assert "by the last weights" in model.status_


def test_scores_are_votes_of_the_planes():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 6)), rng.integers(0, 2, 300)
    model = VotedPerceptron(max_iter=3, random_state=0).fit(X, y)
    votes = model.vote_.planes[0].survived
    signs = np.where(np.column_stack([X, np.ones(300)]) @ planes_of(model, 0).T >= 0, 1, -1)
    np.testing.assert_array_equal(model.decision_function(X), signs @ votes / votes.sum())


def test_blocks_threads_and_instruction_sets_change_no_bit(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 5)), rng.integers(0, 3, 200)
    model, found, before = VotedPerceptron(max_iter=3, random_state=0).fit(X, y), set(), _core.target()
    try:
        for target in _core.targets():
            _core.set_target(target)
            for numbers, threads in ((1, 1), (1 << 14, 2), (1 << 22, 3)):
                monkeypatch.setattr(engine_vote, "BLOCK_NUMBERS", numbers)
                found.add(model.set_params(n_jobs=threads).decision_function(X).tobytes())
    finally:
        _core.set_target(before)
    assert len(found) == 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("classes", [2, 3])
def test_files_pickles_and_copies_vote_alike(form, classes, tmp_path):
    X, y = noisy(2, classes=classes)
    model = VotedPerceptron(max_iter=4, intercept_scaling=2.0, random_state=0).fit(form(X), y)
    rosenblatt.save(model, tmp_path / "model")
    for other in (rosenblatt.load(tmp_path / "model"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(other.predict(form(X)), model.predict(X))
        assert (other.status_, other.n_updates_) == (model.status_, model.n_updates_)
    rosenblatt.save(rosenblatt.load(tmp_path / "model"), tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()
    np.testing.assert_array_equal(clone(model).fit(form(X), y).decision_function(X), model.decision_function(X))


def test_a_warm_start_votes_from_the_last_weights():
    X, y = noisy(4)
    options = {"order": "cyclic", "n_iter_no_change": None}
    model = VotedPerceptron(max_iter=2, warm_start=True, **options).fit(X, y)
    before = planes_of(model, 0)
    model.set_params(max_iter=3).fit(X, y)
    whole = planes_of(VotedPerceptron(max_iter=5, **options).fit(X, y), 0)
    np.testing.assert_array_equal(np.vstack([before, planes_of(model, 0)[1:]]), whole)
    assert model.vote_.planes[0].survived.sum() == 3 * len(X)


def test_a_traced_vote_is_audited():
    X = np.random.default_rng(0).standard_normal((100, 3))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.2, -0.2)
    model = VotedPerceptron(random_state=0).fit(X, y, trace=True)
    assert rosenblatt.audit(model, X, y).ok
    assert len(model.trace_["row"]) == len(model.vote_.planes[0].row)


def test_rows_of_weight_0_do_not_vote():
    X, y = noisy(5)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    options = {"order": "cyclic", "max_iter": 3}
    model = VotedPerceptron(**options).fit(X, y, sample_weight=weights)
    rest = VotedPerceptron(**options).fit(X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_array_equal(model.decision_function(X), rest.decision_function(X))


def test_a_run_that_was_killed_votes_with_the_same_bits():
    X, y = noisy(6, 200)
    recipe = Recipe(keep="vote", stops=Stops(max_iter=5))

    class Killed(Bookmark):
        kept = None
        stopping = True

        def write(self, tree, epochs):
            self.kept = copy.deepcopy(tree)

    rows, codes, at = as_rows(X), y.astype(np.int32), Killed()
    whole = train(rows, codes, 2, recipe, seed=1)
    while (part := train(rows, codes, 2, recipe, seed=1, bookmark=at)).interrupted:
        at = Killed(at.kept)
    for got, expected in zip(part.vote.planes[0], whole.vote.planes[0], strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda model, X: model.partial_fit(X, X[:, 0] > 0), "no partial_fit"),
        (lambda model, X: model.coef_, "vote of many planes"),
        (lambda model, X: rosenblatt.margins(model, X, X[:, 0] > 0), "this VotedPerceptron is not one"),
        (lambda model, X: rosenblatt.to_onnx(model), "it is no plane"),
    ],
)
def test_what_needs_a_plane_is_refused(call, sentence):
    X, y = noisy(7)
    model = VotedPerceptron(max_iter=2, random_state=0).fit(X, y)
    with pytest.raises((AttributeError, ValueError), match=sentence):
        call(model, X)


def test_only_this_classifier_returns_a_vote():
    X, y = noisy(7)
    with pytest.raises(ValueError, match="VotedPerceptron returns the vote"):
        Perceptron(keep="vote").fit(X, y)
    with pytest.raises(ValueError, match="keep='vote' does not go with"):
        rosenblatt.KernelPerceptron(keep="vote").fit(X, y)
    assert not hasattr(VotedPerceptron(), "partial_fit")


def test_numbers_that_are_not_finite_or_too_large_are_refused():
    X, y = noisy(7)
    model = VotedPerceptron(max_iter=2, random_state=0).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(X)
