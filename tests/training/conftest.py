"""A folder with a table of people."""

import pytest
from people_table import call, people


@pytest.fixture(scope="module")
def people_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    people().to_csv(folder / "people.csv", index=False)
    people(seed=1).to_csv(folder / "new.csv", index=False)
    call("train", folder / "people.csv", "--target", "mood", "--drop", "note", "--model", folder / "model")
    return folder
