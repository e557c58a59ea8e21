"""Tables, a model, certificates and their independent checker for the tests of the command line."""

import csv
import re
import sys
from pathlib import Path

import pytest
from checked_tables import TABLES
from command_line import FLOWERS, call, trained
from sklearn.datasets import load_breast_cancer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "certificate.md"


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


@pytest.fixture(scope="module")
def independent():
    """The checker of the documentation."""
    names, limit = {}, sys.get_int_max_str_digits()
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], names)

    def accepts(proof, file):
        try:
            return names["check"](proof, file)
        except (AssertionError, KeyError):
            return False

    yield accepts
    sys.set_int_max_str_digits(limit)


@pytest.fixture(params=TABLES)
def proved(request, tmp_path):
    """A kind, a table, and a certificate of it."""
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES[request.param])
    assert call("check", table, "--target", "kind", "--certificate", proof).exit_code == 0
    return request.param, table, proof
