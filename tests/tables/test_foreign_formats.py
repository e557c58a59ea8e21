"""Files in formats that cannot be read: the error names the format and what to do."""

import io
import os
import pickle
import sqlite3
import tarfile
import zipfile

import numpy as np
import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read.sources import open_source

ODS = "application/vnd.oasis.opendocument.spreadsheet"
CSV = "width,kind\n1.5,a\n2.5,b\n"


def zip_of(*names, content=CSV):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


def numpy_bytes(save):
    file = io.BytesIO()
    save(file, np.eye(2))
    return file.getvalue()


def tar_gz():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        entry = tarfile.TarInfo("rows.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV.encode()))
    return file.getvalue()


def sqlite_bytes(folder):
    path = folder / "rows.db"
    with sqlite3.connect(path) as database:
        database.execute("create table rows (width real)")
    database.close()
    return path.read_bytes()


FILES = {
    "rows.xlsx": (zip_of("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), "an Excel workbook (.xlsx)", "CSV"),
    "fake.csv": (b"PK\x03\x04,kind\n1,a\n2,b\n", "a zip archive", "unpack"),
    "empty.zip": (zip_of(), "a zip archive", "unpack"),
    "rows.zip": (zip_of("rows.csv"), "a zip archive", "unpack"),
    "rows.ods": (zip_of("mimetype", content=ODS), "an OpenDocument spreadsheet (.ods)", "CSV"),
    "rows.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an old Excel workbook (.xls)", "CSV"),
    "rows.db": (sqlite_bytes, "an SQLite database", "export"),
    "rows.pkl": (pickle.dumps([1, 2]), "a Python pickle", "export"),
    "rows.npy": (numpy_bytes(np.save), "a NumPy array (.npy)", "Python"),
    "rows.npz": (numpy_bytes(np.savez), "a NumPy archive (.npz)", "Python"),
    "rows.h5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "an HDF5 file", "export"),
    "rows.tar.gz": (tar_gz(), "a tar archive", "unpack"),
    "rows.avro": (b"Obj\x01\x04\x14avro.codec", "an Avro file", "export"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_error_names_the_format_and_what_to_do(name, tmp_path):
    content, what, advice = FILES[name]
    path = tmp_path / name
    path.write_bytes(content(tmp_path) if callable(content) else content)
    with pytest.raises(InputError) as caught:
        open_source(path)
    message = str(caught.value)
    assert message.startswith(f"{path} is {what}, not a table that can be read: ")
    assert advice in message
    assert message.count("\n") == 0


@pytest.mark.parametrize("text", ["PK,kind\n1,a\n", "Obj,kind\n1,a\n", "ustar,kind\n1,a\n", "xl/,kind\n1,a\n"])
def test_texts_that_begin_alike_are_read(text, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    assert open_source(path).names == text.splitlines()[0].split(",")


def test_a_refused_file_is_closed_at_once(tmp_path):
    path = tmp_path / "rows.pkl"
    path.write_bytes(pickle.dumps([1, 2]))
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    with pytest.raises(InputError) as caught:
        open_source(path)
    assert caught.tb is not None  # the frames, and the stream in them, still live
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == len(before)
