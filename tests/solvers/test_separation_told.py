"""An unpenalised loss tells of separation where there is one, however small its margin, and nowhere else."""

import warnings

import numpy as np
import pytest

from evidence.separation import Design, designs, exact_kinds, is_told, kind_of_rows, told_kind
from rosenblatt import LogisticRegression
from rosenblatt.solvers.newton import overlap_evidence


def test_every_kind_of_separation_is_told_on_random_designs():
    """`python -m evidence.separation` runs 2,000."""
    wrong = [design for design in designs(300, seed=1) if not is_told(design)]
    assert wrong == []


def test_the_designs_have_every_kind():
    kinds = {(design.how, *exact_kinds(design)) for design in designs(300, seed=1) if design.how != "ovr"}
    assert kinds == {(how, kind) for how in ("two", "joint") for kind in ("complete", "quasi", "overlap")}


def test_the_enumeration_on_rows_that_a_reader_can_check():
    assert kind_of_rows(np.array([[1, 0], [1, 1]], dtype=object)) == "complete"
    assert kind_of_rows(np.array([[1, 0], [0, 1], [0, -1]], dtype=object)) == "quasi"
    assert kind_of_rows(np.array([[1, 0], [-1, 1], [0, -1]], dtype=object)) == "overlap"


@pytest.mark.parametrize("gap", [1e-8, 1e-9, 1e-15])
@pytest.mark.parametrize("how", ["two", "ovr", "joint"])
def test_a_separating_direction_that_floats_drop_is_told(gap, how):
    """Two columns differ by `gap`, and only their difference separates the classes."""
    rng = np.random.default_rng(3)
    first, noise = rng.integers(-8, 9, 12) / 8, rng.choice([-4, -3, -2, 2, 3, 4], 12)
    X = np.column_stack([first, first + noise * 2.0 ** round(np.log2(gap))])
    y = (noise > 0) + (0 if how == "two" else noise > 2)
    design = Design(X, y, how, fit_intercept=True)
    assert how == "joint" or exact_kinds(design) <= {"complete", "overlap"}  # six weights are too many to enumerate
    assert told_kind(design) == "complete"


def test_a_proof_that_says_separated_ends_a_fit_whose_weights_cannot_grow_further():
    """The rows next to the gap of 1e-17 share their scores in floats: steps must not go on for ever."""
    X = np.array([[-1.0], [-0.5], [0.0], [1e-17], [0.5], [1.0], [0.75], [-0.25]])
    design = Design(X, (X[:, 0] > 0).astype(int), "two", fit_intercept=True)
    assert exact_kinds(design) == {told_kind(design)} == {"complete"}


def test_ordinary_overlap_needs_no_proof(monkeypatch):
    """Floats show that classes overlap where the rows are not nearly dependent, and no time goes to a proof."""
    proofs = []
    monkeypatch.setattr("rosenblatt.classifiers.penalised.kind_of_separation", lambda *a, **k: proofs.append(a))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)) * [1e-6, 1, 1, 1, 1e6]
    scores = X / [1e-6, 1, 1, 1, 1e6] @ [1.0, 1, 1, 1, 1] + rng.standard_normal(200)
    for classes in (2, 3):
        y = np.digitize(scores, [0.0, 1.0][: classes - 1])
        for multi_class in ("ovr", "joint"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                LogisticRegression(penalty=None, multi_class=multi_class).fit(X, y)
    assert proofs == []
    assert overlap_evidence.MAX_JUDGED_NUMBERS >= 200 * 18
