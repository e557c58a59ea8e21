"""Damaged model files, the same in every run: `python damaged_models.py FOLDER FILES` tries many of each kind.

A damaged file is refused with one sentence, or it is a model: its scores are finite, it can be saved and loaded again,
and it can go on learning. The test runs this in a process of its own, so that a crash of it is seen.
"""

import copy
import io
import json
import random
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as arrow
from safetensors.numpy import load, save
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.foundation.errors import InputError
from rosenblatt.parts.catalogue import CLASS_NAMES, VOTING_NAMES
from rosenblatt.tables.read.svmlight_table import ENTRY_TYPE

STREAMING = {"LinearSVM": {"solver": "sgd", "alpha": 0.01}, "LogisticRegression": {"solver": "sgd", "alpha": 0.01}}
VALUES = (
    *(None, True, False, "", "x", "polynomial-2", "str", "int8", [], {}, [[]], -1, 0, 1, 2, 3, 7, 255, 2**31, 2**32),
    *(2**53, 2**62, 2**63, 2**64, 2**70, 10**400, 0.0, -1.0, 0.5, 1e-320, 1e-308, 1e308, -1e308),
    *(float("nan"), float("inf"), -float("inf")),
)
NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320, 0.0, -1.0, 2.0**31, 2.0**53, 2.0**63)
TYPES = (np.float32, np.float64, np.int64, np.int32, np.uint8, np.float16, bool)


def numbers(classes=2, rows=40):
    dice = np.random.default_rng(0)
    X = dice.normal(size=(rows, 4))
    return X, np.argmax(X[:, :classes] + dice.normal(size=(rows, classes)), axis=1)


def mixed_table(rows=60):
    """A column of each kind."""
    dice = random.Random(0)
    words = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]
    return pd.DataFrame(
        {
            "size": [dice.choice([None, dice.gauss(0, 1)]) for _ in range(rows)],
            "wood": [dice.choice(["oak", "ash", "elm"]) for _ in range(rows)],
            "price": [f"{dice.gauss(0, 1):.2f}".replace(".", ",") for _ in range(rows)],
            "day": [f"2024-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}" for _ in range(rows)],
            "note": [" ".join(dice.choices(words, k=7)) for _ in range(rows)],
            "kind": [dice.choice(["yes", "no"]) for _ in range(rows)],
        }
    )


def models():
    """A model of each kind that can be saved, and rows for it."""
    for name in CLASS_NAMES:
        kind, streaming = getattr(classifiers, name), STREAMING.get(name, {})
        for classes in (2, 3):
            X, y = numbers(classes)
            yield f"{name} of {classes}", kind(random_state=0, max_iter=5).fit(X, y), X
            if name not in VOTING_NAMES:
                yield f"{name} of {classes} streamed", kind(random_state=0, **streaming).partial_fit(X, y), X
    yield from special_models()


def special_models():
    from scipy.sparse import csr_matrix

    X, y = numbers(3)
    names = np.array(["ash", "birch", "cedar"])
    joint = rosenblatt.AveragedPerceptron(multi_class="joint", class_weight={"ash": 2.0}, random_state=0)
    yield "joint and streamed", joint.partial_fit(pd.DataFrame(X, columns=[*"abcd"]), names[y]), X
    yield "products", rosenblatt.Perceptron(features="polynomial-2", max_iter=5).fit(X, y > 1), X
    fourier = rosenblatt.RandomFourier(8, random_state=1)
    yield "cosines", rosenblatt.AveragedPerceptron(features=fourier, max_iter=5).fit(X, y * 2.0), X
    yield "cosines streamed", rosenblatt.AveragedPerceptron(features=fourier).partial_fit(X, y), X
    yield "sparse vote", rosenblatt.VotedPerceptron(max_iter=3).fit(csr_matrix(X * (X > 0)), y), X
    yield "sparse support", rosenblatt.KernelPerceptron(max_iter=5).fit(csr_matrix(X * (X > 0)), y), X
    polynomial = rosenblatt.KernelPerceptron(kernel="polynomial", degree=2, budget=9)
    yield "budget", polynomial.partial_fit(X, y.astype(np.int8)), X
    yield "precomputed", rosenblatt.KernelPerceptron(kernel="precomputed", max_iter=5).fit(X @ X.T, y), X @ X.T
    table = mixed_table()
    for columns in (["size", "wood", "price", "day"], ["note"]):
        rows = table[columns]
        yield f"table of {columns}", table_model(rows, table["kind"]), rows
    scaled = make_pipeline(MinMaxScaler(), rosenblatt.AveragedPerceptron(max_iter=5))
    yield "scaled", scaled.fit(X, y), X
    stream = pd.concat([table] * 40)
    streamed = rosenblatt.fit(io.BytesIO(stream.to_csv(index=False).encode()), target="kind")
    yield "streamed table", streamed, table.drop(columns="kind")
    numbered = numbered_table()
    yield "numbered", rosenblatt.fit(numbered, target="label"), numbered.select(["features"])


def numbered_table():
    """What LIBSVM text is read as."""
    X, y = numbers()
    rows = [[{"index": k + 1, "value": value} for k, value in enumerate(row)] for row in X.tolist()]
    return arrow.table({"label": y, "features": arrow.array(rows, arrow.list_(ENTRY_TYPE))})


def table_model(rows, labels):
    return make_pipeline(rosenblatt.TableEncoder(), rosenblatt.LogisticRegression()).fit(rows, labels)


def places(value, path=()):
    """The path of every value in a tree of dicts and lists."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from places(one, (*path, key))


def damage_header(header, dice):
    """Put another value at one or two places, or take one away, double or swap it."""
    header = copy.deepcopy(header)
    for _ in range(dice.choice([1, 1, 1, 2])):
        *outer, last = dice.choice([path for path in places(header) if path])
        holder = header
        for key in outer:
            holder = holder[key]
        how = dice.randrange(8)
        if how == 0:
            del holder[last]
        elif how == 1 and isinstance(holder, list):
            holder.insert(last, holder[last])
        elif how == 2:
            other = dice.choice([*holder] if isinstance(holder, dict) else range(len(holder)))
            holder[last], holder[other] = holder[other], holder[last]
        elif how == 3 and type(holder[last]) in (int, float):
            holder[last] = holder[last] + dice.choice([-1, 1]) if dice.random() < 0.5 else -holder[last]
        else:
            holder[last] = dice.choice(VALUES)
    return header


def damage_tensors(tensors, dice):
    """Change numbers, type, shape or length of a tensor, or take it away."""
    tensors = {name: tensor.copy() for name, tensor in tensors.items()}
    name, other = dice.choice(sorted(tensors)), dice.choice(sorted(tensors))
    tensor, how = tensors[name], dice.randrange(8)
    if how == 0:
        del tensors[name]
    elif how == 1:
        tensors[name] = tensors[other]
    elif how == 2:
        tensors[name] = tensor.astype(dice.choice(TYPES))
    elif how == 3:
        tensors[name] = dice.choice([tensor.ravel(), tensor[..., :-1], tensor[:1], tensor[:0], tensor.T, tensor[None]])
    elif tensor.size:
        for _ in range(dice.choice([1, 2, tensor.size])):
            with np.errstate(all="ignore"):
                tensor.reshape(-1)[dice.randrange(tensor.size)] = np.float64(dice.choice(NUMBERS)).astype(tensor.dtype)
        tensors[name] = tensor
    return {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}


def damage_bytes(whole, dice):
    data = bytearray(whole)
    for _ in range(dice.choice([1, 1, 2, 8])):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def damaged(whole, dice):
    how = dice.randrange(3)
    if how == 0:
        return damage_bytes(whole, dice)
    size = int.from_bytes(whole[:8], "little")
    header, tensors = json.loads(json.loads(whole[8 : 8 + size])["__metadata__"]["rosenblatt"]), load(whole)
    if how == 1:
        header = damage_header(header, dice)
    else:
        tensors = damage_tensors(tensors, dice)
    return save(tensors, metadata={"rosenblatt": json.dumps(header)})


def defect(path, rows):
    """What is wrong with how a file is handled: None if it is refused in a sentence, or is a sound model."""
    try:
        model = rosenblatt.load(path)
    except InputError as error:
        sentence = str(error)
        fine = path.name in sentence and "\n" not in sentence and sentence.endswith(".") and ": " in sentence
        return ("refused", None) if fine else ("refused", f"not one sentence: {sentence}")
    if model.n_features_in_ != rows.shape[1]:
        return "loaded", None  # a sound model of other rows
    try:
        scores = model.decision_function(rows)
    except InputError:
        return "loaded", None  # a sound model of tables with other columns, or of rows that are smaller
    except ValueError as error:
        return "loaded", None if "feature" in str(error) else f"scores: {error}"
    if not np.isfinite(scores).all():  # as they may be where weights are finite but as large as this
        classifier = model[-1] if isinstance(model, Pipeline) else model
        huge = np.abs(classifier._learned.coef).max() > 1e300
        return "loaded", None if huge and not np.isnan(scores).any() else "scores that are not finite"
    again = path.with_suffix(".again")
    rosenblatt.save(model, again)
    if not np.array_equal(rosenblatt.load(again).decision_function(rows), scores):
        return "loaded", "other scores after saving"
    return "loaded", learning_defect(model, rows)


def learning_defect(model, rows):
    if not hasattr(model, "partial_fit"):
        return None
    try:
        model.partial_fit(rows, np.resize(model.classes_, len(rows)))
    except ValueError as error:
        return None if "\n" not in str(error) else f"learning: {error}"
    return None


def try_all(folder, files):
    """Try damaged files of every kind, and print what is wrong."""
    path, outcomes = Path(folder, "model.safetensors"), Counter()
    for name, model, rows in models():
        rosenblatt.save(model, path)
        whole = path.read_bytes()
        for number in range(files):
            path.write_bytes(damaged(whole, random.Random(f"{name} {number}")))
            print("at", name, number, flush=True)
            try:
                outcome, wrong = defect(path, rows)
                outcomes[outcome] += 1
            except Exception as error:
                wrong = f"not a sentence: {error!r}"
            if wrong is not None:
                print("wrong:", wrong)
    print("at the end:", dict(outcomes))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    try_all(sys.argv[1], int(sys.argv[2]))
