"""What is fuzzed in Python: readers of files, each with the intact files that mutation starts from.

A target reads bytes as a file of its kind the whole way. It returns, or raises `InputError` with one sentence; anything
else is a defect.
"""

import json
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import save as serialized

import rosenblatt
from rosenblatt.cli.verify.check_proof import verify_table
from rosenblatt.foundation import state_file
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import KEY
from rosenblatt.prove.certificates.certificate_file import write_certificates
from rosenblatt.tables.cache.cache_header import HEADER, read_header, write_header

sys.path.insert(0, str(Path(__file__).parents[1] / "tables"))
import damaged_files

CORPUS = Path(__file__).with_name("corpus")
X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 5.0], [4.0, 1.0], [5.0, 4.0]])
CODES = np.array([0, 0, 1, 0, 1, 1])
OVERLAPPING = "a,kind\n1,no\n2,yes\n3,no\n4,yes\n"


class Target(NamedTuple):
    read: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def written(name: str, data: bytes) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def content(save: Callable[[Path], None]) -> bytes:
    path = folder() / "seed"
    save(path)
    return path.read_bytes()


# Models: one that is loaded predicts, and is saved and loaded again.


def read_model(data: bytes) -> None:
    model = rosenblatt.load(written("model", data))
    classifier = model[-1] if hasattr(model, "steps") else model
    if classifier is model and classifier.n_features_in_ <= 100:
        assert len(model.predict(np.zeros((3, classifier.n_features_in_)))) == 3
    rosenblatt.save(model, folder() / "again")
    rosenblatt.load(folder() / "again")


def model_seeds() -> list[bytes]:
    table = written("rows.csv", damaged_csv())
    texts = rosenblatt.fit(table, target="kind", max_iter=2)
    models = [
        rosenblatt.Perceptron(max_iter=3).fit(X, CODES),
        rosenblatt.AveragedPerceptron(features="polynomial-2").fit(X, ["ash", "ash", "oak", "ash", "elm", "oak"]),
        rosenblatt.PassiveAggressive().partial_fit(X, CODES, classes=[0, 1]),
        rosenblatt.LogisticRegression().fit(X, CODES),
        rosenblatt.KernelPerceptron(max_iter=3).fit(X, CODES),
        texts,
    ]
    return [content(partial(rosenblatt.save, model)) for model in models]


def split_model(data: bytes) -> tuple[bytes, bytes]:
    """The JSON header of a model file, and its tensors."""
    size = 8 + int.from_bytes(data[:8], "little")
    return data[8:size], data[size:]


def read_model_header(data: bytes) -> None:
    """The first byte chooses the model whose tensors are taken, the others are the header's JSON text."""
    seeds = model_file_parts()
    header, tensors = seeds[data[0] % len(seeds) if data else 0]
    about = json.loads(header)
    about["__metadata__"][KEY] = data[1:].decode("utf-8", "replace")
    text = json.dumps(about).encode()
    read_model(len(text).to_bytes(8, "little") + text + tensors)


@cache
def model_file_parts() -> list[tuple[bytes, bytes]]:
    return [split_model(data) for data in model_seeds()]


def model_header_seeds() -> list[bytes]:
    texts = [json.loads(header)["__metadata__"][KEY] for header, _ in model_file_parts()]
    return [bytes([k]) + text.encode() for k, text in enumerate(texts)]


# Certificates: those that are accepted say what is so.


def read_certificate(data: bytes) -> None:
    table = written("overlapping.csv", OVERLAPPING.encode())
    verdicts = verify_table(written("proof", data), [str(table)])
    assert not verdicts.proved or {verdict.claimed for verdict in verdicts.verdicts} == {"overlap"}


def certificate_seeds() -> list[bytes]:
    proof = rosenblatt.separability([[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]).certificate
    names = {**proof, "names": ["a"]}
    return [content(lambda path: write_certificates(path, "kind", [names]))]


# Checkpoints and caches.


def read_checkpoint(data: bytes) -> None:
    with suppress(state_file.Damaged):
        state_file.read(data)


def read_checkpoint_tree(data: bytes) -> None:
    """The tree's JSON text in a file whose checksum is right."""
    about = {state_file.TREE: data.decode("utf-8", "replace"), state_file.CHECKSUM: state_file.BLANK}
    read_checkpoint(state_file.add_checksum(serialized({state_file.FLOATS: np.ones(3)}, metadata=about)))


def checkpoint_seeds() -> list[bytes]:
    return [state_file.written({"w": np.arange(3.0), "best": np.inf, "runs": [None, {"visits": 7}]})]


def tree_seeds() -> list[bytes]:
    return [b'{"w": {"$array": "floats"}, "best": {"$float": 0}, "runs": [null, {"visits": 7}]}']


def read_cache_header(data: bytes) -> None:
    written(HEADER, data)
    read_header(folder(), "train again")


def cache_header_seeds() -> list[bytes]:
    write_header(folder(), {"format": 1, "columns": 3, "arrays": {"train.codes": {"items": 3, "type": "<i4"}}})
    return [(folder() / HEADER).read_bytes()]


# Tables: predicted from always, learned from now and then, for that takes ten times as long.


def damaged_csv() -> bytes:
    from pyarrow import csv

    sink = damaged_files.io.BytesIO()
    csv.write_csv(damaged_files.table().drop_columns(["tags"]), sink)
    return sink.getvalue()


@cache
def model_of(name: str) -> Any:
    return rosenblatt.fit(written(name, TARGETS[f"table_{name}"].seeds()[0]), target="kind", max_iter=2)


def read_table(name: str, data: bytes) -> None:
    model = model_of(name)
    path = written(name, data)
    if zlib.crc32(data) % 8 == 0:
        rosenblatt.fit(path, target="kind", max_iter=2)
    model.predict(path)


def read_svmlight(data: bytes) -> None:
    rosenblatt.fit(written("rows.svm", data), max_iter=2)


SVMLIGHT = b"+1 qid:7 1:0.5 3:-2e-3 # a\n-1 2:1\n+1 1:3 2:.5\n-1 3:1e2\n"
TABLES: dict[str, Callable[[], bytes]] = {
    "rows.csv": damaged_csv,
    **{name: partial(damaged_files.content, write) for name, write in damaged_files.WRITERS.items()},
}
TARGETS = {
    "model": Target(read_model, model_seeds),
    "model_header": Target(read_model_header, model_header_seeds),
    "certificate": Target(read_certificate, certificate_seeds),
    "checkpoint": Target(read_checkpoint, checkpoint_seeds),
    "checkpoint_tree": Target(read_checkpoint_tree, tree_seeds),
    "cache_header": Target(read_cache_header, cache_header_seeds),
    "table_rows.svm": Target(read_svmlight, lambda: [SVMLIGHT]),
    **{
        f"table_{name}": Target(partial(read_table, name), lambda make=make: [make()])  # type: ignore[misc]
        for name, make in TABLES.items()
    },
}


def run(name: str, data: bytes) -> None:
    """Read bytes by a target. Raises where that ends otherwise than well or in one sentence."""
    try:
        TARGETS[name].read(data)
    except InputError as error:
        if len(str(error).splitlines()) != 1:
            raise AssertionError("not one sentence") from error


def clean_up() -> None:
    """Remove the files and the models that targets keep."""
    shutil.rmtree(folder())
    folder.cache_clear()
    model_of.cache_clear()
