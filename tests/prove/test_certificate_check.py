"""Certificates are refused for what is wrong with them, in a sentence. Here they are written by hand."""

import numpy as np
import pandas as pd
import pytest

from rosenblatt.prove.certificates.certificate import InvalidCertificate, centre_weights, parse_fraction, short_repr
from rosenblatt.prove.certificates.certificate_check import check_certificate

COMMON = {"names": None, "classes": [0, 1], "fit_intercept": True, "features": None, "sha256": None}

# x = 0, 1, 1 with labels 0, 0, 1: the rows at 1 clash, the row at 0 is beside them.
LINE, LABELS = np.array([[0.0], [1.0], [1.0]]), [0, 0, 1]
QUASI = {
    **COMMON,
    "kind": "quasi",
    **{"rows": 3, "total_rows": 3, "columns": 1},
    **{"weights": ["1"], "offset": "-1", "clash": {"rows": [1, 2], "multipliers": ["1", "1"]}},
}
COMPLETE = {**QUASI, "kind": "complete", "offset": "-1/2", "clash": {"rows": [], "multipliers": []}}


def reason(certificate, X=LINE, y=LABELS):
    """Why a certificate is refused; empty if it is a proof."""
    try:
        check_certificate(certificate, X, y)
    except InvalidCertificate as refused:
        return str(refused)
    return ""


def clash(rows, multipliers):
    return {"clash": {"rows": rows, "multipliers": multipliers}}


def test_certificates_by_hand_are_proofs():
    assert reason(QUASI) == ""
    assert reason(COMPLETE, LINE[[0, 1, 2]] * [[0.0], [0.0], [1.0]], LABELS) == ""


def test_a_certificate_about_other_rows_proves_nothing():
    assert reason(COMPLETE) == "Row 1 is on the wrong side of the hyperplane."
    assert reason({**QUASI, "kind": "overlap"}) == "It claims 'overlap', but proves 'quasi'."
    assert reason({**QUASI, "kind": "undecided"}) == "Nothing was decided within the time limit."


ONCE = "The clash must name rows of the data, once each, with one multiplier each."
NO_SUM = "The rows of the clash, times their multipliers, do not add up to 0."


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"weights": "1"}, "Its weights must be a list, not '1'."),
        ({"weights": [1]}, "1 is not a fraction."),
        ({"weights": ["1", "0"]}, "It has 2 weights for 1 columns."),
        ({"weights": []}, "It has 0 weights for 1 columns."),
        ({"offset": -1}, "Its offset must be text, not -1."),
        ({"offset": "-1/0"}, "'-1/0' is not a fraction."),
        ({"clash": []}, "Its clash must be an object, not []."),
        ({"rows": True}, "Its rows must be a whole number, not True."),
        ({"fit_intercept": 1}, "Its fit_intercept must be true or false, not 1."),
        ({"rows": 4}, "It was made for other data, with 4 rows: these have 3."),
        ({"total_rows": 4}, "It was made for other data, with 4 rows in all: these have 3."),
        ({"columns": 2}, "It was made for other data, with 2 columns: these have 1."),
        ({"sha256": "00"}, "It was made for other data: their SHA-256 is '00', of these it is '"),
        ({"classes": [0, 7]}, "classes names 7, which is not among the labels of y, [0, 1]."),
        ({"fit_intercept": False}, "It has an offset, but is about hyperplanes through the origin."),
        (clash([1.0, 2], ["1", "1"]), "The rows of the clash must be whole numbers."),
        (clash([True, 2], ["1", "1"]), "The rows of the clash must be whole numbers."),
        (clash([1, 2, 1], ["1", "2", "1"]), ONCE),
        (clash([1, 2], ["1"]), ONCE),
        (clash([1, 3], ["1", "1"]), ONCE),
        (clash([1, -1], ["1", "1"]), ONCE),
        (clash([1, 2], ["1", "0"]), "A multiplier is not above 0."),
        (clash([1, 2], ["-1", "-1"]), "A multiplier is not above 0."),
        (clash([1, 2], ["1", "2"]), NO_SUM),
        (clash([1, 0], ["1", "1"]), NO_SUM),
        (clash([], []), "Row 1 is on the hyperplane, but the clash does not show why."),
        ({"weights": ["0"], "offset": "0"}, "Row 0 is on the hyperplane, but the clash does not show why."),
    ],
)
def test_every_fault_is_named(changes, why):
    assert reason({**QUASI, **changes}).startswith(why)


@pytest.mark.parametrize("name", ["weights", "offset", "clash", "fit_intercept", "classes", "rows", "columns"])
def test_missing_fields_are_named(name):
    assert reason({key: value for key, value in QUASI.items() if key != name}) == f"The certificate has no {name!r}."


@pytest.mark.parametrize("value", [None, [], "quasi"])
def test_a_certificate_is_a_dict(value):
    assert reason(value) == "A certificate is a dict."


def test_a_clash_of_more_rows_than_twice_its_rank_is_refused():
    """Through the origin, 1, 1 and -2 clash, but two of them would do."""
    X, y = np.array([[1.0], [1.0], [2.0]]), [1, 1, 0]
    flat = {**QUASI, "kind": "overlap", "fit_intercept": False, "weights": ["0"], "offset": "0"}
    assert reason({**flat, **clash([0, 2], ["2", "1"])}, X, y) == ""
    assert reason({**flat, **clash([0, 1, 2], ["1", "1", "1"])}, X, y) == (
        "The clash has 3 rows, more than twice its rank."
    )


def test_names_of_columns_are_compared_where_both_are_known():
    frame = pd.DataFrame({"size": LINE[:, 0]})
    assert reason({**QUASI, "names": ["size"]}, frame) == reason(QUASI, frame) == ""
    assert reason({**QUASI, "names": ["age"]}) == ""
    assert reason({**QUASI, "names": ["age"]}, frame) == (
        "It was made for other data, with columns ['age'], not ['size']."
    )


def test_lifted_rows_need_a_weight_for_each_term():
    """x^2 - 1 is below 0 at 0, and 0 at 1."""
    lifted = {**QUASI, "features": "polynomial-2", "weights": ["0", "1"]}
    assert reason(lifted) == ""
    assert reason({**lifted, "weights": ["1"]}) == "It does not have one weight for each feature of 'polynomial-2'."
    assert "polynomial" in reason({**lifted, "features": "polynomial-x"})


# Numbers


@pytest.mark.parametrize("text", ["", "1/0", "1/-2", "0.5", "1e3", " 1", "1/", "½", 1, None, "7" * 1_000_001])
def test_what_is_not_a_fraction_is_refused(text):
    with pytest.raises(InvalidCertificate, match="is not a fraction"):
        parse_fraction(text)


def test_fractions_may_have_a_million_digits():
    assert parse_fraction("0" * 999_999 + "7") == 7
    assert parse_fraction("-6/4") == -1.5


@pytest.mark.parametrize("bits", [1, 998, 999, 1000, 5000])
def test_weights_beyond_floats_are_centred(bits):
    """The weights keep their direction. Below 1000 bits they stay whole; else the largest times the least is near 1."""
    largest, least = 2**bits - 1, 2
    a, zero, b = centre_weights([largest, 0, -least])
    assert a * -least == b * largest
    assert zero == 0
    if bits < 1000:
        assert (a, b) == (largest, -least)
    else:
        assert 0.25 <= abs(a * b) <= 1


def test_only_the_beginning_of_long_values_is_shown():
    assert short_repr("x" * 100) == "'" + "x" * 69
    assert short_repr(10**5000) == "something of type int"
