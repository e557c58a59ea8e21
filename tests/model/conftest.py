"""A place for a model."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"
