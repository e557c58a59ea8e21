"""A lift that makes training slow is told of before training, with its columns and a faster one."""

import pytest
from typer.testing import CliRunner

from rosenblatt import fit, save
from rosenblatt.cli.app import app
from rosenblatt.training import lift_size

NUMBERS = "a,b,kind\n" + "1,2,x\n2,1,y\n3,5,x\n4,3,y\n" * 5
WORDS = "text,kind\n" + "red green blue,x\nred pink,y\ngreen grey blue,x\npink grey,y\n" * 5


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """A function that trains on a text, and returns the notes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lift_size, "MAX_LIFTED_NUMBERS", 320)

    def train(table, *options):
        (tmp_path / "rows.csv").write_text(table)
        words = ["train", "rows.csv", "--target", "kind", "-o", "m", *options]
        result = CliRunner().invoke(app, words, catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return [line for line in result.stderr.splitlines() if line.startswith("note: ")]

    return train


def test_fit_warns_of_what_the_command_line_notes(tmp_path, monkeypatch):
    """A lift that is slow, and a model among the files of a table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lift_size, "MAX_LIFTED_NUMBERS", 320)
    (tmp_path / "a.csv").write_text(NUMBERS)
    save(fit("a.csv", target="kind"), "m.rosenblatt")
    with pytest.warns(UserWarning, match=r"^polynomial-9 makes 54 columns of 2, .*: polynomial-5 is faster\.$"):
        fit("a.csv", target="kind", features="polynomial-9")
    with pytest.warns(UserWarning, match=r"^m\.rosenblatt is a model, and left out of the table\.$"):
        fit(["a.csv", "m.rosenblatt"], target="kind")


@pytest.mark.parametrize(
    ("features", "columns", "numbers", "faster"),
    [("polynomial-9", 54, 864, "polynomial-5"), ("fourier-50", 50, 800, "fourier-20")],
)
def test_a_large_lift_is_told_of(features, columns, numbers, faster, notes):
    """16 of the 20 rows are trained on."""
    [note] = notes(NUMBERS, "--features", features)
    assert note == (
        f"note: {features} makes {columns} columns of 2, and each pass over the rows computes {numbers} numbers, "
        f"which takes long: {faster} is faster"
    )
    assert not notes(NUMBERS, "--features", faster)
    assert not notes(NUMBERS, "--features", features, "--quiet")


def test_sparse_rows_count_by_their_stored_numbers(notes):
    """Rows of 3 words or 2, of which there are 5, have 9 products of two at most, not 20."""
    words = ("--text", "text", "--features")
    assert not notes(WORDS, *words, "polynomial-2")
    [note] = notes(WORDS, *words, "polynomial-9")
    assert note.endswith("polynomial-3 is faster")
