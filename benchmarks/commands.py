"""Whole commands, from a plain file to a saved model, each in a process of its own: imports count on both sides."""

import compileall
import json
import lzma
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import rosenblatt
from benchmarks.datasets import cache_folder, real
from benchmarks.tasks import Pair, faster, task, under
from benchmarks.timing import stopwatch

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


def plain(name: str, keep: str | None = None) -> Path:
    """An .xz file unpacked, once; of a table with a column `split`, only the rows of one of its values."""
    source = real(name)
    path = cache_folder() / f"{keep or 'whole'}-{Path(name).stem}"
    if not path.is_file():
        unfinished = path.with_suffix(".part")
        with lzma.open(source, "rt", encoding="utf-8", newline="") as packed, unfinished.open("w", newline="") as file:
            header = packed.readline()
            file.write(header)
            delimiter = "\t" if "\t" in header else ","
            place = header.rstrip("\n").split(delimiter).index("split") if keep else 0
            file.writelines(line for line in packed if keep is None or line.split(delimiter, place + 1)[place] == keep)
        unfinished.rename(path)
    return path


def run(*words: object) -> str:
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True).stdout


def ours(path: Path, model: Path, *options: str) -> Callable[[], str]:
    compileall.compile_dir(Path(rosenblatt.__file__).parent, quiet=2)  # as installing does, and did for the peers
    return lambda: run(*OURS, "train", path, "--target", "label", *options, "--quiet", "--model", model)


def peer(script: str, path: Path) -> Callable[[], str]:
    return lambda: run(sys.executable, "-c", script, path, cache_folder() / "peer-model")


def accuracy(model: Path, path: Path) -> float:
    return float(json.loads(run(*OURS, "evaluate", model, path, "--target", "label", "--json"))["accuracy"])


IMDB = ("--drop", "rating", "--drop", "split", "--test-fraction", "0")


def imdb(script: str, path: Path) -> Pair:
    train, model = plain("imdb50k.tsv.xz", "train"), cache_folder() / "imdb-model"

    def remark() -> str:
        return f"{accuracy(model, plain('imdb50k.tsv.xz', 'test')):.2%} of the other 25,000 right"

    return Pair(stopwatch(ours(train, model, *IMDB)), stopwatch(peer(script, path)), remark)


@task("train-imdb", "rosenblatt train, IMDB 25,000 reviews", "pandas, TfidfVectorizer, SGDClassifier", faster(10))
def train_imdb() -> Pair:
    return imdb(TEXT_PIPELINE, plain("imdb50k.tsv.xz", "train"))


@task("train-imdb-vw", "rosenblatt train, IMDB 25,000 reviews", "Vowpal Wabbit, 5 passes, file converted", faster(1))
def train_imdb_vowpal_wabbit() -> Pair:
    import vowpalwabbit  # noqa: F401  # skipped, with a word, where it is not installed

    converted = cache_folder() / "imdb.vw"
    if not converted.is_file():
        with plain("imdb50k.tsv.xz", "train").open() as rows, converted.open("w") as file:
            next(rows)
            for row in rows:
                label, _, _, text = row.rstrip("\n").split("\t", 3)
                words = "".join(letter if letter.isalnum() else " " for letter in text.lower())
                file.write(f"{1 if label == 'pos' else -1} | {words}\n")
    return imdb(VOWPAL_WABBIT, converted)


@task("train-census", "rosenblatt train, census 299,285 x 40", "pandas, ColumnTransformer, SGDClassifier", faster(5))
def train_census() -> Pair:
    path, model = plain("census_income_kdd.csv.xz"), cache_folder() / "census-model"
    options = ("--drop", "instance_weight", "--drop", "split", "--test-fraction", "0")
    return Pair(stopwatch(ours(path, model, *options)), stopwatch(peer(TABLE_PIPELINE, path)))


@task("help", "rosenblatt --help", "python -c pass", under(150))
def help_at_once() -> Pair:
    command = [shutil.which("rosenblatt")] if shutil.which("rosenblatt") else OURS
    return Pair(stopwatch(lambda: run(*command, "--help")), stopwatch(lambda: run(sys.executable, "-c", "pass")))
