"""Newton steps with Jeffreys' penalty that the core takes by itself: the same optimum, the same bits, honest limits."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import LogisticRegression, summary
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.reference.jeffreys import modified_score
from rosenblatt.solvers.newton import jeffreys_objective as module
from rosenblatt.solvers.newton.jeffreys_objective import JeffreysObjective
from rosenblatt.solvers.newton.newton_state import NewtonState

BITS = """
import numpy as np
from rosenblatt import LogisticRegression, summary
random = np.random.default_rng(3)
X = random.normal(size=(700, 5))
y = (X[:, 0] + random.logistic(size=700) > 0).astype(int)
model = LogisticRegression(penalty="jeffreys", n_jobs=%d).fit(X, y)
found = summary(model, X, y)
print(*(number.hex() for one in found.coefficients for number in (one.estimate, one.lower, one.upper)))
"""


def design(rows=700, columns=5, seed=0):
    """Too many rows for second derivatives of the penalty, so that the core takes the steps."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * 10.0 ** np.arange(columns)
    y = (X[:, 0] + random.logistic(size=rows) > 0).astype(int)
    return X, y


def firth(**parameters):
    return LogisticRegression(penalty="jeffreys", **parameters)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_optimum_is_that_of_steps_taken_pass_by_pass(weighted, as_matrix, fit_intercept, monkeypatch):
    X, y = design()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    ours = firth(fit_intercept=fit_intercept).fit(as_matrix(X), y, weights)
    monkeypatch.setattr(JeffreysObjective, "take_plain_steps", lambda *_: False)
    other = firth(fit_intercept=fit_intercept).fit(as_matrix(X), y, weights)
    scale = np.abs(X).max(axis=0)
    np.testing.assert_allclose(ours.coef_[0] * scale, other.coef_[0] * scale, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-9)
    assert ours.status_.reason == other.status_.reason == "gradient"
    assert ours.n_iter_ == other.n_iter_


def test_the_modified_score_is_zero_by_the_definition():
    X, y = design()
    model = firth().fit(X, y)
    z = [*model.coef_[0].tolist(), float(model.intercept_[0])]
    [score] = modified_score(X.tolist(), y.tolist(), [z])
    assert np.abs(np.array(score) / [*np.abs(X).sum(axis=0), len(y)]).max() < 1e-9


def test_a_step_too_long_is_halved():
    """Far from the optimum the curvature is small, and a whole step would go far beyond it."""
    X, y = np.random.default_rng(0).normal(size=(700, 5)), np.arange(700) % 2
    objective = JeffreysObjective(as_rows(X), whole_problem(y.astype(np.int32), 2), "logistic", np.inf)
    state = NewtonState.at_zero(objective)
    state.move_to(objective, objective.at(np.full(6, 3.0)))
    before, passes = state.iterate.value, objective.passes
    assert objective.take_plain_steps(state, 1e-10, 1, lambda *_: None)
    assert state.steps == 1
    assert state.iterate.value < before
    assert objective.passes - passes > module.PASSES_PER_EVALUATION
    np.testing.assert_allclose(state.gradient, objective.gradient(objective.at(state.iterate.z)), atol=1e-9)


def test_history_has_one_entry_for_each_step():
    X, y = design()
    model = firth().fit(X, y)
    history = model.history_
    assert len(history["objective"]) == model.n_iter_[0] + 1
    assert (np.diff(history["visits"]) > 0).all()
    assert (np.diff(history["seconds"]) >= 0).all()
    assert history["objective"][-1] == pytest.approx(model.objective_, rel=1e-12)


def test_slices_of_one_step_have_the_same_bits(monkeypatch):
    X, y = design()
    whole = firth().fit(X, y)
    monkeypatch.setattr(module, "WORK_AT_ONCE", 1)
    sliced = firth().fit(X, y)
    assert (sliced.coef_ == whole.coef_).all()
    assert sliced.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(sliced.history_["objective"], whole.history_["objective"])


def test_a_limit_of_steps_is_kept():
    X, y = design()
    with pytest.warns(match="max_iter"):
        model = firth(max_iter=2).fit(X, y)
    assert model.n_iter_[0] == 2
    assert model.status_.reason == "max_iter"


def test_the_same_bits_for_threads_and_instruction_sets():
    found = set()
    for target in ("baseline", "avx2", "avx512"):
        for threads in (1, 2):
            environment = {**os.environ, "ROSENBLATT_TARGET": target}
            run = subprocess.run(
                [sys.executable, "-c", BITS % threads], env=environment, capture_output=True, text=True
            )
            if run.returncode == 0:
                found.add(run.stdout)
            else:
                assert target in run.stderr  # this processor cannot run the set
    assert len(found) == 1


@pytest.mark.parametrize("seed", range(3))
def test_ends_of_profile_intervals_are_those_of_the_search_along_the_profile(seed, monkeypatch):
    """Two ways to an end: steps on all coefficients at once in the core, and minima with one coefficient held.

    So with the likelihood ratio: steps in the core, or Newton's method as for other objectives.
    """
    from rosenblatt.statistics.held_coefficients import HeldJeffreys

    X, y = design(seed=seed)
    model = firth().fit(X, y)
    ours = summary(model, X, y)
    monkeypatch.setattr(HeldJeffreys, "profiles", lambda _, best, places, *more: np.full((len(places), 3), np.nan))
    other = summary(model, X, y)
    for one, searched in zip(ours.coefficients, other.coefficients, strict=True):
        unit = one.std_error
        assert one.lower / unit == pytest.approx(searched.lower / unit, abs=1e-7)
        assert one.upper / unit == pytest.approx(searched.upper / unit, abs=1e-7)
        assert one.likelihood_ratio == pytest.approx(searched.likelihood_ratio, rel=1e-9, abs=1e-9)


def test_a_likelihood_ratio_is_that_of_a_fit_with_the_penalty_of_all_columns(monkeypatch):
    X, y = design()
    ours = summary(firth().fit(X, y), X, y)
    monkeypatch.setattr(JeffreysObjective, "take_plain_steps", lambda *_: False)
    other = summary(firth().fit(X, y), X, y)
    for one, again in zip(ours.coefficients, other.coefficients, strict=True):
        assert one.likelihood_ratio == pytest.approx(again.likelihood_ratio, rel=1e-7, abs=1e-9)
