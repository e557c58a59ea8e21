"""Certificates of verdicts: changed ones are judged as fractions judge them, and what is undecided says so."""

import doctest
import json
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from slow_truth import independent_verdict
from small_problems import CORNERS, MAKERS, planted, random_problem

from rosenblatt import minimum_mistakes, separability
from rosenblatt.prove.certificates import certificate as certificates
from rosenblatt.prove.certificates.certificate import fraction_text, parse_fraction
from rosenblatt.prove.certificates.certificate_check import check_certificate
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.mistakes.clash import Clash
from rosenblatt.prove.separability.separability import Separability, decide_pairs

# Certificates


def test_a_certificate_survives_json():
    X, y = planted(np.random.default_rng(5), 60, 3, 10, 0)
    result = separability(X, y)
    again = Separability(json.loads(json.dumps(result.certificate)))
    assert again.kind == result.kind == "quasi"
    assert again.verify(X, y)
    assert again.hyperplane == result.hyperplane


def changed(certificate, rng):
    """A copy with one number changed."""
    copy = json.loads(json.dumps(certificate))
    clash = copy["clash"]
    if clash["rows"] and rng.random() < 0.7:
        place = int(rng.integers(len(clash["rows"])))
        if rng.random() < 0.5:
            clash["multipliers"][place] = str(Fraction(clash["multipliers"][place]) + rng.choice([-1, 1]))
        else:
            clash["rows"][place] += 1
    else:
        place = int(rng.integers(copy["columns"]))
        copy["weights"][place] = str(Fraction(copy["weights"][place]) + int(rng.choice([-1, 1])))
    return copy


@pytest.mark.parametrize("make", MAKERS)
def test_changed_certificates_are_judged_as_the_independent_checker_does(make):
    rng = np.random.default_rng(99)
    refused = 0
    for _ in range(60):
        X, y, fit_intercept = random_problem(make, rng)
        certificate = changed(separability(X, y, fit_intercept=fit_intercept).certificate, rng)
        result = Separability(certificate)
        assert result.verify(X, y) == (independent_verdict(certificate, X, y) == certificate["kind"])
        assert bool(result.why_not) != result.verify(X, y)
        refused += not result.verify(X, y)
    assert refused > 20


@pytest.mark.parametrize("place", range(4))
def test_every_changed_multiplier_is_refused(place):
    result = separability(CORNERS, [0, 1, 1, 0])
    result.certificate["clash"]["multipliers"][place] = "1000001/1000000"
    assert not result.verify(CORNERS, [0, 1, 1, 0])
    assert result.why_not == "The rows of the clash, times their multipliers, do not add up to 0."


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("kind", "quasi", "It claims 'quasi', but proves 'complete'."),
        ("kind", None, "It claims None, but proves 'complete'."),
        ("rows", 5, "made for other data, with 5 rows: these have 4"),
        ("columns", 3, "made for other data, with 3 columns: these have 2"),
        ("weights", ["1"], "1 weights for 2 columns"),
        ("weights", ["1", "nan"], "'nan' is not a fraction"),
        ("weights", ["1", "1/0"], "'1/0' is not a fraction"),
        ("weights", None, "Its weights must be a list, not None"),
        ("weights", ["-1", "-1"], "Row 3 is on the wrong side"),
        ("offset", 1.5, "Its offset must be text, not 1.5"),
        ("classes", [0, 2], "classes names 2"),
        ("fit_intercept", "no", "Its fit_intercept must be true or false"),
        ("fit_intercept", False, "through the origin"),
        ("clash", {}, "has no 'rows'"),
        ("clash", [], "Its clash must be an object"),
        ("clash", {"rows": [0], "multipliers": []}, "once each"),
        ("clash", {"rows": [-1], "multipliers": ["1"]}, "once each"),
        ("clash", {"rows": ["x"], "multipliers": ["1"]}, "must be whole numbers"),
        ("clash", {"rows": [1], "multipliers": ["-1"]}, "not above 0"),
    ],
)
def test_wrong_certificates_are_refused_with_a_reason(name, value, why):
    y = [0, 0, 0, 1]
    result = separability(CORNERS, y)
    result.certificate[name] = value
    assert result.verify(CORNERS, y) is False
    assert why in result.why_not


def test_other_data_are_refused():
    result = separability(CORNERS, [0, 0, 0, 1])
    assert not result.verify(CORNERS[:3], [0, 0, 1])
    assert not result.verify(CORNERS, [0, 1, 1, 0])
    assert not result.verify(CORNERS * np.nan, [0, 0, 0, 1])
    with pytest.raises(certificates.InvalidCertificate, match="is a dict"):
        check_certificate(None, CORNERS, [0, 0, 0, 1])


def test_a_hyperplane_through_rows_of_s_is_refused():
    result = separability([[1], [2], [3], [3]], [0, 0, 1, 0])
    result.certificate.update(weights=["0"], offset="0", kind="overlap")
    assert not result.verify([[1], [2], [3], [3]], [0, 0, 1, 0])
    assert result.why_not == "Row 0 is on the hyperplane, but the clash does not show why."


def test_explanations():
    assert "column 0." in separability([[1, 0], [2, 0]], [0, 1]).explain()
    assert "rows 0, 1, 2 and 3" in separability(CORNERS, [0, 1, 1, 0]).explain()
    quasi = separability([[1], [2], [3], [3]], [0, 0, 1, 0]).explain()
    assert "none of the 4 rows on the wrong side" in quasi
    assert "rows 2 and 3" in quasi
    assert str(separability([[1], [2], [3], [3]], [0, 0, 1, 0])) == quasi


@pytest.mark.parametrize("fingerprint", [True, False])
def test_after_the_time_limit_every_class_is_undecided(fingerprint):
    """Without fingerprints the later answers are copies of the first, but for the name of the class."""
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 4
    found = separability(X, y, multi_class="ovr", time_limit=1e-9, fingerprint=fingerprint)
    assert list(found) == [0, 1, 2, 3]
    for label, answer in found.items():
        assert answer.kind == "undecided"
        assert answer.certificate["classes"] == [None, label]
        assert answer.certificate["rows"] == 40


def test_a_time_limit_may_leave_it_undecided():
    X, y = planted(np.random.default_rng(5), 400, 6, 30, 20)
    result = separability(X, y, time_limit=1e-9)
    assert result.kind == "undecided"
    assert result.hyperplane is None
    assert not result.verify(X, y)
    assert "time limit" in result.explain()
    assert "time limit" in result.why_not
    assert separability(X, y, time_limit=600).kind == "overlap"


def test_the_page_prints_what_it_shows():
    page = Path(__file__).resolve().parents[2] / "docs" / "theory" / "separability.md"
    failures, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5
    assert failures == 0


# Bad input


def test_a_time_limit_holds_for_any_number_of_classes():
    made = np.random.default_rng(0)
    X, y = made.standard_normal((20_000, 5)), np.arange(20_000) % 10_000
    began = time.process_time()
    pairs = [(None, label) for label in range(10_000)]
    found = decide_pairs(X, y, pairs, fit_intercept=True, time_limit=0.5, fingerprint=False)
    assert time.process_time() - began < 10  # a pass over the rows for every class would take a minute
    assert [result.certificate["classes"] for result in found] == [list(pair) for pair in pairs]
    assert found[-1].kind == "undecided"


@pytest.mark.parametrize("seed", range(3))
def test_answers_with_numbers_of_thousands_of_digits_can_be_shown(seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (16, 7)) * 10.0 ** random.choice([-308, 308], size=(16, 7))
    y = np.arange(16) % 2
    verdict, fewest = separability(X, y), minimum_mistakes(X, y, time_limit=0)
    assert verdict.verify(X, y), verdict.why_not
    long = Hyperplane((Fraction(7**9000, 3**9000),), Fraction(0))
    assert parse_fraction(fraction_text(long.weights[0])) == long.weights[0]
    for answer in (
        verdict,
        verdict.hyperplane,
        fewest,
        fewest.hyperplane,
        fewest.clashes,
        Clash((0,), (7**9000,)),
        long,
    ):
        assert str(answer)
        assert repr(answer)
    assert repr(Hyperplane((Fraction(1, 3),), Fraction(2))) == (
        "Hyperplane(weights=(Fraction(1, 3),), offset=Fraction(2, 1))"
    )
