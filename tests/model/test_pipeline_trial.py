"""Model files with steps that nobody saved, and with the right checksum: refused on loading, or they predict."""

import json
from copy import deepcopy

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from test_pipeline_steps import PIPELINES, fitted

import rosenblatt
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.pipeline_steps import PREFIX, _checksum

FORGERIES = 40  # of each pipeline
VALUES = [None, True, 0, -1, 7, 0.5, "", "drop", "ash", {"list": []}, {"dict": []}, {"tuple": [1]}, {"float": "nan"}]
ARRAYS = [{"array": ["O", ["a", 1]]}, {"array": ["U", ["a"]]}, {"dtype": "<f8"}, {"slice": [0, 1, None]}]
FAIR = [  # what scikit-learn says of rows with other columns, and we of numbers that a step has made
    *("feature names should match", "features, but", "unknown categories", "'isnan' not supported"),
    *("Input X contains", "Input X holds texts"),
]


def parts(path):
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["rosenblatt"])
    return header, load_file(path)


def places(value, at=()):
    """The places of all values within steps as JSON."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*at, key))


def forge(steps, tensors, dice):
    """Change one value, tensor or name of the steps."""
    steps, tensors = deepcopy(steps), dict(tensors)
    own = [name for name in tensors if name.startswith(f"{PREFIX}.")]
    if own and dice.random() < 0.3:
        name = own[dice.integers(len(own))]
        array = tensors[name]
        changed = [array[:-1], np.append(array, 1), array[None], array.astype(np.int64), array * np.nan, -array]
        tensors[name] = np.ascontiguousarray(changed[dice.integers(len(changed))])
        return steps, tensors
    found = [place for place in places(steps["steps"]) if place]
    *way, last = found[dice.integers(len(found))]
    around = steps["steps"]
    for key in way:
        around = around[key]
    if dice.random() < 0.2:
        around.pop(last)
    elif isinstance(last, str) and dice.random() < 0.2:
        around["transform"] = around.pop(last)
    else:
        choices = [*VALUES, *ARRAYS, *({"tensor": name} for name in own)]
        around[last] = choices[dice.integers(len(choices))]
    return steps, tensors


def answer_of(path, rows):
    """What a model file says to rows: "predicts", or the sentence of its refusal."""
    try:
        return "predicts" if len(rosenblatt.load(path).predict(rows)) == len(rows) else "rows are missing"
    except (InputError, TypeError, ValueError) as error:
        return str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PIPELINES)
def test_forged_steps_are_refused_on_loading_or_predict(name, tmp_path):
    path, (transformer, rows) = tmp_path / "m.safetensors", PIPELINES[name]
    rosenblatt.save(fitted(transformer, rows), path)
    header, tensors = parts(path)
    dice, refused = np.random.default_rng(sorted(PIPELINES).index(name)), 0
    for _ in range(FORGERIES):
        steps, changed = forge(header["steps"], tensors, dice)
        steps.pop("checksum")
        steps["checksum"] = _checksum(steps, {key: one for key, one in changed.items() if key.startswith(PREFIX)})
        save_file(changed, path, metadata={"rosenblatt": json.dumps({**header, "steps": steps})})
        answer = answer_of(path, rows)
        refused += answer.startswith(f"{path} is damaged: ")
        assert answer == "predicts" or answer.startswith(f"{path} is damaged: ") or any(map(answer.count, FAIR)), steps
    assert refused > FORGERIES / 10


def test_places_beyond_the_rows_of_a_one_hot_encoder_are_refused(tmp_path):
    """scikit-learn would write them beyond the end of dense rows."""
    path = tmp_path / "m.safetensors"
    rosenblatt.save(fitted(*PIPELINES["one-hot numbers"]), path)
    header, tensors = parts(path)
    steps = header["steps"]
    state = steps["steps"][0][1]["transformer"][1]
    state["_n_features_outs"]["list"] = [1] * len(state["_n_features_outs"]["list"])
    del steps["checksum"]
    steps["checksum"] = _checksum(steps, {key: one for key, one in tensors.items() if key.startswith(PREFIX)})
    save_file(tensors, path, metadata={"rosenblatt": json.dumps(header)})
    with pytest.raises(InputError, match="is damaged: the step 'onehotencoder' of its pipeline does not work"):
        rosenblatt.load(path)
