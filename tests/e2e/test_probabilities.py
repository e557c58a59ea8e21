"""Probabilities and margins in the pictures: shading, lines and the neuron have the numbers of the library."""

import re

import numpy as np
import pytest

import rosenblatt
from rosenblatt.lab.presets import preset_points

from .lab_page import wait_until_idle, wait_until_loaded


def open_at_end(open_page, address, preset, learner, **more):
    page = wait_until_loaded(open_page(address, accept_downloads=True))
    page.select_option("[data-control=preset]", preset)
    wait_until_idle(page)
    for name, value in {"learner": learner, **more}.items():
        page.select_option(f"[data-parameter={name}]", value)
        wait_until_idle(page)
    page.click("[data-play=end]")
    wait_until_idle(page)
    return page


def picture(page):
    """The picture as SVG."""
    with page.expect_download() as waiting:
        page.click("[data-share=svg]")
    return waiting.value.path().read_text()


def neuron(page):
    return page.locator("canvas.neuron").get_attribute("aria-label")


@pytest.mark.parametrize("preset", ["overlap", "classes"])
def test_neuron_gives_the_probability_of_the_library(open_page, address, preset):
    points = np.array(preset_points({"preset": preset})["points"])
    model = rosenblatt.LogisticRegression().fit(points[:, :2], points[:, 2].astype(int))
    page = open_at_end(open_page, address, preset, "LogisticRegression", solver="optimum")
    row, predicted, percent = re.search(
        r"point (\d+):.*class (\d) .* probability (?:> )?([\d.]+) %", neuron(page)
    ).groups()
    chances = model.predict_proba(points[[int(row) - 1], :2])[0]
    assert chances.argmax() == int(predicted)
    assert abs(100 * chances.max() - float(percent)) < 0.1


@pytest.mark.parametrize(
    ("preset", "learner", "label"),
    [
        ("overlap", "LogisticRegression", "90 % ●"),
        ("classes", "LogisticRegression", "90 % ▲"),
        ("axis", "LogisticRegression", "probability of ●"),
        ("overlap", "LinearSVM", "margin 1 ■"),
    ],
)
def test_picture_is_shaded_by_what_the_loss_says(open_page, address, preset, learner, label):
    page = open_at_end(open_page, address, preset, learner)
    plain = open_at_end(open_page, address, preset, "Perceptron")
    drawn, flat = picture(page), picture(plain)
    assert f">{label}<" in drawn
    assert f">{label}<" not in flat
    tones = len(set(re.findall(r'fill-opacity="([\d.]+)"/>', drawn)))
    assert drawn.count("fill-opacity") > flat.count("fill-opacity")
    assert tones >= 2
    legend = "darker: more probable" if learner == "LogisticRegression" else "margin 1"
    assert page.locator(".layers", has_text=legend).count() == 1
    assert plain.locator(".layers", has_text=legend).count() == 0


def test_neuron_of_several_classes_shows_all_sums(open_page, address):
    page = open_at_end(open_page, address, "classes", "Perceptron")
    points = np.array(preset_points({"preset": "classes"})["points"])
    model = rosenblatt.Perceptron(random_state=0).fit(points[:, :2], points[:, 2].astype(int))
    said = neuron(page)
    row = int(re.search(r"point (\d+)", said).group(1))
    sums = [float(text.replace("−", "-")) for text in re.findall(r"([\d.−]+) for class", said)]
    np.testing.assert_allclose(sums, model.decision_function(points[[row - 1], :2])[0], rtol=1e-3)
    assert f"it predicts class {int(np.argmax(sums))} " in said
