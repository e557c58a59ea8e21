"""The ten colours of classes, as readers see them who do not tell red from green."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

# From linear sRGB to what is seen: Machado, Oliveira and Fernandes (2009), severity 1.
VISIONS = {
    "all colours": np.eye(3),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
LEAST_DISTANCE = 20.0  # in CIELAB; 2.3 is about the least that one sees side by side
STYLES = (files("rosenblatt.lab") / "static" / "lab.css").read_text()


def themes():
    """The colours of the light theme, and of the dark one, which the style sheet holds twice."""
    found = re.findall(r"--class-\d: (#[0-9a-f]{6})", STYLES)
    light, dark, again = found[:10], found[10:20], found[20:]
    assert dark == again
    return {"light": light, "dark": dark}


def linear(colour):
    values = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear sRGB."""
    ratio = (TO_XYZ @ rgb) / (TO_XYZ @ np.ones(3))
    root = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def luminance(colour):
    return TO_XYZ[1] @ linear(colour)


def test_the_formulas_give_known_values():
    assert lab(linear("#ffffff")) == pytest.approx([100, 0, 0], abs=1e-3)
    assert lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.2], abs=0.02)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ten_classes_differ_for_every_reader(theme, vision):
    seen = [lab(np.clip(VISIONS[vision] @ linear(colour), 0, 1)) for colour in themes()[theme]]
    distances = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in combinations(range(10), 2)}
    nearest = min(distances, key=distances.get)
    assert distances[nearest] >= LEAST_DISTANCE, nearest


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_classes_stand_out_from_the_paper(theme):
    """A contrast of 3 for marks (WCAG 1.4.11), of 4.5 for the four classes that the lab also writes as text."""
    paper = luminance({"light": "#fffefb", "dark": "#1d2025"}[theme])
    for place, colour in enumerate(themes()[theme]):
        low, high = sorted([paper, luminance(colour)])
        assert (high + 0.05) / (low + 0.05) >= (4.5 if place < 4 else 3), colour
