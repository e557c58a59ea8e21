"""Paths of files to write: they must be writable and must not be one of the files that are read."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ..foundation.errors import InputError
from ..tables.read.stored_files import is_address

DATA_SUFFIX = re.compile(
    r"(\.(csv|tsv|txt|parquet|arrow|feather|jsonl|ndjson|json|svm|libsvm|svmlight))?(\.(gz|bz2|xz|zst|lz4))?$",
    re.IGNORECASE,
)
MODEL_SUFFIX = ".rosenblatt.safetensors"
HEAD_SIZE = 1 << 16
STANDARD_OUTPUT = Path("-")
# How the files begin that a command writes. Only such a file is overwritten without --force.
MARKS = {
    "a model of rosenblatt": re.compile(rb'.{8}\{"__metadata__":\{"rosenblatt":', re.DOTALL),
    "a certificate": re.compile(rb'\{\s*"format":\s*"rosenblatt-certificate"'),
    "an exported model": re.compile(rb'\{"rosenblatt":|.{0,8}\x12\x0arosenblatt', re.DOTALL),
    "a report": re.compile(rb"<!DOCTYPE html>.*<title>Evaluation on ", re.DOTALL),
    "a file of predictions": re.compile(rb"[^\n]*\bprediction\b"),
}


def model_path(output: Path | None, files: Sequence[str], force: bool = False) -> Path:
    """Return where to save a model. The path must be writable and must not be the table."""
    path = output or default_model_path(files[0])
    if is_one_of(path, files):
        raise InputError(f"{path} is the table: give --output another name.")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give --output the name of a file.")
    if path.exists() and not path.is_file():  # a device or a pipe is simply written to
        return path
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}, where the model should go, is not a folder: make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(
            f"{path.parent}, where the model should go, cannot be written to: choose another with --output."
        )
    check_overwrite(path, "a model of rosenblatt", force)
    return path


def check_overwrite(path: Path | None, what: str, force: bool, option: str = "--output") -> None:
    """Refuse to overwrite a file that is not `what`, one of MARKS, unless `force` is set. Empty files may go."""
    if path is None or force or not path.is_file() or not os.access(path, os.R_OK):
        return
    with path.open("rb") as file:
        head = file.read(HEAD_SIZE)
    if head and not MARKS[what].match(head):
        raise InputError(f"{path} exists and is not {what}: give {option} another name, or overwrite it with --force.")


def join_spellings(output: Path | None, older: Path | None, older_name: str) -> Path | None:
    """Return the value of --output, which may also be given by its older name."""
    if output is not None and older is not None:
        raise InputError(f"--output and {older_name} mean the same: give one of them.")
    path = output or older
    if path is not None:
        refuse_standard_output(path, "--output")
    return path


def refuse_standard_output(path: Path, option: str) -> None:
    """Refuse "-" as the name of a file where standard output holds the result."""
    if path == STANDARD_OUTPUT:
        raise InputError(f"{option} - would mix the file with the result on standard output: give the name of a file.")


def default_model_path(file: str) -> Path:
    """Return the model's path next to a table.

    >>> for file in ("rows/flowers.csv.gz", "rows/*.parquet", "s3://bucket/*.parquet", "-"):
    ...     print(default_model_path(file))
    rows/flowers.rosenblatt.safetensors
    rows/model.rosenblatt.safetensors
    model.rosenblatt.safetensors
    model.rosenblatt.safetensors
    >>> default_model_path(".").name == Path.cwd().name + MODEL_SUFFIX
    True
    """
    path = Path(file) if Path(file).name else Path(file).absolute()  # "." and ".." have no name of their own
    name = DATA_SUFFIX.sub("", path.name)
    if is_address(file):  # the model stays here
        path = Path(path.name)
    if file == "-" or (any(letter in file for letter in "*?[") and not path.exists()):
        name = "model"
    return path.with_name((name or "model") + MODEL_SUFFIX)


def is_one_of(path: Path, files: Sequence[str]) -> bool:
    """Return whether a path is the same file as one of several others."""
    return path.exists() and any(Path(file).exists() and path.samefile(file) for file in files)
