"""Tuning, from a file to a saved model, against GridSearchCV over the same grid on all cores. Imports count.

Both sides read the same file, four rows in five, and choose by the log-loss of five folds among 17 values of C and what
the row names. The peer encodes inside its pipeline. The other rows tell the log-loss and the share right of both
models. The remark has the processor time of the best runs too, which a busy machine disturbs less.
"""

import json
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.commands import OURS, run, unpack
from benchmarks.commands import ours as train_command
from benchmarks.datasets import cache_folder, output_folder
from benchmarks.machine import cores
from benchmarks.tasks import Goal, Pair, Task, faster, format_seconds, task
from benchmarks.timing import Stopwatch, stopwatch

PEER = "GridSearchCV, the same grid"
TIMES = 10
OPTIONS = ("--tune", "--algorithm", "logistic", "--features", "identity", "--test-fraction", "0", "--seed", "0")
NOT_FEATURES = ("split", "instance_weight", "rating")

PEER_READER = """
import sys
import joblib, pandas
from sklearn.datasets import load_svmlight_file

columns = int(sys.argv.pop())

def read(path):
    if path.endswith(".svm"):
        return load_svmlight_file(path, n_features=columns)
    table = pandas.read_csv(path, sep="\\t", quoting=3) if path.endswith(".tsv") else pandas.read_csv(path)
    X = table["text"] if "text" in table else table.drop(columns="label")
    return X, table["label"]
"""
PEER_SEARCH = """
import json
import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

def encoder(path):
    if path.endswith(".svm"):
        return "passthrough"
    if path.endswith(".tsv"):
        return TfidfVectorizer(sublinear_tf=True)
    numbers, others = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    return make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others))

LEARNERS = {"l2": LogisticRegression(max_iter=1000), "l1": LogisticRegression(l1_ratio=1.0, solver="liblinear")}
train, model, penalties, ngrams, cores = sys.argv[1:]
X, y = read(train)
shared = {"learn__C": np.logspace(-4, 4, 17)}
if train.endswith(".tsv"):
    shared["encode__ngram_range"] = [(1, most) for most in json.loads(ngrams)]
grid = [{"learn": [LEARNERS[penalty]], **shared} for penalty in json.loads(penalties)]
steps = Pipeline([("encode", encoder(train)), ("learn", LogisticRegression())])
search = GridSearchCV(steps, grid, scoring="neg_log_loss", cv=5, n_jobs=int(cores)).fit(X, y)
joblib.dump(search.best_estimator_, model)
"""
PEER_SCORE = """
from sklearn.metrics import log_loss
model = joblib.load(sys.argv[1])
X, y = read(sys.argv[2])
print(log_loss(y, model.predict_proba(X)), model.score(X, y))
"""


@dataclass(frozen=True)
class Grid:
    """A file and what is tried on it beside 17 values of C."""

    file: str
    penalties: tuple[str, ...] = ("l2",)
    ngrams: tuple[int, ...] = (1,)
    columns: int = 0  # of an svmlight file, which does not tell

    @property
    def options(self) -> list[str]:
        """What our search is given; it chooses the rest."""
        penalty = ["--set", f"penalty={self.penalties[0]}"] if len(self.penalties) == 1 else []
        ngrams = ["--ngrams", str(self.ngrams[0])] if len(self.ngrams) == 1 and ".tsv" in self.file else []
        return [*OPTIONS, *penalty, *ngrams]

    def parts(self) -> tuple[Path, Path]:
        """Files of four rows in five, and of the others."""
        source = unpack(self.file)
        train, test = (cache_folder() / f"tuning-{source.stem}-{part}{source.suffix}" for part in ("train", "test"))
        if not test.is_file():
            split(source, train, test)
        return train, test


def split(source: Path, train: Path, test: Path) -> None:
    """Write a fifth of the rows in random order to `test`, and the others to `train`, without what is no feature."""
    lines = source.read_text(encoding="utf-8").splitlines()
    delimiter = {".tsv": "\t", ".csv": ","}.get(source.suffix)
    header = []
    if delimiter:
        names = lines.pop(0).split(delimiter)
        kept = [place for place, name in enumerate(names) if name not in NOT_FEATURES]
        header = [delimiter.join(names[place] for place in kept)]
        cells = (line.split(delimiter, len(names) - 1) for line in lines)
        lines = [delimiter.join(row[place] for place in kept) for row in cells]
    order = np.random.default_rng(0).permutation(len(lines))
    for path, chosen in ((train, order[len(order) // 5 :]), (test, order[: len(order) // 5])):
        path.write_text("\n".join([*header, *(lines[row] for row in chosen)]) + "\n", encoding="utf-8")


@dataclass
class ProcessorTime:
    """A stopwatch of a command that remembers the least processor time of its runs."""

    work: Callable[[], object]
    least: float = field(default=np.inf, init=False)

    def timed(self) -> Stopwatch:
        return stopwatch(self._run)

    def _run(self) -> None:
        before = children_seconds()
        self.work()
        self.least = min(self.least, children_seconds() - before)


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def race(grid: Grid) -> Pair:
    train, test = grid.parts()
    model, peer_model = (output_folder() / f"tuned-{train.stem}-{side}" for side in ("model", "peer"))
    penalties, ngrams = json.dumps(grid.penalties), json.dumps(grid.ngrams)
    ours = ProcessorTime(train_command(train, model, *grid.options))
    search = (PEER_READER + PEER_SEARCH, train, peer_model, penalties, ngrams, cores(), grid.columns)
    score = (PEER_READER + PEER_SCORE, peer_model, test, grid.columns)
    peer = ProcessorTime(lambda: run(sys.executable, "-c", *search))

    def remark() -> str:
        scored = json.loads(run(*OURS, "evaluate", model, test, "--target", "label", "--json"))
        loss, right = map(float, run(sys.executable, "-c", *score).split())
        return (
            f"log-loss {scored['log_loss']:.4f}, peer {loss:.4f}; {scored['accuracy']:.2%} right, peer {right:.2%}; "
            f"processor time {format_seconds(ours.least)}, peer {format_seconds(peer.least)}"
        )

    return Pair(ours.timed(), peer.timed(), remark)


def races(**grids: Grid) -> tuple[Task, ...]:
    return tuple(
        task(f"tune-{name.replace('_', '-')}", f"tune {words_of(name, grid)}", PEER, faster(TIMES))(partial(race, grid))
        for name, grid in grids.items()
    )


def words_of(name: str, grid: Grid) -> str:
    tried = ["C", *(["penalty"] if len(grid.penalties) > 1 else []), *(["n-grams"] if len(grid.ngrams) > 1 else [])]
    return f"{', '.join(tried)}, {name.split('_penalties')[0].replace('_', ' ')}"


tuning = Goal(
    "tuning, geometric mean",
    PEER,
    faster(TIMES),
    races(
        adult=Grid("adult.csv.xz"),
        bank_full=Grid("bank_full.csv.xz"),
        sms_spam=Grid("sms_spam.tsv.xz", ngrams=(1, 2)),
        imdb=Grid("imdb50k.tsv.xz"),
        phishing=Grid("phishing.svm.xz", columns=68),
        a9a=Grid("a9a.svm.xz", columns=123),
        pima_diabetes=Grid("pima_diabetes.csv.xz"),
        sms_spam_penalties=Grid("sms_spam.tsv.xz", ("l2", "l1"), (1, 2)),
    ),
)
