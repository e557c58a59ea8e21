"""Real tables for the lab, and a client of its server."""

import pytest
from lab_client import Client
from shown_tables import write_csv
from sklearn.datasets import load_breast_cancer, load_iris

from rosenblatt.foundation.network_address import allowed_hosts
from rosenblatt.lab import traced_run
from rosenblatt.lab.server import application


@pytest.fixture(autouse=True)
def time_to_train(monkeypatch):
    """No run is cut short, however busy the machine is."""
    monkeypatch.setattr(traced_run, "MAX_TRAINING_SECONDS", 600.0)


@pytest.fixture(scope="module")
def tumours(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("lab") / "tumours.csv", load_breast_cancer())


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("lab") / "flowers.csv", load_iris())


@pytest.fixture(scope="module")
def client():
    one = Client(application(allowed_hosts("127.0.0.1", 1958)))
    yield one
    one.loop.close()
