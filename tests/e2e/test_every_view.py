"""Every preset with every learner, at the widths of a desk, a large screen and a phone, in light and dark.

A pair of preset and learner is seen in one of these six settings, and axe looks at every third of them.
ROSENBLATT_EVERY_SETTING=1 shows every pair in all settings, with axe, which takes many minutes.
"""

import os

import pytest

from rosenblatt.lab.presets import PRESETS
from rosenblatt.lab.registry import classifier_entries

from .lab_page import use_preset, violations, wait_until_idle, wait_until_loaded

SETTINGS = [(width, scheme) for width in (1280, 1600, 390) for scheme in ("light", "dark")]
PLACES = {
    (preset, learner): (row + column) % len(SETTINGS)  # as a Latin square: all of a kind come to every setting
    for row, preset in enumerate(PRESETS)
    for column, learner in enumerate(classifier_entries())
}
PAIRS = list(PLACES)
RULES = {"preload": False, "resultTypes": ["violations"]}  # axe describes only what is wrong
RULES_OF = {"light": RULES, "dark": RULES | {"runOnly": ["color-contrast"]}}  # nothing else depends on colours


EVERYTHING = "ROSENBLATT_EVERY_SETTING" in os.environ


def pairs_in(setting):
    return PAIRS if EVERYTHING else [pair for pair in PAIRS if PLACES[pair] == SETTINGS.index(setting)]


def assert_sound(page, preset, learner):
    """Shows the end of the run; nothing is refused, and nothing scrolls sideways."""
    page.locator("[data-parameter=learner]").select_option(learner)
    wait_until_idle(page)
    use_preset(page, preset)
    assert page.locator(".problem").is_hidden(), (preset, learner)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (preset, learner)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "{}-{}".format(*setting))
def test_every_preset_and_learner(open_page, address, setting):
    width, scheme = setting
    page = wait_until_loaded(open_page(address, width=width, scheme=scheme, reduced_motion="reduce"))
    for number, (preset, learner) in enumerate(pairs_in(setting)):
        assert_sound(page, preset, learner)
        if EVERYTHING or number % 3 == 0:
            assert violations(page, **RULES_OF[scheme]) == [], (preset, learner)


def test_every_pair_is_seen_and_every_learner_and_preset_in_every_setting():
    seen = {setting: set(pairs_in(setting)) for setting in SETTINGS}
    assert set().union(*seen.values()) == set(PAIRS)
    for pairs in seen.values():
        assert {learner for _, learner in pairs} == set(classifier_entries())
        assert {preset for preset, _ in pairs} == set(PRESETS)
