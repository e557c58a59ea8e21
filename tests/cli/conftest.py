"""Tables and a model for the tests of the command line."""

import csv

import pytest
from command_line import FLOWERS, trained
from sklearn.datasets import load_breast_cancer


@pytest.fixture
def flowers(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_text(FLOWERS)
    return path


@pytest.fixture(scope="module")
def tumours(tmp_path_factory):
    """A real table: scikit-learn's breast cancer."""
    path = tmp_path_factory.mktemp("real") / "tumours.csv"
    bunch = load_breast_cancer()
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*bunch.feature_names, "diagnosis"])
        for row, target in zip(bunch.data.tolist(), bunch.target, strict=True):
            writer.writerow([*row, bunch.target_names[target]])
    return path


@pytest.fixture
def model(flowers):
    return trained(flowers, "--target", "kind")["model"]
