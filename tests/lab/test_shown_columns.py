"""Columns of every kind in the lab: encoded as in training, and words shown with their texts."""

import json
from random import Random

import pandas
import pytest
from shown_tables import ask
from sklearn.datasets import load_iris

import rosenblatt
from rosenblatt.foundation.errors import InputError
from rosenblatt.lab.user_data import open_user_data


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Every kind of column, with gaps, in a table that a person might have."""
    random = Random(0)
    path = tmp_path_factory.mktemp("lab") / "people.csv"
    lines = ["name,born,age,job,note,rich"]
    for k in range(120):
        rich = random.random() < 0.4
        job = random.choice(["clerk", "cook"] if not rich else ["judge", "cook"])
        note = random.choice(["owns a <b>yacht</b>", "golf and yacht"] if rich else ["rides a bus", "bus and tram"])
        age = "" if k % 17 == 3 else str(random.randint(20, 50) + 15 * rich)
        lines.append(f"person {k},19{random.randint(40, 99)}-01-0{k % 9 + 1},{age},{job},{note},{['no', 'yes'][rich]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_of_every_kind_of_column_is_encoded_as_train_does(people):
    answer = ask([people], "rich", ["born"])({"learner": "LogisticRegression", "order": "nearest"})
    model = rosenblatt.fit(str(people), target="rich", drop="born", algorithm="logistic")
    weights = dict(zip(model[0].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert {"job=judge", "age"} <= {one["name"] for one in answer["weights"]}
    for one in answer["weights"]:
        assert one["weight"] == pytest.approx(weights[one["name"]], rel=0.02, abs=0.02)
    assert answer["wrong"] == model.report_["test_rows"] - model.report_["test_right"]
    cells = people.read_text().splitlines()
    for row in answer["list"]["rows"]:  # the cells as they stand in the file, not as the classifier sees them
        name, _, age, job, note, rich = cells[row["row"]].split(",")
        assert row["class"] == rich
        shown = {"name": name, "age": float(age) if age else None, "job": job, "note": note}
        assert row["values"] == {column: shown[column] for column in row["values"]}
        assert row["values"]
    json.dumps(answer, allow_nan=False)


def test_a_model_of_words_is_shown_with_its_texts(people, tmp_path):
    model = rosenblatt.fit(str(people), target="rich", drop=["born", "age", "job"], kinds={"note": "text"})
    rosenblatt.save(model, tmp_path / "words.safetensors")
    answer = ask([tmp_path / "words.safetensors", people], None)({})
    frame = pandas.read_csv(people)
    assert answer["wrong"] == (model.predict(frame) != frame["rich"]).sum()
    assert {row["values"]["note"] for row in answer["list"]["rows"]} <= set(frame["note"])
    top = max(answer["weights"], key=lambda one: one["weight"])["name"]
    assert "yacht" in top
    with pytest.raises(InputError, match="this model is already trained"):
        open_user_data([tmp_path / "words.safetensors", people], None, ["age"])


def test_numbered_rows_need_no_target(tmp_path):
    lines = [f"{'+1' if k % 2 else '-1'} {k % 3 + 1}:1 9:{2 * (k % 2) - 1}" for k in range(30)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    answer = ask([tmp_path / "rows.svm"], None)({"part": "all"})
    assert answer["wrong"] == 0
    heaviest = answer["weights"][0]["name"]
    assert {row["values"][heaviest] for row in answer["list"]["rows"]} == {-1.0, 1.0}


def test_a_model_of_lifted_rows_shows_its_terms(flowers, tmp_path):
    iris = load_iris()
    model = rosenblatt.LinearSVM(features="polynomial-2").fit(iris.data, iris.target_names[iris.target])
    rosenblatt.save(model, tmp_path / "lifted.safetensors")
    answer = ask([tmp_path / "lifted.safetensors", flowers], "kind")({"class": 2})
    assert answer["wrong"] == model.status_.mistakes
    assert len(answer["weights"]) == answer["columns"] == 14
    named = dict(zip(model.get_feature_names_out(iris.feature_names), model.coef_[2], strict=True))
    assert answer["weights"][0]["weight"] == pytest.approx(max(named.values(), key=abs))
