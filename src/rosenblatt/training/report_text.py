"""The report of training as text for people."""

from collections.abc import Mapping
from math import floor
from typing import Any

from ..classifiers.calibration.probability_quality import describe_errors
from ..foundation.memory import format_size
from ..foundation.notebook_html import ShownInNotebooks, share_picture
from ..foundation.phrases import count, first_names, percent
from ..risk.intervals import wilson
from .report import Report
from .tuning_text import tuning_lines

MAX_SHOWN_CLASSES, MAX_SHOWN_COLUMNS = 5, 6
CALIBRATIONS = {"platt": "Platt's scaling", "isotonic": "isotonic regression"}


class ReportContent(ShownInNotebooks, dict[str, Any]):
    """A report as plain content, `report_` of a model. It prints as the command line tells it.

    >>> ReportContent({"rows": 4}, "table      rows.csv: 4 rows", 0.75)
    {'rows': 4}
    """

    def __init__(self, content: Mapping[str, Any], text: str, right: float | None) -> None:
        super().__init__(content)
        self.text, self.right = text, right

    def __str__(self) -> str:
        return self.text

    def _picture(self) -> str:
        return "" if self.right is None else share_picture(self.right, "The share of rows that are classified right")


def report_content(report: Report) -> ReportContent:
    """A report as plain content, with the share of rows right: held out, or of a stream those predicted before."""
    seen, right = (
        (report.progressive_rows, report.progressive_right)
        if report.streamed
        else (report.test_rows, report.test_right)
    )
    return ReportContent(report.as_dict(), report_text(report), right / seen if seen else None)


def report_text(report: Report) -> str:
    """The lines of a report, each with a title."""
    size = f"{count(report.rows, 'row')}, {count(report.columns, 'column')}"
    lines = (
        ("table", f"{report.file}: {size}"),
        ("target", f"{report.target}: {_counted_classes(report)}"),
        *under_title("columns", _columns(report)),
        ("algorithm", f"{report.algorithm} ({', '.join(_how(report))})"),
        *under_title("tuning", tuning_lines(report.tuning, report.algorithm)),
        *under_title("stopped", _stopped(report)),
        *_measured(report),
        *under_title("log-loss", _probabilities(report)),
        *under_title("bound", _bound(report)),
        *under_title("workers", _traffic(report)),
        ("time", f"{report.seconds:.1f} s" if report.seconds >= 1 else f"{1000 * report.seconds:.0f} ms"),
        *([] if report.model is None else [("model", report.model)]),
    )
    return "\n".join(f"{name:<11}{text}" for name, text in lines)


def _measured(report: Report) -> list[tuple[str, str]]:
    if report.streamed:
        return under_title("progress", _progressive(report))
    right = percent(report.train_rows - report.mistakes, report.train_rows)
    return [
        ("training", f"{count(report.mistakes, 'mistake')} in {count(report.train_rows, 'row')} ({right} right)"),
        *((("possible", _possible(report)),) if report.fewest_mistakes else ()),
        *under_title("held out", _held_out(report)),
    ]


def _probabilities(report: Report) -> list[str]:
    """How good the probabilities are, and how scores become probabilities."""
    if report.log_loss is None:
        return []
    error = describe_errors(report.calibration_error, report.classwise_calibration_error)
    where = "recent rows, each scored before it was learned" if report.streamed else "rows not trained on"
    lines = [f"{report.log_loss:.4g} on {where} ({error})"]
    if report.calibration is None:
        return lines
    rows = count(report.calibration_rows, "row")
    return [*lines, f"probabilities by {CALIBRATIONS[report.calibration]}, fitted to the scores of {rows}"]


def _progressive(report: Report) -> list[str]:
    if not report.progressive_rows:
        return ["no rows came after those that were learned first"]
    right = percent(report.progressive_right, report.progressive_rows)
    recent = percent(report.recent_right, report.recent_rows)
    before = "it was learned" if report.predict_batch == 1 else f"its batch of {report.predict_batch:,} was learned"
    return [
        f"{right} of {count(report.progressive_rows, 'row')} right, each predicted before {before}",
        f"{recent} of the last {count(report.recent_rows, 'row')}",
    ]


def _possible(report: Report) -> str:
    least, most = report.fewest_mistakes or (0, 0)
    if least == most:
        return f"{count(least, 'mistake')}: no plane makes fewer (proved)"
    return f"no plane makes fewer than {count(least, 'mistake')} (proved); one makes {most:,}"


def _bound(report: Report) -> list[str]:
    """The bound, and what it is: newcomers take it for a second estimate of the accuracy."""
    if report.vc_bound is None:
        return []
    wrong = report.vc_bound
    of = f"Vapnik-Chervonenkis, {count(report.encoded_columns + 1, 'weight')} from {count(report.train_rows, 'row')}"
    if wrong >= 1:
        return [f"says nothing about so few rows ({of})"]
    instead = "; the held-out rows above estimate it better" if report.test_accuracy is not None else ""
    cautious = "a guarantee for rows of every distribution, and so a cautious one"
    if 1 - wrong < max(report.class_counts) / sum(report.class_counts):
        cautious = "less than always giving the most frequent class"
    return [
        f"{floor(1000 * (1 - wrong)) / 10:.1f} % or more of new rows right, 95 % sure ({of})",
        f"{cautious}{instead}",
    ]


def _traffic(report: Report) -> list[str]:
    """What was sent to workers and returned by them, in the mean of the tasks of each kind of pass."""
    lines = []
    for kind, found in report.traffic.items():
        tasks = max(found["tasks"], 1)
        sent, returned = (format_size(found[way] / tasks) for way in ("sent", "returned"))
        passes, each = found["passes"], count(found["tasks"] // found["passes"], "task")
        times = "once" if passes == 1 else f"{passes:,} times"
        lines.append(f"{kind} ({times} {each}): {sent} sent to a task, {returned} returned")
    return lines


def _columns(report: Report) -> list[str]:
    """The columns of each kind, and the columns left out with the reason."""
    by_kind: dict[str, list[str]] = {}
    for name, kind in report.kinds.items():
        by_kind.setdefault(kind, []).append(name)
    lines = [f"{kind}: {first_names(names, MAX_SHOWN_COLUMNS)}" for kind, names in by_kind.items()]
    by_why: dict[str, list[str]] = {}
    for name, why in report.left_out.items():
        by_why.setdefault(why, []).append(name)
    return lines + [f"left out, {why}: {first_names(names, MAX_SHOWN_COLUMNS)}" for why, names in by_why.items()]


def _stopped(report: Report) -> list[str]:
    early = "before the optimum, because the table is large; --set tol=1e-6 goes on to it"
    return [report.status, *([early] if report.stopped_early else [])]


def _how(report: Report) -> list[str]:
    lift = [] if report.features == "identity" else [report.features]
    softmax = " (softmax)" if report.algorithm == "logistic" else ""
    classes = {"ovr": ["one-vs-rest"], "joint": [f"joint classes{softmax}"]}.get(report.multi_class or "", [])
    return [*classes, *lift, f"seed {report.seed}", *([] if report.scaled else ["numbers as they are"])]


def _counted_classes(report: Report) -> str:
    pairs = sorted(zip(report.class_counts, report.classes, strict=True), key=lambda pair: -pair[0])
    return first_names([f"{label} ({number:,})" for number, label in pairs], MAX_SHOWN_CLASSES)


def _held_out(report: Report) -> list[str]:
    if report.fold_accuracies:
        mean = report.test_accuracy or 0.0
        low, high = (f"{100 * share:.1f}" for share in (min(report.fold_accuracies), max(report.fold_accuracies)))
        return [f"{100 * mean:.1f} % right in the mean of {len(report.fold_accuracies)} folds ({low} to {high} %)"]
    if not report.test_rows:
        return ["no rows, so nothing is known about new ones"]
    low, high = (f"{100 * share:.1f}" for share in wilson(report.test_right, report.test_rows))
    right = f"{percent(report.test_right, report.test_rows)} of {count(report.test_rows, 'row')} right"
    majority = percent(report.test_majority, report.test_rows)
    return [
        f"{right} (95 % interval: {low} to {high} %)",
        f"always giving the most frequent class would be right in {majority}",
    ]


def under_title(title: str, lines: list[str]) -> list[tuple[str, str]]:
    """Lines with a title before the first."""
    return [(title if not place else "", line) for place, line in enumerate(lines)]
