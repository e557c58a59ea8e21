"""Folders with tables to train on, and a place for caches."""

import pytest
from cached_tables import TABLES
from checkpointed_runs import write_table
from people_table import call, people

from rosenblatt.tables.cache import disk_arrays as stored
from rosenblatt.tables.cache import storage
from rosenblatt.tables.read import delimited


@pytest.fixture(scope="module")
def people_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    people().to_csv(folder / "people.csv", index=False)
    people(seed=1).to_csv(folder / "new.csv", index=False)
    call("train", folder / "people.csv", "--target", "mood", "--drop", "note", "--model", folder / "model")
    return folder


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, table in TABLES.items():
        table().to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def small(monkeypatch):
    """Memory enough for one batch, in blocks so small that there are many."""
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    monkeypatch.setattr(delimited, "BLOCK_SIZE", 1 << 12)
    monkeypatch.setattr(stored, "BLOCK_BYTES", 1 << 10)


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """Where caches go."""
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def run_folder(tmp_path, monkeypatch):
    """The present folder, with tables of two and of three classes."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "two.csv")
    write_table(tmp_path / "three.csv", classes=3)
    return tmp_path
