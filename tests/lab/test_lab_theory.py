"""The lab's theory: verdicts, streets and bounds that a page is told are what the proofs say."""

import json
from fractions import Fraction

import numpy as np
import pytest
from lab_runs import THREE, run_request

import rosenblatt
from rosenblatt.lab.approximate_bound import approximate_bound
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.presets import preset_points
from rosenblatt.lab.questions import answer_question
from rosenblatt.lab.registry import classifier_entries
from rosenblatt.lab.run_request import parse_request
from rosenblatt.lab.theory import linear_theory, novikoff_curves
from rosenblatt.lab.traced_run import fit_with_trace


def test_the_verdict_is_drawn_with_what_proves_it():
    verdict = answer_question("run", run_request("xor"))["theory"]["verdicts"][0]
    assert verdict["kind"] == "overlap"
    assert verdict["clash"]["meet"] == [0.0, 0.0]  # where the diagonals cross
    assert sorted(verdict["clash"]["rows"]) == [0, 1, 2, 3]


@pytest.mark.parametrize("preset", ["overlap", "circles", "moons"])
def test_clashing_points_meet(preset):
    """The point drawn is the same mean of either class's clashing points."""
    request = run_request(preset)
    verdict = answer_question("run", request)["theory"]["verdicts"][0]
    points, clash = np.array(request["points"]), verdict["clash"]
    rows, shares = np.array(clash["rows"]), np.array(clash["shares"])
    for label in (0, 1):
        own = points[rows, 2] == label
        mean = shares[own] @ points[rows][own, :2] / shares[own].sum()
        np.testing.assert_allclose(mean, clash["meet"], atol=1e-9)


def test_the_street_and_the_bound_are_those_of_the_proofs():
    content = answer_question("run", THREE)["theory"]
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, 0]
    assert content["street"]["margin"] == rosenblatt.max_margin(X, y).margin
    assert content["bound"]["bound"] == rosenblatt.mistake_bound(X, y).bound


@pytest.mark.parametrize("parameters", [{}, {"eta0": 0.5}, {"intercept_scaling": 2.0}, {"fit_intercept": False}])
def test_novikoffs_curves_are_those_of_the_audit(parameters):
    points = [[3, 3, 1], [4, 3, 1], [1, -1, 0], [-2, 1, 0]]
    request = {"points": points, "learner": "Perceptron", "parameters": {"order": "cyclic", **parameters}}
    curves = answer_question("run", request)["theory"]["novikoff"]
    model, _ = fit_with_trace(parse_request(request))
    record = rosenblatt.audit(model, np.array(points)[:, :2], np.array(points)[:, 2]).record
    names = {
        "progress": "progress",
        "least": "least_progress",
        "squared_norm": "squared_norm",
        "most": "most_squared_norm",
    }
    for ours, theirs in names.items():
        np.testing.assert_allclose(unpack_array(curves[ours])[1:], record[theirs], rtol=1e-12)
    assert answer_question("prove", request)["audit"]["ok"]


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [
        *[("KernelPerceptron", {"kernel": name}) for name in ("gaussian", "polynomial")],
        ("KernelPerceptron", {"fit_intercept": True, "intercept_scaling": 3.0}),
        ("Perceptron", {"features": "fourier-100"}),
        ("Perceptron", {"features": "polynomial-2"}),
    ],
    ids=str,
)
def test_curved_recipes_have_a_bound_that_holds(learner, parameters):
    """In whatever space: progress is at least k γ, the squared length at most k R², the mistakes at most (R/γ)²."""
    request = run_request("circles", learner, order="cyclic", **parameters)
    answer = answer_question("run", request)
    bound, curves = answer["theory"]["bound"], answer["theory"]["novikoff"]
    progress, least, square, most = (
        unpack_array(curves[name]) for name in ("progress", "least", "squared_norm", "most")
    )
    assert answer["result"]["mistakes"] == 0
    assert answer["result"]["updates"] <= bound["bound"]
    assert bound["bound"] == pytest.approx((bound["radius"] / bound["margin"]) ** 2)
    assert (progress >= least - 1e-9).all()
    assert (square <= most * (1 + 1e-9) + 1e-9).all()
    assert (progress**2 <= square * (1 + 1e-9) + 1e-12).all()
    if not parameters.get("fit_intercept", "features" in parameters):
        np.testing.assert_allclose(np.sqrt(square[1:]), unpack_array(answer["trace"]["norm"]), rtol=1e-6)
    assert bound["exact"] == (parameters.get("features") == "polynomial-2")


def test_the_linear_kernel_has_the_bound_of_the_perceptron():
    request = run_request("gap", "KernelPerceptron", kernel="linear", fit_intercept=True)
    bound = answer_question("run", request)["theory"]["bound"]
    assert bound["bound"] == pytest.approx(rosenblatt.mistake_bound(*points_of("gap")).bound, rel=1e-3)


@pytest.mark.parametrize("size", [1e-200, 1e200, 1.7e308])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_points_at_the_ends_of_what_floats_hold_have_a_theory(size, fit_intercept):
    for X in ([[size, 5e-324], [size, 0.0]], [[size, size], [size, -size]], [[size, 5e-324], [size, 5e-324]]):
        content, bound = linear_theory(np.array(X), np.array([1, 0]), fit_intercept, 1.0)
        assert bound is None or bound.mistakes >= 1
        assert (
            bound is None or unpack_array(novikoff_curves(np.zeros((3, len(bound.normal))), bound, 1.0)["most"])[0] >= 0
        )
        assert "Infinity" not in json.dumps(content)


def test_a_bound_that_floats_find_holds_for_fractions():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    Z = random.standard_normal((40, 30)) + 3 * np.where(y > 0, 1, -1)[:, None]
    bound = approximate_bound(Z, y)
    normal = [Fraction(value) for value in bound.normal.tolist()]
    rows = [[Fraction(value) for value in row] for row in Z.tolist()]
    squares = [sum(value * value for value in row) for row in [*rows, normal]]
    least = min(
        (1 if label else -1) * sum(a * b for a, b in zip(row, normal, strict=True))
        for row, label in zip(rows, y, strict=True)
    )
    assert Fraction(bound.radius) ** 2 >= max(squares[:-1])
    assert Fraction(bound.margin) ** 2 * squares[-1] <= least**2
    assert Fraction(bound.mistakes) >= max(squares[:-1]) * squares[-1] / least**2


def test_no_bound_is_claimed_where_rows_are_forgotten():
    assert "novikoff" not in answer_question("run", run_request("circles", "KernelPerceptron", budget=5))["theory"]


def test_exact_numbers_too_long_for_floats_are_no_obstacle():
    """Clashes in a hundred coordinates have shares that are quotients of numbers with hundreds of digits."""
    X = np.random.default_rng(0).uniform(-5, 5, size=(500, 2)).tolist()
    points = [[*row, k % 4] for k, row in enumerate(X)]
    answer = answer_question("run", {"points": points, "parameters": {"features": "fourier-100", "max_iter": 20}})
    for verdict in answer["theory"]["verdicts"]:
        assert sum(verdict["clash"]["shares"]) == pytest.approx(1 if verdict["clash"]["rows"] else 0)


@pytest.mark.parametrize("learner", classifier_entries())
@pytest.mark.parametrize("preset", ["three", "overlap", "classes"])
def test_proofs_are_about_every_learner(preset, learner):
    found = answer_question("prove", run_request(preset, learner))
    if preset == "overlap":
        assert found["fewest"]["mistakes"] == rosenblatt.minimum_mistakes(*points_of(preset)).mistakes
    if learner in ("Perceptron", "AveragedPerceptron", "PocketPerceptron") and preset == "three":
        assert found["audit"]["ok"]


def points_of(preset):
    points = np.array(preset_points({"preset": preset})["points"])
    return points[:, :2], points[:, 2]


def test_the_bound_is_not_claimed_for_what_it_is_not_about():
    for parameters in ({"order": "batch"}, {"step": "1/t"}):
        assert "novikoff" not in answer_question("run", run_request("gap", **parameters))["theory"]
    assert "novikoff" not in answer_question("run", run_request("gap", "PassiveAggressive"))["theory"]
    for name, parameters in (
        ("Perceptron", {"margin": 1.0}),
        ("ALMA", {}),
        ("AROW", {}),
        ("SecondOrderPerceptron", {}),
    ):
        assert "novikoff" not in answer_question("run", run_request("gap", name, **parameters))["theory"]


def test_several_classes_have_a_verdict_each():
    verdicts = answer_question("run", run_request("classes"))["theory"]["verdicts"]
    assert [verdict["class"] for verdict in verdicts] == [0, 1, 2]
