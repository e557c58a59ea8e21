"""Summaries of several classes as text, HTML, JSON and a data frame, by formulas and files, and what is refused."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from multinomial import design, fitted, summarised
from scipy import sparse
from typer.testing import CliRunner

from rosenblatt import LogisticRegression, fit, likelihood_ratio_test, summary
from rosenblatt.cli.app import app

LETTERS = np.array(["a", "b", "c"])


def table(rows=40, seed=0):
    X, y = design(rows, 2, seed)
    return pd.DataFrame(X, columns=["age", "dose"]).assign(drug=LETTERS[np.arange(rows) % 3], kind=LETTERS[y])


def call(*words, ends=0):
    ended = CliRunner().invoke(app, ["summary", *map(str, words)], catch_exceptions=False)
    assert ended.exit_code == ends, ended.output
    return ended


def test_the_text_has_a_block_for_each_class_but_the_base():
    rows = table()
    found = summarised(rows[["age", "dose"]], rows.kind, base="b")
    lines = str(found).splitlines()
    assert lines[0] == "Logistic regression without a penalty, 40 rows, 3 classes relative to b"
    firsts = [line.split("  ")[0] or line.split()[0] for line in lines[3:11]]
    assert firsts == ["a", "intercept", "age", "dose", "c", "intercept", "age", "dose"]
    assert lines[12].split("  ")[0] == "in all classes"
    assert "rel. risk ratio" in lines[2]
    assert f"{found['c', 'age'].relative_risk_ratio:.3g}" in lines[9]


def test_html_json_and_frame_have_the_same_numbers():
    X, y = [[1], [2], [3], [4], [5], [6]], ["a", "a", "<b>", "<b>", "c", "c"]
    found = summarised(X, y, base="a")
    told, frame = json.loads(found.to_json()), found.to_frame()
    assert (told["classes"], told["base"], told["separated"]) == (["<b>", "a", "c"], "a", True)
    first = told["coefficients"][1]
    assert (first["class"], first["name"], first["estimate"], first["std_error"]) == ("<b>", "x1", "inf", None)
    assert first["lower"] == frame.loc[("<b>", "x1"), "lower"] == found["<b>", "x1"].lower
    assert first["relative_risk_ratio"] == "inf"
    assert frame.loc[("c", "x1"), "relative_risk_ratio_lower"] == math.exp(found["c", "x1"].lower)
    assert frame.index.names == ["class", "name"]
    tests = {each["name"]: each["likelihood_ratio"] for each in told["tests"]}
    assert tests == {name: test.statistic for name, test in found.tests.items()}
    assert told == found.as_dict()
    page = found._repr_html_()
    assert '<th colspan="7">&lt;b&gt;</th>' in page
    assert "<td>inf</td>" in page
    assert page.count("<table>") == 2


def test_an_unknown_coefficient_is_told_what_there_is():
    with pytest.raises(KeyError, match=r"there is no coefficient 'x1'; there are \(1, 'intercept'\), \(1, 'x1'\)"):
        summarised(*design(30, 1, 1))["x1"]


@pytest.mark.parametrize("labels", [LETTERS, np.array([10, 20, 30]), np.array([-1.0, 0.0, 2.0])], ids=str)
def test_labels_stay_what_they_are(labels):
    X, y = design(30, 1, 2)
    found, plain = summarised(X, labels[y], base=labels[2]), summarised(X, y, base=2)
    assert (found.classes, found.base) == (labels.tolist(), labels[2])
    assert found[labels[1], "x1"].estimate == plain[1, "x1"].estimate
    assert json.loads(found.to_json())["coefficients"][0]["class"] == labels[0]


def test_sparse_rows_have_the_same_summary():
    X, y = design(60, 3, 3)
    X[np.abs(X) < 0.6] = 0
    for penalty in (None, "jeffreys"):
        dense, thin = summarised(X, y, penalty).to_frame(), summarised(sparse.csr_matrix(X), y, penalty).to_frame()
        np.testing.assert_allclose(thin.to_numpy(), dense.to_numpy(), rtol=1e-6)


def test_a_formula_finds_three_classes_in_its_table():
    pytest.importorskip("formulaic")
    rows = table()
    model = fit(rows, formula="kind ~ age + C(drug):dose", penalty="jeffreys")
    made = {f"C(drug)[{one}]:dose": (rows.drug == one) * rows.dose for one in "abc"}
    by_hand = pd.DataFrame({"age": rows.age, **made})
    expected = summarised(by_hand, rows.kind, "jeffreys", base="c").to_frame()
    pd.testing.assert_frame_equal(summary(model, rows, base="c").to_frame(), expected, rtol=1e-6)
    assert likelihood_ratio_test(model, rows, without="age").degrees_of_freedom == 2


@pytest.mark.parametrize("firth", [False, True])
def test_the_command_prints_the_numbers_of_the_function(tmp_path, firth):
    rows = table()
    rows.to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "kind", "--base", "b", *["--firth"] * firth]
    told = json.loads(call(tmp_path / "t.csv", *options, "--json").stdout)
    X = pd.DataFrame({"age": rows.age, "dose": rows.dose, "drug=b": rows.drug == "b", "drug=c": rows.drug == "c"})
    found = summarised(X.astype(float), rows.kind, "jeffreys" if firth else None, base="b")
    assert [(one["class"], one["name"]) for one in told["coefficients"]] == list(found.to_frame().index)
    for number in ("estimate", "lower", "upper", "relative_risk_ratio"):
        ours = [one[number] for one in told["coefficients"]]
        np.testing.assert_allclose(ours, found.to_frame()[number], rtol=1e-5)
    assert [one["degrees_of_freedom"] for one in told["tests"]] == [2] * 5
    assert "3 classes relative to b" in call(tmp_path / "t.csv", *options).stdout


def test_the_command_knows_numbers_as_classes_and_counts(tmp_path):
    (tmp_path / "t.csv").write_text("x,n,y\n1,3,1\n1,1,2\n2,2,1\n2,5,2\n1,2,3\n2,2,3\n")
    told = json.loads(call(tmp_path / "t.csv", "--target", "y", "--base", "1", "--counts", "n", "--json").stdout)
    assert (told["rows"], told["base"]) == (15, "1")
    assert told["coefficients"][1]["estimate"] == pytest.approx(math.log(5 / 2) - math.log(1 / 3))


def test_the_command_prints_infinite_estimates_unless_firth(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n3,b\n3,a\n4,b\n5,c\n6,c\n")
    printed = call(tmp_path / "t.csv", "--target", "y").stdout
    assert ".. inf" in printed
    assert "proved in exact arithmetic" in printed
    assert "inf" not in call(tmp_path / "t.csv", "--target", "y", "--firth").stdout


@pytest.mark.parametrize("base", ["d", 7, 1.5, ["a"]], ids=str)
def test_an_unknown_base_is_refused_by_the_names_of_the_classes(base):
    rows = table()
    with pytest.raises(ValueError, match=r"^base must be a class of 'a', 'b', 'c'; .* is not among them\.$"):
        summarised(rows[["age"]], rows.kind, base=base)


def test_two_classes_have_no_base():
    X, y = design(30, 1, 4, classes=2)
    with pytest.raises(
        ValueError, match=r"^base chooses a class of three or more; of two classes the coefficients are"
    ):
        summarised(X, y, base=0)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_one_class_against_the_rest_is_refused(penalty):
    X, y = design(40, 2, 5)
    model = fitted(X, y, penalty, multi_class="ovr")
    for ask in (summary, likelihood_ratio_test):
        with pytest.raises(ValueError, match=f"^{ask.__name__} needs classes that are trained together"):
            ask(model, X, y)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_columns_that_others_determine_are_named(penalty):
    rows = table().assign(sum=lambda rows: rows.age + rows.dose, zero=0.0)
    plain, three, two = LogisticRegression(penalty=penalty), rows[["age", "dose", "sum"]], rows[["age", "zero"]]
    with pytest.raises(ValueError, match=r"^column 'sum' is a combination of column 'age' and column 'dose'"):
        summary(plain.fit(three, rows.kind), three, rows.kind)
    with pytest.raises(ValueError, match=r"^column 'zero' is 0 in every row: leave it out"):
        summary(plain.fit(two, rows.kind), two, rows.kind)


@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_fewer_rows_than_columns_are_refused(penalty):
    X = np.random.default_rng(0).normal(size=(5, 6))
    with pytest.raises(ValueError, match=r"^5 rows cannot determine 7 weights"):
        summarised(X, [0, 1, 2, 1, 0], penalty)


def test_weights_that_are_no_counts_and_other_rows_are_refused():
    X, y = design(40, 2, 6)
    with pytest.raises(ValueError, match=r"^sample_weight must count rows, in whole numbers"):
        summarised(X, y, None, np.full(40, 0.5))
    with pytest.raises(ValueError, match=r"^the model is not the optimum for these rows"):
        summary(fitted(X, y), X, (y + 1) % 3)
    with pytest.raises(ValueError, match=r"^y has labels that the model does not know"):
        summary(fitted(X, y), X, y + 1)


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_without_one_of_the_models_classes_are_refused(classes):
    """Without it the estimates of this class would be infinite, as if it could occur and never had."""
    X, y = design(40, 2, 7, classes=classes + 1)
    model = fitted(X, y)
    with pytest.raises(ValueError, match=f"^y has no row of the model's class {classes}: give the rows"):
        summary(model, X, y % classes)
    with pytest.raises(ValueError, match=f"^y has no row of the model's class {classes}: give the rows"):
        summary(model, X, y, (y < classes).astype(int))
