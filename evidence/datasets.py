"""Read files into rows: numbers standardised, categories one-hot encoded, text as tf-idf."""

import lzma
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

NOT_FEATURES = {"label", "split", "instance_weight", "rating"}


def read(path: Path, leave_out: Collection[str] = ()) -> tuple[Any, np.ndarray]:
    """The rows and labels of a file, read by its suffix, without the columns to leave out."""
    if path.name.endswith(".svm.xz"):
        with lzma.open(path) as file:
            return load_svmlight_file(file)
    if path.name.endswith(".tsv.xz"):
        table = read_text(path, pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False))
        return TfidfVectorizer().fit_transform(table["text"].to_pylist()), labels_of(table)
    table = pyarrow.parquet.read_table(path) if path.suffix == ".parquet" else read_text(path)
    names = [name for name in table.column_names if name not in NOT_FEATURES and name not in leave_out]
    return columns_to_rows([table[name] for name in names]), labels_of(table)


def read_pixels(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images with pixels scaled to [0, 1], not standardised by column."""
    table = pyarrow.parquet.read_table(path)
    columns = [name for name in table.column_names if name not in NOT_FEATURES]
    return np.column_stack([table[name].to_numpy() for name in columns]) / np.float32(255), labels_of(table)


def read_text(path: Path, options: pyarrow.csv.ParseOptions | None = None) -> pyarrow.Table:
    with lzma.open(path) as file:
        return pyarrow.csv.read_csv(file, parse_options=options)


def labels_of(table: pyarrow.Table) -> np.ndarray:
    return np.array([str(label) for label in table["label"].to_pylist()])


def columns_to_rows(columns: list[pyarrow.ChunkedArray]) -> Any:
    if all(is_number(column) for column in columns):
        return np.column_stack([standardise(column)[:, 0] for column in columns])
    return sparse.hstack([standardise(column) if is_number(column) else one_hot(column) for column in columns], "csr")


def is_number(column: pyarrow.ChunkedArray) -> bool:
    return pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)


def standardise(column: pyarrow.ChunkedArray) -> np.ndarray:
    """A column with mean 0 and deviation 1; missing numbers become the mean."""
    values = column.to_numpy().astype(np.float64)
    values = values - np.nanmean(values)
    return np.nan_to_num(values / (np.nanstd(values) or 1.0)).reshape(-1, 1)


def one_hot(column: pyarrow.ChunkedArray) -> sparse.csr_matrix:
    """One column for each category; missing is a category too."""
    codes = column.combine_chunks().dictionary_encode("encode").indices.to_numpy()
    ones = np.ones(len(codes))
    return sparse.csr_matrix((ones, (np.arange(len(codes)), codes)))
