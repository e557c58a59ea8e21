"""Results as notebooks show them: the printed text, escaped, and a picture that is well-formed."""

import json
import pickle
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest

import rosenblatt

SEPARABLE = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, 0]
TABLE = {"x": [k % 7 for k in range(40)], "kind": ["a", "b"] * 20}
OVERLAPPING = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]


def results():
    model = rosenblatt.Perceptron(order="cyclic").fit(*SEPARABLE, trace=True)
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), [0, 0, 1, 0, 1, 1]
    return [
        model.status_,
        rosenblatt.separability(*SEPARABLE),
        rosenblatt.separability(*OVERLAPPING),
        rosenblatt.max_margin(*SEPARABLE),
        rosenblatt.max_margin(*OVERLAPPING),
        rosenblatt.mistake_bound(*SEPARABLE),
        rosenblatt.audit(model, *SEPARABLE),
        rosenblatt.minimum_mistakes(*OVERLAPPING),
        rosenblatt.separability(*SEPARABLE).hyperplane,
        rosenblatt.separating_degree(*OVERLAPPING),
        rosenblatt.held_out_risk([0, 1, 1], [0, 1, 0]),
        rosenblatt.cross_validated_risk(rosenblatt.Perceptron(), X, y, cv=2),
        rosenblatt.vc_bound(0.1, 1000, 3),
        rosenblatt.likelihood_ratio_test(rosenblatt.LogisticRegression(penalty="jeffreys").fit(X, y), X, y, ["x1"]),
        rosenblatt.fit(TABLE, target="kind").report_,
    ]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_a_notebook_shows_what_is_printed_and_a_picture(result):
    page = ElementTree.fromstring(result._repr_html_())
    assert page.find("pre").text == str(result)
    picture = page.find("svg")
    assert picture.get("aria-label")
    assert len(picture) > 0


def test_a_report_stays_content_for_json():
    report = rosenblatt.fit(TABLE, target="kind").report_
    assert isinstance(report, dict)
    assert json.loads(json.dumps(report))["rows"] == 40
    assert pickle.loads(pickle.dumps(report)) == report
    assert str(report).startswith("table")


def test_names_in_a_text_are_not_read_as_html():
    frame = pandas.DataFrame({"<img src=x onerror=alert(1)>": [0.0, 1.0, 2.0], "b & c": [1.0, 0.0, 1.0]})
    found = rosenblatt.separability(frame, [0, 1, 1])
    assert "<img" in str(found)
    assert "<img" not in found._repr_html_()
    assert str(found) in unescape(found._repr_html_())


def test_a_status_stays_a_text():
    status = rosenblatt.Perceptron(order="cyclic").fit(*SEPARABLE).status_
    assert status == "no mistakes left after 6 epochs"
    assert isinstance(status, str)
