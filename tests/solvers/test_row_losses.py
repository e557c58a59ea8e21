"""The losses of rows add up to the loss that training minimises."""

import numpy as np
import pytest
from scipy.special import softmax

from rosenblatt import _core
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.losses import LOSSES
from rosenblatt.reference.learner import LOSSES as DEFINED
from rosenblatt.solvers.objective import Objective, objective_of_planes
from rosenblatt.solvers.tuning.row_losses import row_losses


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_is_the_defined_one(loss):
    margins = np.array([-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 40.0])
    np.testing.assert_allclose(LOSSES[loss].value(margins), [DEFINED[loss](m)[0] for m in margins], rtol=1e-12)


@pytest.mark.parametrize(
    ("loss", "classes", "joint"),
    [
        *((loss, classes, False) for loss in ("hinge", "squared-hinge", "logistic") for classes in (2, 3)),
        ("hinge", 3, True),
    ],
)
def test_losses_of_rows_add_up_to_the_objective_of_the_core(loss, classes, joint):
    random = np.random.default_rng(0)
    X, codes = random.normal(size=(60, 4)), random.integers(classes, size=60).astype(np.int32)
    planes = 1 if classes == 2 else classes
    coef, intercept = random.normal(size=(planes, 4)), random.normal(size=planes)
    rows = as_rows(X)
    scores = _core.scores(rows, coef, intercept, 1)[0]
    total = objective_of_planes(Objective(loss, C=np.inf), rows, codes, classes, joint, None, (coef, intercept), 1)
    assert row_losses(loss, scores, codes, joint).sum() == pytest.approx(total, rel=1e-12)


def test_the_joint_logistic_loss_is_that_of_softmax():
    scores, codes = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20, dtype=np.int32) % 3
    truth = -np.log(softmax(scores, axis=1)[np.arange(20), codes])
    np.testing.assert_allclose(row_losses("logistic", scores, codes, joint=True), truth, rtol=1e-12)
