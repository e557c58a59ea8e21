"""Distances of rows from hyperplanes, of our models, scikit-learn's and several classes."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from margin_truth import gaussian
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from rosenblatt import Perceptron, margins, signed_distance
from rosenblatt.prove.exact.hyperplane import Hyperplane


def test_signed_distance_and_margins_of_the_notes():
    plane = Hyperplane((Fraction(3), Fraction(4)), Fraction(-5))
    np.testing.assert_allclose(signed_distance(plane, [[3.0, 4.0], [0.0, 0.0]]), [4, -1])
    np.testing.assert_allclose(margins(plane, [[3.0, 4.0], [0.0, 0.0]], [1, -1]), [4, 1])
    through = Hyperplane((Fraction(3), Fraction(4)), Fraction(0))
    np.testing.assert_allclose(signed_distance(through, [[3.0, 4.0]]), [5])


def test_opposite_weights_are_the_same_plane_and_the_opposite_classifier():
    plane, other = Hyperplane((Fraction(1),), Fraction(2)), Hyperplane((Fraction(-1),), Fraction(-2))
    np.testing.assert_allclose(signed_distance(plane, [[5.0]]), -signed_distance(other, [[5.0]]))


@pytest.mark.parametrize("sparse", [False, True])
def test_models_of_ours_and_of_scikit_learn(sparse):
    X, y = gaussian(7)
    data = scipy.sparse.csr_matrix(X) if sparse else X
    for model in (Perceptron(random_state=0).fit(X, y), LinearSVC(random_state=0).fit(X, y)):
        expected = (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
        np.testing.assert_allclose(signed_distance(model, data), expected)
        np.testing.assert_allclose(margins(model, data, y), y * expected)
        assert (margins(model, data, y) > 0).tolist() == (model.predict(X) == y).tolist()


def test_several_classes_give_a_distance_for_each_and_the_margin_towards_the_nearest_rival():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 2)), np.repeat(["a", "b", "c"], 30)
    X += np.array([[5, 0], [0, 5], [-5, -5]])[np.searchsorted(["a", "b", "c"], y)]
    model = Perceptron(random_state=0, multi_class="joint").fit(X, y)
    assert signed_distance(model, X).shape == (90, 3)
    found = margins(model, X, y)
    assert ((found > 0) == (model.predict(X) == y)).all()
    row, scores = 4, X[4] @ model.coef_.T + model.intercept_
    rivals = [(scores[0] - scores[k]) / np.linalg.norm(model.coef_[0] - model.coef_[k]) for k in (1, 2)]
    assert found[row] == pytest.approx(min(rivals))


def test_what_has_no_hyperplane_is_refused():
    with pytest.raises(ValueError, match="all weights are 0"):
        signed_distance(Hyperplane((Fraction(0),), Fraction(1)), [[1.0]])
    with pytest.raises(ValueError, match="coef_"):
        signed_distance("plane", [[1.0]])
    with pytest.raises(ValueError, match="2 columns"):
        signed_distance(Hyperplane((Fraction(1),) * 3, Fraction(1)), [[1.0, 2.0]])
    with pytest.raises(ValueError, match="not fitted"):
        signed_distance(Perceptron(), [[1.0]])
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        margins(model, [[0.0]], [7])
    with pytest.raises(ValueError, match="NaN"):
        signed_distance(model, [[np.nan]])
    with pytest.raises(ValueError, match="Ridge has 1 for 0 classes"):
        margins(Ridge().fit([[0.0], [1.0]], [0, 1]), [[0.0]], [0])
    with pytest.raises(ValueError, match="-1 and"):
        margins(Hyperplane((Fraction(1),), Fraction(0)), [[0.0]], ["yes"])
