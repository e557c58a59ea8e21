"""Whole commands, from a file to a saved model. Each runs in its own process, so imports count on both sides."""

import compileall
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rosenblatt
from benchmarks.datasets import cache_folder, gaussian, output_folder, real_file
from benchmarks.tasks import Pair, faster, nothing, task, under, within
from benchmarks.timing import Stopwatch, stopwatch

OURS = [sys.executable, "-m", "rosenblatt.cli"]

TEXT_PIPELINE = """
import sys
import joblib, pandas
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
table = pandas.read_csv(sys.argv[1], sep="\\t", quoting=3)
model = make_pipeline(TfidfVectorizer(), SGDClassifier(random_state=0)).fit(table["text"], table["label"])
joblib.dump(model, sys.argv[2])
"""

TABLE_PIPELINE = """
import sys
import joblib, pandas
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
table = pandas.read_csv(sys.argv[1], na_values=["?"])
numbers, others = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
encoder = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others))
X, y = table.drop(columns=["label", "split", "instance_weight"]), table["label"]
joblib.dump(make_pipeline(encoder, SGDClassifier(random_state=0)).fit(X, y), sys.argv[2])
"""

VOWPAL_WABBIT = """
import sys
from vowpalwabbit import Workspace
options = "--cache --kill_cache --passes 5 --loss_function logistic -b 22 --quiet"
Workspace(f"{options} --data {sys.argv[1]} -f {sys.argv[2]}").finish()
"""


def unpack(name: str, split: str | None = None) -> Path:
    """An unpacked copy of an .xz file, kept between runs; with `split`, only the rows that have it in that column."""
    source = real_file(name)
    path = cache_folder() / f"{split or 'whole'}-{Path(name).stem}"
    if not path.is_file():
        unfinished = path.with_suffix(".unfinished")
        with lzma.open(source, "rt", encoding="utf-8", newline="") as packed, unfinished.open("w", newline="") as file:
            header = packed.readline()
            file.write(header)
            delimiter = "\t" if "\t" in header else ","
            place = header.rstrip("\n").split(delimiter).index("split") if split else 0
            file.writelines(
                line for line in packed if split is None or line.split(delimiter, place + 1)[place] == split
            )
        unfinished.rename(path)
    return path


def run(*words: object) -> str:
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True).stdout


def ours(path: Path, model: Path, *options: str) -> Callable[[], str]:
    compileall.compile_dir(
        Path(rosenblatt.__file__).parent, quiet=2
    )  # as an installation does; the peers are compiled too
    return lambda: run(*OURS, "train", path, "--target", "label", *options, "--quiet", "--model", model)


def peer(script: str, path: Path) -> Callable[[], str]:
    return lambda: run(sys.executable, "-c", script, path, output_folder() / "peer-model")


def accuracy(model: Path, path: Path) -> float:
    return float(json.loads(run(*OURS, "evaluate", model, path, "--target", "label", "--json"))["accuracy"])


IMDB = ("--drop", "rating", "--drop", "split", "--test-fraction", "0")


def imdb(script: str, path: Path, prepare_peer: Callable[[], object] = nothing) -> Pair:
    train, model = unpack("imdb50k.tsv.xz", "train"), output_folder() / "imdb-model"

    def remark() -> str:
        return f"test accuracy {accuracy(model, unpack('imdb50k.tsv.xz', 'test')):.2%}"

    return Pair(stopwatch(ours(train, model, *IMDB)), stopwatch(peer(script, path)), remark, prepare_peer)


@task("train-imdb", "rosenblatt train, IMDB 25,000 reviews", "pandas, TfidfVectorizer, SGDClassifier", faster(10))
def train_imdb() -> Pair:
    return imdb(TEXT_PIPELINE, unpack("imdb50k.tsv.xz", "train"))


@task("train-imdb-vw", "rosenblatt train, IMDB 25,000 reviews", "Vowpal Wabbit, 5 passes, converted file", faster(1))
def train_imdb_vowpal_wabbit() -> Pair:
    converted = cache_folder() / "imdb-reviews.vw"

    def convert() -> None:
        import vowpalwabbit  # noqa: F401

        if converted.is_file():
            return
        unfinished = converted.with_suffix(".unfinished")
        with unpack("imdb50k.tsv.xz", "train").open() as rows, unfinished.open("w") as file:
            next(rows)
            for row in rows:
                label, _, _, text = row.rstrip("\n").split("\t", 3)
                words = "".join(letter if letter.isalnum() else " " for letter in text.lower())
                file.write(f"{1 if label == 'pos' else -1} | {words}\n")
        unfinished.rename(converted)

    return imdb(VOWPAL_WABBIT, converted, convert)


@task("train-census", "rosenblatt train, census 299,285 x 40", "pandas, ColumnTransformer, SGDClassifier", faster(5))
def train_census() -> Pair:
    path, model = unpack("census_income_kdd.csv.xz"), output_folder() / "census-model"
    options = ("--drop", "instance_weight", "--drop", "split", "--test-fraction", "0")
    return Pair(stopwatch(ours(path, model, *options)), stopwatch(peer(TABLE_PIPELINE, path)))


SMALL_ROWS = 500
SMALL_PIPELINE = """
import sys
import joblib, pandas
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
table = pandas.read_csv(sys.argv[1])
X, y = table.drop(columns="label"), table["label"]
train, test, truth, other = train_test_split(X, y, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train, truth)
print(model.score(test, other))
joblib.dump(model, sys.argv[2])
"""


def small_table() -> Path:
    """500 rows of ten numbers and a label, as CSV. Classes overlap, as in most tables: one label in ten is wrong."""
    path = cache_folder() / "small-overlapping-table.csv"
    if not path.is_file():
        X, y = gaussian(SMALL_ROWS, 10)
        y = np.where(np.arange(SMALL_ROWS) % 10 == 0, -y, y)
        lines = [
            ",".join([*(f"{value:.6g}" for value in row), "yes" if label > 0 else "no"])
            for row, label in zip(X, y, strict=True)
        ]
        path.write_text("\n".join([",".join([*(f"x{k}" for k in range(10)), "label"]), *lines]) + "\n")
    return path


def train_small(prepare_peer: Callable[[Path], Callable[[], str]]) -> Pair:
    path = small_table()
    command = ours(path, output_folder() / "small-model")
    return Pair(stopwatch(command), stopwatch(prepare_peer(path)))


@task("train-small", "rosenblatt train, 500 x 10 CSV", "pandas, StandardScaler, LogisticRegression", faster(3))
def train_small_table() -> Pair:
    return train_small(lambda path: peer(SMALL_PIPELINE, path))


@task("train-small-imports", "rosenblatt train, 500 x 10 CSV", "python -c 'import numpy, pyarrow'", within(2))
def train_small_against_imports() -> Pair:
    return train_small(lambda path: lambda: run(sys.executable, "-c", "import numpy, pyarrow"))


@task("help", "rosenblatt --help", "python -c pass", under(150))
def print_help() -> Pair:
    script = Path(sys.executable).with_name("rosenblatt")
    command = [script] if script.is_file() else OURS
    return Pair(stopwatch(lambda: run(*command, "--help")), stopwatch(lambda: run(sys.executable, "-c", "pass")))


def import_seconds(statement: str) -> Stopwatch:
    """Time an import statement in a fresh interpreter, by the clock of that interpreter."""
    program = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"

    def seconds() -> float:
        return float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)

    return seconds


@task("import", "import rosenblatt", "python -c pass", under(60))
def import_rosenblatt() -> Pair:
    return Pair(import_seconds("import rosenblatt"), stopwatch(lambda: run(sys.executable, "-c", "pass")))
