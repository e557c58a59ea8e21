"""What learning from a table came to, for people and for programs."""

import json
import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..foundation.phrases import count, first_names, percent
from ..risk.intervals import wilson
from ..risk.vc import vc_confidence, vc_dimension
from ..tables.encode.columns import CategoryColumn, IndexedColumns
from ..tables.encode.split_column import says_train_or_test
from ..tables.read.batches import TEXT

if TYPE_CHECKING:
    from ..tables.encode.encoder import Encoder
    from .outcome import Outcome, Streamed

SHOWN_CLASSES, SHOWN_COLUMNS = 5, 6
ENDINGS = {  # of a stream
    "end": "the input ended",
    "interrupted": "interrupted",
    "terminated": "terminated",
    "max_seconds": "max_seconds reached",
    "error": "a row could not be used",
}
PENALISED = ("logistic", "svm")


@dataclass(frozen=True)
class Report:
    """The result of `rosenblatt train`. `mistakes` are those of the saved model on the rows it was trained on."""

    file: str
    target: str
    rows: int
    columns: int
    kinds: dict[str, str]
    left_out: dict[str, str]
    leaks: list[str]
    splits: list[str]
    encoded_columns: int
    classes: list[Any]
    class_counts: list[int]
    algorithm: str
    automatic: bool
    features: str
    scaled: bool
    seed: int
    status: str
    reason: str
    epochs: int
    train_rows: int
    mistakes: int
    test_rows: int
    test_right: int
    test_majority: int
    fold_accuracies: list[float]
    seconds: float
    model: str | None
    fewest_mistakes: tuple[int, int] | None = None  # bounds of what any plane makes on the rows it was trained on
    streamed: bool = False  # whether rows were let go when they were learned
    progressive_rows: int = 0  # of rows that kept coming: predicted before they were learned
    progressive_right: int = 0
    recent_rows: int = 0
    recent_right: int = 0

    @property
    def test_accuracy(self) -> float | None:
        """Of the rows held out; where rows were held out in turn, the mean of the folds."""
        if self.fold_accuracies:
            return sum(self.fold_accuracies) / len(self.fold_accuracies)
        return self.test_right / self.test_rows if self.test_rows else None

    @property
    def progressive_accuracy(self) -> float | None:
        """Of rows that came one after the other, each predicted before it was learned."""
        return self.progressive_right / self.progressive_rows if self.progressive_rows else None

    @property
    def recent_accuracy(self) -> float | None:
        """The same of the last rows."""
        return self.recent_right / self.recent_rows if self.recent_rows else None

    @property
    def vc_bound(self) -> float | None:
        """What the true risk is at most, 95 % sure, by Vapnik and Chervonenkis.

        None where they say nothing of planes: for more classes than two, fewer rows than weights, and words, which are
        chosen by looking at the rows.
        """
        weights = vc_dimension(max(1, self.encoded_columns))
        if self.streamed or len(self.classes) != 2 or self.train_rows < weights or TEXT in self.kinds.values():
            return None
        return self.mistakes / self.train_rows + vc_confidence(self.train_rows, weights)

    def as_dict(self) -> dict[str, Any]:
        known = asdict(self)
        known["vc_bound"] = self.vc_bound
        known["test_accuracy"] = self.test_accuracy
        known["progressive_accuracy"] = self.progressive_accuracy
        known["recent_accuracy"] = self.recent_accuracy
        known["test_interval"] = wilson(self.test_right, self.test_rows) if self.test_rows else None
        return known

    def as_json(self) -> str:
        return json.dumps(self.as_dict())

    def as_text(self) -> str:
        size = f"{count(self.rows, 'row')}, {count(self.columns, 'column')}"
        lines = (
            ("table", f"{self.file}: {size}"),
            ("target", f"{self.target}: {self._counted_classes()}"),
            *titled("columns", self._columns()),
            ("algorithm", f"{self.algorithm} ({', '.join(self._how())})"),
            ("stopped", self.status),
            *self._measured(),
            *((("bound", self._bound()),) if self.vc_bound is not None else ()),
            ("time", f"{self.seconds:.1f} s" if self.seconds >= 1 else f"{1000 * self.seconds:.0f} ms"),
            *([] if self.model is None else [("model", self.model)]),
        )
        return "\n".join(f"{name:<11}{text}" for name, text in lines)

    def hints(self) -> list[str]:
        """What to look at, and what to do next."""
        hints = []
        for name in self.leaks[:3]:
            hints.append(
                f"column {name!r} alone predicts {self.target!r} without a mistake: was it made from it? If so, "
                f"--drop {shlex.quote(name)}"
            )
        for name in self.splits:
            column = shlex.quote(name)
            hints.append(
                f"column {name!r} says train or test: give --split-column {column} to hold out by it, or --drop it"
            )
        if self.automatic or self.streamed:
            pass  # what was chosen for the table ends where it should
        elif self.mistakes and self.reason in ("max_iter", "max_seconds") and self.algorithm != "perceptron":
            hints.append("training was cut short; raise --max-iter or --max-seconds to let it go on")
        elif self.mistakes and self.algorithm not in ("pocket", *PENALISED):
            hints.append(
                "where classes overlap (rosenblatt check tells) no plane is right everywhere; --algorithm pocket keeps "
                "the best it meets"
            )
        if self.model is not None:
            hints.append(f"rosenblatt predict {shlex.quote(self.model)} {shlex.quote(self.file)}")
        return hints

    def _measured(self) -> list[tuple[str, str]]:
        if self.streamed:
            return titled("progress", self._progressive())
        right = percent(self.train_rows - self.mistakes, self.train_rows)
        return [
            ("training", f"{count(self.mistakes, 'mistake')} in {count(self.train_rows, 'row')} ({right} right)"),
            *((("possible", self._possible()),) if self.fewest_mistakes else ()),
            *titled("held out", self._held_out()),
        ]

    def _progressive(self) -> list[str]:
        if not self.progressive_rows:
            return ["no rows came after those that were learned first"]
        right = percent(self.progressive_right, self.progressive_rows)
        recent = percent(self.recent_right, self.recent_rows)
        return [
            f"{right} of {count(self.progressive_rows, 'row')} right, each predicted before it was learned",
            f"{recent} of the last {count(self.recent_rows, 'row')}",
        ]

    def _possible(self) -> str:
        least, most = self.fewest_mistakes or (0, 0)
        if least == most:
            return f"{count(least, 'mistake')}: no plane makes fewer (proved)"
        return f"no plane makes fewer than {count(least, 'mistake')} (proved); one makes {most:,}"

    def _bound(self) -> str:
        wrong = self.vc_bound or 0.0
        of = f"Vapnik-Chervonenkis, {count(self.encoded_columns + 1, 'weight')} from {count(self.train_rows, 'row')}"
        if wrong >= 1:
            return f"says nothing about so few rows ({of})"
        return f"{100 * (1 - wrong):.1f} % or more of new rows right, 95 % sure ({of})"

    def _columns(self) -> list[str]:
        """Kinds with the columns that are of them, and what was left out."""
        by_kind: dict[str, list[str]] = {}
        for name, kind in self.kinds.items():
            by_kind.setdefault(kind, []).append(name)
        lines = [f"{kind}: {first_names(names, SHOWN_COLUMNS)}" for kind, names in by_kind.items()]
        by_why: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            by_why.setdefault(why, []).append(name)
        return lines + [f"left out, {why}: {first_names(names, SHOWN_COLUMNS)}" for why, names in by_why.items()]

    def _how(self) -> list[str]:
        lift = [] if self.features == "identity" else [self.features]
        return [*lift, f"seed {self.seed}", *([] if self.scaled else ["numbers as they are"])]

    def _counted_classes(self) -> str:
        pairs = sorted(zip(self.class_counts, self.classes, strict=True), key=lambda pair: -pair[0])
        return first_names([f"{label} ({number:,})" for number, label in pairs], SHOWN_CLASSES)

    def _held_out(self) -> list[str]:
        if self.fold_accuracies:
            mean = self.test_accuracy or 0.0
            low, high = (f"{100 * share:.1f}" for share in (min(self.fold_accuracies), max(self.fold_accuracies)))
            return [f"{100 * mean:.1f} % right in the mean of {len(self.fold_accuracies)} folds ({low} to {high} %)"]
        if not self.test_rows:
            return ["no rows, so nothing is known about new ones"]
        low, high = (f"{100 * share:.1f}" for share in wilson(self.test_right, self.test_rows))
        right = f"{percent(self.test_right, self.test_rows)} of {count(self.test_rows, 'row')} right"
        majority = percent(self.test_majority, self.test_rows)
        return [
            f"{right} (95 % interval: {low} to {high} %)",
            f"always giving the most frequent class would be right in {majority}",
        ]


def report_of(outcome: "Outcome", model: str | None = None) -> Report:
    """The report of an outcome; `model` is where it was saved."""
    made, status = outcome.model, outcome.model.learned.status
    encoder = made.encoder
    assert encoder is not None
    return Report(
        file=outcome.path,
        target=made.about["target"],
        rows=sum(outcome.counts),
        columns=sum(part.met if isinstance(part, IndexedColumns) else 1 for part in encoder.column_encoders.values()),
        kinds=encoder.kinds,
        left_out=encoder.left_out,
        leaks=outcome.leaks,
        splits=_splits(encoder),
        encoded_columns=made.learned.coef.shape[1],
        classes=made.classes.tolist(),
        class_counts=outcome.counts,
        algorithm=outcome.learner.algorithm,
        automatic=outcome.automatic,
        features=str(made.parameters.get("features", "identity")),
        scaled=bool(made.about["scaled"]),
        seed=int(made.parameters["random_state"]),
        status=str(status),
        reason=status.reason,
        epochs=status.epochs,
        train_rows=status.rows,
        mistakes=status.mistakes,
        test_rows=outcome.held_out.rows,
        test_right=outcome.held_out.right,
        test_majority=outcome.majority,
        fold_accuracies=[share.right / share.rows for share in outcome.folds if share.rows],
        seconds=outcome.seconds,
        model=model,
        progressive_rows=0 if outcome.progressive is None else outcome.progressive.rows,
        progressive_right=0 if outcome.progressive is None else outcome.progressive.right,
    )


def report_of_stream(streamed: "Streamed", model: str | None = None) -> Report:
    """The report of a stream so far; `model` is where it was saved."""
    made, rows = streamed.model, sum(streamed.counts)
    encoder = made.encoder
    assert encoder is not None
    progressive, recent = streamed.progressive, streamed.recent
    return Report(
        file=streamed.path,
        target=made.about["target"],
        rows=rows,
        columns=sum(part.met if isinstance(part, IndexedColumns) else 1 for part in encoder.column_encoders.values()),
        kinds=encoder.kinds,
        left_out=encoder.left_out,
        leaks=[],
        splits=_splits(encoder),
        encoded_columns=encoder.columns,
        classes=made.classes.tolist(),
        class_counts=streamed.counts,
        algorithm=streamed.learner.algorithm,
        features="identity",
        automatic=streamed.automatic,
        scaled=bool(made.about["scaled"]),
        seed=int(made.parameters["random_state"]),
        status=f"{ENDINGS[streamed.ending]} after {count(rows, 'row')}",
        reason=streamed.ending,
        epochs=1,
        train_rows=rows,
        mistakes=progressive.rows - progressive.right,
        test_rows=0,
        test_right=0,
        test_majority=0,
        fold_accuracies=[],
        seconds=streamed.seconds,
        model=model,
        streamed=True,
        progressive_rows=progressive.rows,
        progressive_right=progressive.right,
        recent_rows=recent.rows,
        recent_right=recent.right,
    )


def _splits(encoder: "Encoder") -> list[str]:
    """Columns that say which rows are for training and which for tests."""
    return [
        name
        for name, part in encoder.column_encoders.items()
        if isinstance(part, CategoryColumn) and says_train_or_test(part.values)
    ]


def titled(title: str, lines: list[str]) -> list[tuple[str, str]]:
    """Lines under one title."""
    return [(title if not place else "", line) for place, line in enumerate(lines)]
