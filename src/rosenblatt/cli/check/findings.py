"""The result of `rosenblatt check`, as text and as JSON."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import floor, isfinite
from typing import Any, NamedTuple

from ...foundation.phrases import count
from ...foundation.rounding import text_above, text_below
from ...tables.read.compressed import STDIN

MAX_SHOWN_CLASSES = 5
ADVICE = {
    "complete": "every perceptron converges here; logistic regression needs a penalty",
    "quasi": "logistic regression without a penalty has no finite solution: add a penalty, or drop such columns",
    "overlap": "no hyperplane classifies every row correctly: train with --algorithm logistic, averaged or pocket",
    "undecided": "allow more time with --max-seconds",
}


class Margin(NamedTuple):
    """The widest margin with its upper bound, and the mistake bound (radius / bound_margin)^2 of a perceptron.

    `margin` is geometric: ||w|| = 1. `radius` and `bound_margin` are measured in the space that the perceptron works
    in, with the constant coordinate of the offset: ||(w, b)|| = 1.
    """

    margin: float
    upper: float
    radius: float
    bound: float
    bound_margin: float


@dataclass(frozen=True)
class PairFinding:
    """The verdict on two classes. A negative class of None stands for all classes but the positive one."""

    negative: Any
    positive: Any
    verdict: str
    explanation: str
    margin: Margin | None

    @property
    def title(self) -> str:
        return f"{self.positive} against {'the rest' if self.negative is None else self.negative}"


@dataclass(frozen=True)
class Findings:
    """The result of `rosenblatt check`."""

    file: str
    target: str
    rows: int
    columns: int
    classes: list[Any]
    class_counts: list[int]
    answers: list[PairFinding]
    seconds: float
    certificate: str | None

    @property
    def undecided(self) -> bool:
        return any(answer.verdict == "undecided" for answer in self.answers)

    def as_json(self) -> str:
        known = asdict(self)
        for answer in known["answers"]:
            answer.update(answer.pop("margin")._asdict() if answer["margin"] else {"margin": None})
            answer["advice"] = ADVICE[answer["verdict"]]
        return json.dumps(known)

    def as_text(self) -> str:
        pairs = sorted(zip(self.class_counts, self.classes, strict=True), key=lambda pair: -pair[0])
        shown = ", ".join(f"{label} ({number:,})" for number, label in pairs[:MAX_SHOWN_CLASSES])
        more = "" if len(pairs) <= MAX_SHOWN_CLASSES else f" and {len(pairs) - MAX_SHOWN_CLASSES} more"
        lines = [
            ("table", f"{self.file}: {count(self.rows, 'row')}, {count(self.columns, 'column')}"),
            ("target", f"{self.target}: {shown}{more}"),
        ]
        for answer in self.answers:
            lines += _lines(answer, alone=len(self.answers) == 1)
        how = "time ran out after" if self.undecided else "in exact arithmetic, in"
        lines.append(("proved" if not self.undecided else "", f"{how} {1000 * self.seconds:,.0f} ms"))
        if self.certificate is not None:
            lines.append(("certificate", self.certificate))
        return "\n".join(f"{name:<13}{text}" for name, text in lines)

    def hints(self, files: Sequence[str]) -> list[str]:
        """Return what to do next; `files` are those given to `rosenblatt check`."""
        verdicts = dict.fromkeys(answer.verdict for answer in self.answers)
        hints = [f"{verdict}: {ADVICE[verdict]}" for verdict in verdicts]
        if len(self.classes) == 2 and {"complete", "quasi"} & verdicts.keys() and STDIN not in files:
            hints.append(f"rosenblatt {shlex.join(['summary', *files, '--target', self.target, '--firth'])}")
        if self.certificate is not None and not self.undecided and STDIN not in files:
            hints.append(f"rosenblatt {shlex.join(['verify', self.certificate, *files])}")
        return hints


def _at_most(bound: float) -> str:
    """
    >>> _at_most(222.4), _at_most(float("inf"))
    ('at most 222', 'a finite number of')
    """
    return f"at most {floor(bound):,}" if isfinite(bound) else "a finite number of"


def _lines(answer: PairFinding, alone: bool) -> list[tuple[str, str]]:
    lines = [] if alone else [("classes", answer.title)]
    lines += [("verdict", answer.verdict), ("", answer.explanation)]
    if answer.margin is not None:
        margin = answer.margin
        least, most = text_below(margin.margin), text_above(margin.upper)
        radius, bound_margin = text_above(margin.radius), text_below(margin.bound_margin)
        lines.append(("margin", f"{least}, and no hyperplane has more than {most}"))
        how = f"(R / g)^2 with R = {radius} (the longest row) and g = {bound_margin} (the margin)"
        space = "both with the constant coordinate of the offset"
        lines.append(("bound", f"a perceptron makes {_at_most(margin.bound)} mistakes: {how}, {space}"))
    return lines
