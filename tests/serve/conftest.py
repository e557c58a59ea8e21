"""A model and rows for the tests of the service."""

import numpy as np
import pytest

from rosenblatt import fit
from rosenblatt.model.file import save


def make_rows(count, seed=1):
    """Rows with their class, which depends on a number and a category."""
    random = np.random.default_rng(seed)
    sizes, colours = random.normal(size=count), random.choice(["red", "blue", "green"], count)
    return [
        {"size": round(float(size), 6), "colour": str(colour), "kind": "large" if size > 0.3 else "small"}
        for size, colour in zip(sizes, colours, strict=True)
    ]


@pytest.fixture(scope="session")
def model_path(tmp_path_factory):
    some = make_rows(300, 0)
    path = tmp_path_factory.mktemp("served") / "model.safetensors"
    columns = {name: [row[name] for row in some] for name in some[0]}
    save(fit(columns, target="kind", algorithm="averaged"), path)
    return path


@pytest.fixture
def new_rows():
    return make_rows
