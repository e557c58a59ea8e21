"""Figures are drawn without a screen, and closed."""

import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def closed_figures():
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
