"""Tables at addresses: an S3 server on this machine, and file:// addresses."""

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet
import pytest

from rosenblatt import fit
from rosenblatt.distributed.local_processes import LocalProcesses
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read import remote_files
from rosenblatt.tables.read.sources import open_source

ROWS = 900
RNG = np.random.default_rng(0)
SIZE = RNG.standard_normal(ROWS)
TABLE = arrow.table({"size": SIZE, "kind": np.where(SIZE + 0.5 * RNG.standard_normal(ROWS) > 0, "large", "small")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The table as three files of each format, in folders that name a partition."""
    path = tmp_path_factory.mktemp("remote")
    for number, first in enumerate(range(0, ROWS, 300)):
        some, inside = TABLE.slice(first, 300), path / f"year={number}"
        inside.mkdir()
        arrow.parquet.write_table(some, inside / "rows.parquet", row_group_size=70)
        arrow.csv.write_csv(some, inside / "rows.csv")
        with arrow.CompressedOutputStream(str(inside / "rows.csv.gz"), "gzip") as file:
            arrow.csv.write_csv(some, file)
        with arrow.ipc.new_file(inside / "rows.arrow", some.schema) as file:
            file.write_table(some)
        (inside / "_SUCCESS").touch()
    return path


@pytest.fixture(scope="module")
def bucket(folder):
    """The address of a bucket with the same files on a server of this machine."""
    pytest.importorskip("flask_cors", reason="moto's server is not installed")
    server = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        remote_files.file_system.cache_clear()
        system = arrow.fs.S3FileSystem(**remote_files.s3_options("rows"), allow_bucket_creation=True)
        system.create_dir("rows")
        arrow.fs.copy_files(str(folder), "rows/table", destination_filesystem=system)
        yield "s3://rows/table"
    server.stop()
    remote_files.file_system.cache_clear()


@pytest.fixture(params=["file", "s3"])
def address(request, folder):
    return request.getfixturevalue("bucket") if request.param == "s3" else f"file://{folder}"


def rows_of(source):
    reading = dict.fromkeys(source.names, "category") | {"size": "number"}
    return [row for batch in source.batches(reading) for row in zip(*batch.table.to_pydict().values(), strict=True)]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.csv.gz", "rows.arrow"])
def test_every_format_is_read_as_from_the_disk(folder, address, name):
    for pattern in (f"year=1/{name}", f"*/{name}", f"**/{name}", f"year=[02]/{name}"):
        found = open_source(f"{address}/{pattern}")
        assert rows_of(found) == rows_of(open_source(folder / pattern))
        assert found.size == open_source(folder / pattern).size


def test_a_folder_has_its_partitions(tmp_path, folder, bucket):
    system = arrow.fs.S3FileSystem(**remote_files.s3_options("rows"))
    for number in range(3):
        system.copy_file(f"rows/table/year={number}/rows.csv", f"rows/csv/year={number}/rows.csv")
        (tmp_path / f"year={number}").mkdir()
        (tmp_path / f"year={number}/rows.csv").write_bytes((folder / f"year={number}/rows.csv").read_bytes())
    found = open_source("s3://rows/csv")
    assert found.names == ["size", "kind", "year"]
    assert rows_of(found) == rows_of(open_source(tmp_path))


def test_models_are_those_of_the_same_files_on_the_disk(tmp_path, folder, bucket):
    expected = fit(folder / "*/rows.parquet", target="kind", algorithm="logistic")
    found = fit(f"{bucket}/*/rows.parquet", target="kind", algorithm="logistic")
    np.testing.assert_array_equal(found[-1].coef_, expected[-1].coef_)
    with LocalProcesses(1) as processes:
        cached = fit(f"{bucket}/*/rows.csv", target="kind", executor=processes, cache=tmp_path / "cache")
        again = fit(f"{bucket}/*/rows.csv", target="kind", executor=processes, cache=tmp_path / "cache")
    np.testing.assert_allclose(cached[-1].coef_, expected[-1].coef_, rtol=1e-3)
    np.testing.assert_array_equal(again[-1].coef_, cached[-1].coef_)
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("s3://nobodys-bucket/*.csv", "there is no such bucket: check its name"),
        ("s3://nobodys-bucket/rows.csv", "holds or matches no files: check the address"),
        ("s3://rows/table/nothing.csv", "holds or matches no files: check the address"),
        ("s3://rows/table/*.xlsx", "holds or matches no files: check the address"),
    ],
)
def test_what_is_not_there_is_a_sentence(bucket, address, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        open_source(address)
    assert str(error.value).startswith(address)


def test_a_server_that_does_not_answer_is_a_sentence(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    remote_files.file_system.cache_clear()
    with pytest.raises(InputError, match="cannot be reached: check the address and the network"):
        open_source("s3://rows/rows.csv")
    remote_files.file_system.cache_clear()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="holds or matches no files"):
        open_source(f"file://{tmp_path}/nothing.csv")
