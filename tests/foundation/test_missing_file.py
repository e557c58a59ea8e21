"""A file that does not exist: Python's kind of error, in one sentence of ours."""

import pickle

import pytest

import rosenblatt
from rosenblatt.foundation.errors import InputError


def sentence_of(call):
    with pytest.raises(FileNotFoundError) as caught:
        call()
    assert isinstance(caught.value, InputError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    return str(caught.value), caught.value.filename


def test_fit_names_the_file_and_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said, name = sentence_of(lambda: rosenblatt.fit("missing.csv", target="kind"))
    assert said == f"missing.csv does not exist: check its name, and the current folder, {tmp_path}."
    assert name == "missing.csv"


def test_a_similar_name_is_suggested(tmp_path):
    (tmp_path / "Flowers.csv").write_text("a,b\n1,2\n")
    path = tmp_path / "flowers.csv"
    said, _ = sentence_of(lambda: rosenblatt.fit(path, target="b"))
    assert said == f"{path} does not exist: did you mean '{tmp_path / 'Flowers.csv'}'?"


def test_names_that_are_hardly_alike_are_not_suggested(tmp_path):
    (tmp_path / "docs").mkdir()
    said, _ = sentence_of(lambda: rosenblatt.fit(tmp_path / "no.csv", target="b"))
    assert said == f"{tmp_path / 'no.csv'} does not exist: check its name."


def test_one_of_several_files(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    paths = [tmp_path / "a.csv", tmp_path / "elsewhere" / "b.csv"]
    said, _ = sentence_of(lambda: rosenblatt.fit(paths, target="b"))
    assert said == f"{paths[1]} does not exist, nor does its folder {paths[1].parent}: check the path."


def test_models_are_files_too(tmp_path):
    said, _ = sentence_of(lambda: rosenblatt.load(tmp_path / "no.safetensors"))
    assert said == f"{tmp_path / 'no.safetensors'} does not exist: check its name."
