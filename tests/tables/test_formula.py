"""Formulas: the columns that R's rules make, models that predict and are saved, and what is refused."""

import json
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

from rosenblatt import LogisticRegression, exact_summary, fit, likelihood_ratio_test, load, save, summary
from rosenblatt.cli.app import app
from rosenblatt.foundation.errors import InputError

pytest.importorskip("formulaic")

from rosenblatt.tables.formula.formula_encoder import FormulaEncoder

FORMULA = "ill ~ age + C(drug):dose"


@pytest.fixture
def trial():
    dice = np.random.default_rng(0)
    table = pd.DataFrame({"age": dice.integers(20, 60, 80), "drug": np.array(list("abc"))[dice.integers(0, 3, 80)]})
    table["dose"] = dice.integers(1, 4, 80)
    effect = 0.05 * (table.age - 40) + (table.drug == "c") * table.dose * 0.5
    table["ill"] = np.where(effect + dice.logistic(size=80) > 0, "yes", "no")
    return table


def columns_of(formula, table):
    encoder = FormulaEncoder(formula).fit(table)
    return dict(encoder.transform(table))


def by_hand(trial):
    made = {f"C(drug)[{one}]:dose": (trial.drug == one) * trial.dose for one in "abc"}
    return pd.DataFrame({"age": trial.age, **made}).astype(float)


def test_a_model_of_a_formula_is_that_of_columns_made_by_hand(trial):
    model, X = fit(trial, formula=FORMULA), by_hand(trial)
    plain = LogisticRegression(penalty=None).fit(X, trial.ill)
    np.testing.assert_allclose(model[-1].coef_, plain.coef_)
    assert model[-1].penalty is None
    np.testing.assert_allclose(
        summary(model, trial).to_frame().to_numpy(), summary(plain, X, trial.ill).to_frame().to_numpy()
    )
    one = likelihood_ratio_test(model, trial, without="age")
    assert one == likelihood_ratio_test(plain, X, trial.ill, without="age")
    assert model.predict(trial.drop(columns="ill").iloc[:3]).tolist() == plain.predict(X.iloc[:3]).tolist()


def test_tables_of_other_kinds_and_files_make_the_same_columns(trial, tmp_path):
    trial.to_csv(tmp_path / "trial.csv", index=False)
    trial.to_parquet(tmp_path / "trial.parquet")
    want = FormulaEncoder(FORMULA).fit_transform(trial)
    for other in (pl.from_pandas(trial), trial.to_dict("list"), tmp_path / "trial.csv", tmp_path / "trial.parquet"):
        encoder = FormulaEncoder(FORMULA)
        pd.testing.assert_frame_equal(encoder.fit_transform(other), want)
        assert encoder.response(other).tolist() == trial.ill.tolist()


def test_categories_contrasts_and_arithmetic():
    table = pd.DataFrame({"drug": list("abcb"), "my col": [1.0, 2, 4, 8], "grade": [3, 1, 2, 10], "y": [0, 1, 0, 1]})
    table["arm"] = pd.Categorical(list("pqpq"), categories=["q", "p", "unused"])
    table["old"] = [True, False, False, True]
    assert [*columns_of("y ~ drug + arm + old", table)] == ["drug[T.b]", "drug[T.c]", "arm[T.p]", "old[T.True]"]
    assert [*columns_of("y ~ C(grade)", table)] == ["C(grade)[T.2]", "C(grade)[T.3]", "C(grade)[T.10]"]
    assert [*columns_of("y ~ C(drug, Treatment('b'))", table)] == [
        "C(drug, Treatment('b'))[T.a]",
        "C(drug, Treatment('b'))[T.c]",
    ]
    sums = columns_of("y ~ C(drug, contr.sum)", table)["C(drug, contr.sum)[S.a]"]
    assert sums.tolist() == [1, 0, -1, 0]
    assert columns_of("y ~ np.log2(`my col`)", table)["np.log2(`my col`)"].tolist() == [0, 1, 2, 3]
    assert columns_of("y ~ I(grade ** 2) + {grade + 1}", table)["grade + 1"].tolist() == [4, 2, 3, 11]


def test_a_formula_without_an_intercept(trial):
    model = fit(trial, formula="ill ~ 0 + age + drug", penalty="jeffreys")
    assert not model[-1].fit_intercept
    assert [one.name for one in summary(model, trial).coefficients] == ["age", "drug[a]", "drug[b]", "drug[c]"]


def test_algorithm_penalty_and_strength_are_the_users(trial):
    assert fit(trial, formula=FORMULA, C=3.0)[-1].C == 3.0
    assert fit(trial, formula=FORMULA, algorithm="svm")[-1].__class__.__name__ == "LinearSVM"
    with pytest.raises(ValueError, match="after penalty='l2' standard errors"):
        summary(fit(trial, formula=FORMULA, C=3.0), trial)


def test_a_saved_model_predicts_the_same_on_a_table_with_fewer_categories(trial, tmp_path):
    model = fit(trial, formula=FORMULA, penalty="jeffreys")
    save(model, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    some = trial[trial.drug == "b"].drop(columns="ill")
    assert loaded.predict_proba(some).tolist() == model.predict_proba(some).tolist()
    assert str(summary(loaded, trial)) == str(summary(model, trial))
    assert loaded[0].get_feature_names_out().tolist() == [*by_hand(trial)]


def test_a_file_whose_formula_was_exchanged_for_code_is_refused(trial, tmp_path):
    """The checksum is made anew, as an attacker would."""
    from rosenblatt.model.pipeline_steps import _checksum

    path = tmp_path / "model.safetensors"
    save(fit(trial, formula="ill ~ age"), path)
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    inner = json.loads(header["__metadata__"]["rosenblatt"])
    text = json.dumps(inner).replace("ill ~ age", f"ill ~ age + I(open('{tmp_path}/run', 'w'))")
    inner = json.loads(text)
    steps = inner["steps"]
    steps["checksum"] = _checksum({name: value for name, value in steps.items() if name != "checksum"}, {})
    header["__metadata__"]["rosenblatt"] = json.dumps(inner)
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + content[8 + size :])
    with pytest.raises(ValueError, match="is damaged: the step 'formula' of its pipeline does not work"):
        load(path)
    assert not (tmp_path / "run").exists()


def test_a_saved_model_needs_formulaic_and_says_so(trial, tmp_path):
    save(fit(trial, formula="ill ~ age"), tmp_path / "model.safetensors")
    code = "import sys\nsys.modules['formulaic'] = None\nimport rosenblatt\n"
    code += "try:\n    rosenblatt.load('model.safetensors')\nexcept ImportError as error:\n    print(error)"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout == 'formula= needs formulaic: pip install "rosenblatt[formula]".\n'


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("ill ~ agee", "the table has no column 'agee' of the formula: did you mean 'age'?"),
        ("il ~ age", "the table has no column 'il' of the formula: did you mean 'ill'?"),
        ("ill ~ age +", "formula 'ill ~ age \\+' cannot be read: Operator '\\+'"),
        ("ill ~ .", "formula 'ill ~ .' must name its columns: '.' for all others is not understood"),
        ("ill ~ age + ill", "formula 'ill ~ age \\+ ill' has 'ill' on both sides of ~: leave it out on the right"),
        ("ill ~ age | dose", "must have one side left of ~ and one right of it, without |"),
        ("ill + dose ~ age", "must have the name of one column left of ~"),
        ("age + dose", "has no response: write it as 'column ~ ...'"),
        ("ill ~ 1", "names no column on its right side"),
        ("ill ~ C(age) + age", "uses 'age' as it is and by C\\(\\): copy the column under another name"),
        ("ill ~ C(age + 1)", "C\\(\\) takes the name of a column"),
        ("ill ~ bs(age)", "may not use 'bs': it has columns, arithmetic and C, I, exp"),
        ("ill ~ I(age.__class__)", "may not use 'age.__class__'"),
        ("ill ~ I(__import__('os').getcwd())", "may not use"),
        ("ill ~ I(open('x'))", "may not use 'open'"),
        ("ill ~ np.save(age, age)", "may not use 'np.save'"),
        ("ill ~ I([x for x in age])", "may not use"),
        ("ill ~ I(9 ** 9 ** 9)", "a power must be a number up to 20"),
        ("ill ~ np.log(drug)", "cannot be computed"),
        ("ill ~ np.log(age - age)", "'np.log\\(age - age\\)' is not a finite number in row 0"),
        (7, "formula must be a text of at most 10,000 characters, not int"),
    ],
)
def test_formulas_that_are_refused(trial, formula, sentence):
    with pytest.raises(InputError, match=sentence):
        fit(trial, formula=formula)


def test_rows_that_are_refused(trial):
    model = fit(trial, formula=FORMULA)
    for change, sentence in (
        ({"drug": "z"}, "column 'drug' has z in row 0, not one of 'a', 'b', 'c', which were fitted"),
        ({"drug": None}, "column 'drug' has no value in row 0"),
        ({"age": np.nan}, "column 'age' has no value in row 0|column 'age' is not a finite number in row 0"),
        ({"age": "old"}, "column 'age' does not hold numbers, as it did"),
    ):
        with pytest.raises(InputError, match=sentence):
            model.predict(trial.assign(**change))
    with pytest.raises(InputError, match="the table has no column 'dose' of the formula"):
        model.predict(trial.drop(columns="dose"))


def test_options_that_do_not_go_with_a_formula(trial):
    for name, value in (("target", "ill"), ("folds", 3), ("drop", "age"), ("executor", 2), ("checkpoint", "here")):
        with pytest.raises(InputError, match=f"{name} does not go with formula, which says what to learn from what"):
            fit(trial, formula=FORMULA, **{name: value})
    with pytest.raises(ValueError, match="y is missing: only a model of a formula finds the labels in its table"):
        summary(LogisticRegression(penalty=None), trial)


def test_collinear_columns_of_a_formula_are_named(trial):
    with pytest.raises(ValueError, match="column 'double' is a combination of column 'age'"):
        fit(trial.assign(double=2 * trial.age), formula="ill ~ age + double", penalty="jeffreys")


def test_the_command_prints_the_summary_of_the_function(trial, tmp_path):
    trial.to_csv(tmp_path / "trial.csv", index=False)

    def call(*options, ends=0):
        done = CliRunner().invoke(app, ["summary", str(tmp_path / "trial.csv"), *options], catch_exceptions=False)
        assert done.exit_code == ends, done.output
        return done

    told = json.loads(call("--formula", FORMULA, "--firth", "--json").stdout)
    found = summary(fit(trial, formula=FORMULA, penalty="jeffreys"), trial)
    assert [one["name"] for one in told["coefficients"]] == [one.name for one in found.coefficients]
    assert told["coefficients"][1]["upper"] == pytest.approx(found["age"].upper)
    counted = json.loads(call("--formula", "ill ~ age", "--counts", "dose", "--json").stdout)
    assert counted["rows"] == trial.dose.sum()
    exact = json.loads(call("--formula", "ill ~ drug", "--exact", "--json").stdout)
    dummies = pd.get_dummies(trial.drug, dtype=float)[["b", "c"]]
    assert exact["coefficients"][0]["p_value"] == exact_summary(dummies, trial.ill).coefficients[0].p_value
    assert "--target does not go with --formula" in call("--formula", FORMULA, "--target", "ill", ends=2).stderr
    assert "has no column 'agee' of the formula" in call("--formula", "ill ~ agee", ends=2).stderr
    assert "3 classes relative to a" in call("--formula", "drug ~ age").stdout
    assert "response has 3 classes, and --exact" in call("--formula", "drug ~ age", "--exact", ends=2).stderr
    joint = json.loads(call("--formula", "drug ~ age", "--base", "b", "--json").stdout)
    of_b = summary(fit(trial, formula="drug ~ age"), trial, base="b")
    assert [(one["class"], one["name"]) for one in joint["coefficients"]] == list(of_b.to_frame().index)
    assert joint["coefficients"][3]["lower"] == pytest.approx(of_b["c", "age"].lower)
