"""How far a pocket is from the best possible."""

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt import PocketPerceptron, minimum_mistakes
from rosenblatt.prove.mistakes.distance_from_best import DistanceFromBest

pytestmark = pytest.mark.filterwarnings("ignore")


def overlapping(rows=80):
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, 2))
    return X, np.where(X.sum(axis=1) + random.standard_normal(rows) > 0, "yes", "no")


def test_the_distance_is_the_difference():
    X, y = overlapping()
    model = PocketPerceptron(max_iter=1, random_state=0).fit(X, y)
    answer, best = model.distance_from_best(X, y), minimum_mistakes(X, y)
    wrong = int((model.predict(X) != y).sum())
    assert answer.best.proved
    assert answer.mistakes == wrong
    assert answer.at_most == answer.at_least == wrong - best.mistakes
    assert f"{answer.at_most} away from the best possible" in str(answer) or answer.at_most == 0


def test_without_time_it_is_only_a_bound():
    X, y = overlapping()
    model = PocketPerceptron(random_state=0).fit(X, y)
    answer = model.distance_from_best(X, y, time_limit=0)
    assert answer.at_most == answer.mistakes
    assert answer.at_least == 0
    assert str(answer).endswith(f"at most {answer.mistakes} away from the best possible")


def test_a_score_of_zero_is_a_mistake():
    model = PocketPerceptron(random_state=0, fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    X, y = [[1.0], [-1.0], [0.0]], [1, 0, 1]
    assert model.predict(X).tolist() == y
    assert model.distance_from_best(X, y).mistakes == 1


def test_each_class_against_the_rest():
    X = [[0.0], [1.0], [2.0], [3.0]]
    y = ["a", "b", "c", "b"]
    model = PocketPerceptron(random_state=0).fit(X, y)
    answer = model.distance_from_best(X, y)
    assert list(answer) == ["a", "b", "c"]
    assert [found.best.mistakes for found in answer.values()] == [0, 1, 1]
    joint = PocketPerceptron(multi_class="joint", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="joint"):
        joint.distance_from_best(X, y)


def test_other_rows_are_refused():
    X, y = overlapping()
    model = PocketPerceptron(random_state=0)
    with pytest.raises(ValueError, match="not fitted"):
        model.distance_from_best(X, y)
    model.fit(X, y)
    with pytest.raises(ValueError, match="3 columns, but the model has 2"):
        model.distance_from_best(np.ones((80, 3)), y)
    with pytest.raises(ValueError, match="classes names 'no'"):
        model.distance_from_best(X, np.where(y == "no", "other", y))


def test_lifted_rows_are_compared_with_the_best_in_their_space():
    X, y = overlapping()
    model = PocketPerceptron(features="polynomial-2", max_iter=3, random_state=0).fit(X, y)
    answer = model.distance_from_best(X, y)
    assert answer.mistakes == int((model.predict(X) != y).sum())
    assert answer.best.proved
    assert answer.best.mistakes <= minimum_mistakes(X, y).mistakes  # every line is a conic section
    assert answer.best.verify(X, y)
    assert len(answer.best.hyperplane.weights) == 5
    with pytest.raises(ValueError, match="3 columns, which lifted become 9, but the model has 5"):
        model.distance_from_best(np.ones((80, 3)), y)


def test_products_are_counted_without_rounding():
    X = np.array([[0.1, 0.3], [0.2, 0.7], [0.7, 0.2], [0.3, 0.1]])
    y = [0, 1, 0, 1]  # x1 * x2 is the same, rounded or not, in the first and the last, and in the other two
    assert minimum_mistakes(X, y, features="polynomial-2").mistakes == 0
    product = [[a * b] for a, b in X.tolist()]
    assert minimum_mistakes(product, y).mistakes == 2


def test_cosines_cannot_be_compared():
    X, y = overlapping()
    model = PocketPerceptron(features="fourier-20", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="cosines are no fractions"):
        model.distance_from_best(X, y)


def test_through_the_origin():
    X, y = overlapping()
    model = PocketPerceptron(fit_intercept=False, random_state=0).fit(X, y)
    answer = model.distance_from_best(X, y)
    assert not answer.best.fit_intercept
    assert answer.at_most >= 0
    assert answer.best.mistakes == minimum_mistakes(X, y, fit_intercept=False).mistakes


def test_one_mistake_is_told_in_the_singular():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    best = minimum_mistakes(X, y)
    assert str(DistanceFromBest(1, best)) == "1 mistake in 3 rows: no hyperplane makes fewer"
    assert str(DistanceFromBest(2, best)) == "2 mistakes in 3 rows: 1 away from the best possible"
    assert str(DistanceFromBest(0, replace(best, mistakes=0, lower_bound=0))).startswith("0 mistakes in 3 rows")
    open_ = replace(best, mistakes=2, lower_bound=0)
    assert str(DistanceFromBest(2, open_)) == "2 mistakes in 3 rows: at most 2 away from the best possible"
