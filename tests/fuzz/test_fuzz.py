"""Stored inputs of the fuzz targets: intact files are read, and inputs that once ended in a defect no longer do."""

import pytest
from fuzz import add_seeds
from targets import CORPUS, TARGETS, clean_up, run

pytestmark = pytest.mark.filterwarnings("ignore")  # that mistakes are left is no news of such tables


@pytest.fixture(scope="module", autouse=True)
def _clean():
    yield
    clean_up()


@pytest.mark.parametrize("name", TARGETS)
def test_intact_files_are_read(name):
    for seed in TARGETS[name].seeds():
        TARGETS[name].read(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_stored_inputs(name):
    for path in sorted((CORPUS / name).glob("*")):
        run(name, path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_json_nested_too_deeply(name, opening):
    run(name, opening * 50_000)


def test_the_seeds_of_a_target_go_to_its_folder(tmp_path):
    add_seeds(tmp_path, TARGETS["cache_header"].seeds())
    [seed] = tmp_path.iterdir()
    assert [seed.read_bytes()] == TARGETS["cache_header"].seeds()
