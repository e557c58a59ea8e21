"""`rosenblatt evaluate`: several models on the same rows, and the report as one HTML file."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.risk.paired_comparison import compare_right


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


def refusal(result):
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(r"error: .*[.?]\n", result.stderr), result.stderr
    return result.stderr


def write_rows(path, seed, names=("no", "yes", "<maybe>")):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, len(names), 200)
    rows = rng.normal(size=(200, 2)) + 1.2 * np.column_stack([kinds == 1, kinds == 2])
    lines = [f"{a:.3f},{b:.3f},{names[kind]}" for (a, b), kind in zip(rows, kinds, strict=True)]
    path.write_text("a,b,kind\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def folder(tmp_path):
    """Two tables of three classes, and two models of the first."""
    write_rows(tmp_path / "train.csv", 0)
    write_rows(tmp_path / "test.csv", 1)
    for name, more in (("good", []), ("bad", ["--drop", "b"])):
        made = call("train", tmp_path / "train.csv", "--target", "kind", "-q", "-o", tmp_path / name, *more)
        assert made.exit_code == 0, made.stderr
    return tmp_path


def right_rows(folder, model):
    predicted = call("predict", folder / model, folder / "test.csv").stdout.splitlines()[1:]
    truth = [line.rpartition(",")[2] for line in (folder / "test.csv").read_text().splitlines()[1:]]
    return np.array(predicted) == np.array(truth)


def test_models_are_compared_on_the_same_rows(folder):
    words = ("evaluate", folder / "good", folder / "bad", folder / "test.csv")
    found = json.loads(call(*words, "--json").stdout)
    expected = compare_right(right_rows(folder, "good"), right_rows(folder, "bad"))
    assert found["comparisons"] == [json.loads(json.dumps(vars(expected)))]
    assert expected.p_value < 0.05
    assert [model["accuracy"] for model in found["models"]] == [
        right_rows(folder, name).mean() for name in ("good", "bad")
    ]
    text = call(*words).stdout
    assert f"difference {100 * expected.difference:+.1f} points of accuracy" in text
    assert "chance alone does not explain the difference" in text


def test_a_model_does_not_differ_from_itself(folder):
    text = call("evaluate", folder / "good", folder / "good", folder / "test.csv").stdout
    assert "McNemar    p = 1: the models are right in the same rows" in text


def test_one_model_is_reported_as_ever(folder):
    found = json.loads(call("evaluate", folder / "good", folder / "test.csv", "--json").stdout)
    assert {"accuracy", "confusion", "model"} <= set(found)


def test_what_cannot_be_compared_is_refused(folder):
    said = refusal(call("evaluate", folder / "good", folder / "bad"))
    assert "give a file with rows after the models" in said
    assert "read only once" in refusal(call("evaluate", folder / "good", folder / "bad", "-"))


class Page(HTMLParser):
    """Collects what a page refers to, and how its elements nest."""

    VOID = ("meta", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.titles = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        targets = [value for name, value in attributes if name in ("src", "href", "xlink:href")]
        self.links += [target for target in targets if not target.startswith(("#", "data:"))]
        self.titles += [value for name, value in attributes if name == "aria-label"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_report_is_one_page_that_loads_nothing(folder):
    out = folder / "report.html"
    result = call("evaluate", folder / "good", folder / "bad", folder / "test.csv", "--report", out)
    assert result.exit_code == 0, result.stderr
    text = out.read_text()
    page = Page(text)
    assert page.open == []
    assert page.links == []
    assert "&lt;maybe&gt;" in text
    assert "<maybe>" not in text
    assert page.titles.count("Confusion matrix") == page.titles.count("ROC curves") == 2
    assert "chance alone does not explain the difference" in text
    on_top = text.partition("<section>")[0]
    accuracies = [f"<td>{100 * right_rows(folder, name).mean():.1f} %</td>" for name in ("good", "bad")]
    assert re.findall(r"<td>[\d.]+ %</td>", on_top) == accuracies
    again = folder / "again.html"
    call("evaluate", folder / "good", folder / "bad", folder / "test.csv", "--report", again)
    assert again.read_bytes() == out.read_bytes()


def test_a_report_replaces_reports_only(folder):
    words = ("evaluate", folder / "good", folder / "test.csv", "--report")
    before = (folder / "train.csv").read_bytes()
    assert "train.csv exists and is not a report: give --report another name" in refusal(
        call(*words, folder / "train.csv")
    )
    assert (folder / "train.csv").read_bytes() == before
    assert "is read here: give --report another name" in refusal(call(*words, folder / "test.csv", "--force"))
    for _ in range(2):
        assert call(*words, folder / "report.html").exit_code == 0


@pytest.mark.parametrize("cost", ["-1", "inf", "nan"])
def test_costs_are_0_or_more(folder, cost):
    said = refusal(call("evaluate", folder / "good", folder / "test.csv", "--cost", f"no:yes={cost}"))
    assert f"--cost takes costs of 0 or more, not no:yes={cost}" in said


@pytest.mark.parametrize("models", [["good"], ["good", "bad"]])
def test_the_risk_is_shown_with_costs_only(folder, models):
    words = ("evaluate", *(folder / name for name in models), folder / "test.csv")
    assert not re.search(r"\brisk +\d", call(*words).stdout)
    assert re.search(r"\brisk +\d", call(*words, "--cost", "no:yes=5").stdout)


def test_a_report_on_standard_output_is_refused(folder, monkeypatch):
    monkeypatch.chdir(folder)
    said = refusal(call("evaluate", "good", "test.csv", "--report", "-"))
    assert "--report - would mix the file with the result on standard output: give the name of a file." in said
    assert not (folder / "-").exists()
