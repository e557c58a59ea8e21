"""Results as notebooks show them: the printed text, escaped, and a picture that is well-formed."""

from html import unescape
from xml.etree import ElementTree

import pandas
import pytest

import rosenblatt

SEPARABLE = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, 0]
OVERLAPPING = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]


def results():
    model = rosenblatt.Perceptron(order="cyclic").fit(*SEPARABLE, trace=True)
    return [
        model.status_,
        rosenblatt.separability(*SEPARABLE),
        rosenblatt.separability(*OVERLAPPING),
        rosenblatt.max_margin(*SEPARABLE),
        rosenblatt.max_margin(*OVERLAPPING),
        rosenblatt.mistake_bound(*SEPARABLE),
        rosenblatt.audit(model, *SEPARABLE),
        rosenblatt.minimum_mistakes(*OVERLAPPING),
    ]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_a_notebook_shows_what_is_printed_and_a_picture(result):
    page = ElementTree.fromstring(result._repr_html_())
    assert page.find("pre").text == str(result)
    picture = page.find("svg")
    assert picture.get("aria-label")
    assert len(picture) > 0


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
