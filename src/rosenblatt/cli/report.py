"""What a training run came to, for people and for programs."""

import json
import math
import shlex
from dataclasses import asdict, dataclass
from typing import Any

from ..stops import count

SHOWN_CLASSES = 5
SURE = 1.959963984540054  # standard deviations on either side that hold 95 % of a normal distribution


@dataclass(frozen=True)
class Report:
    """The result of `rosenblatt train`. `mistakes` are those of the saved model on the rows it was trained on."""

    file: str
    target: str
    rows: int
    columns: int
    classes: list[Any]
    class_counts: list[int]
    algorithm: str
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
    seconds: float
    model: str
    fewest_mistakes: tuple[int, int] | None = None  # bounds of what any plane makes on the rows it was trained on

    @property
    def test_accuracy(self) -> float | None:
        return self.test_right / self.test_rows if self.test_rows else None

    def as_json(self) -> str:
        known = asdict(self)
        known["test_accuracy"] = self.test_accuracy
        known["test_interval"] = wilson(self.test_right, self.test_rows) if self.test_rows else None
        return json.dumps(known)

    def as_text(self) -> str:
        size = f"{count(self.rows, 'row')}, {count(self.columns, 'column')}"
        scaling = "columns centred and scaled" if self.scaled else "columns as they are"
        right = percent(self.train_rows - self.mistakes, self.train_rows)
        lines = (
            ("table", f"{self.file}: {size}"),
            ("target", f"{self.target}: {self._counted_classes()}"),
            ("algorithm", f"{self.algorithm} ({scaling}, seed {self.seed})"),
            ("stopped", self.status),
            ("training", f"{count(self.mistakes, 'mistake')} in {count(self.train_rows, 'row')} ({right} right)"),
            *((("possible", self._possible()),) if self.fewest_mistakes else ()),
            *(("held out" if not place else "", line) for place, line in enumerate(self._held_out())),
            ("time", f"{self.seconds:.1f} s" if self.seconds >= 1 else f"{1000 * self.seconds:.0f} ms"),
            ("model", self.model),
        )
        return "\n".join(f"{name:<11}{text}" for name, text in lines)

    def hints(self) -> list[str]:
        """What to do next."""
        hints = []
        cut_short = self.reason in ("max_iter", "max_seconds")
        if self.mistakes and cut_short and self.algorithm != "perceptron":
            hints.append("training was cut short; raise --max-iter or --max-seconds to let it go on")
        elif self.mistakes and self.algorithm != "pocket":
            hints.append(
                "where classes overlap (rosenblatt check tells) no plane is right everywhere; --algorithm pocket keeps "
                "the best it meets"
            )
        hints.append(f"rosenblatt predict {shlex.quote(self.model)} {shlex.quote(self.file)}")
        return hints

    def _counted_classes(self) -> str:
        pairs = sorted(zip(self.class_counts, self.classes, strict=True), key=lambda pair: -pair[0])
        shown = ", ".join(f"{label} ({number:,})" for number, label in pairs[:SHOWN_CLASSES])
        more = len(pairs) - SHOWN_CLASSES
        return shown if more <= 0 else f"{shown} and {more} more"

    def _possible(self) -> str:
        least, most = self.fewest_mistakes or (0, 0)
        if least == most:
            return f"{count(least, 'mistake')}: no plane makes fewer (proved)"
        return f"no plane makes fewer than {count(least, 'mistake')} (proved); one makes {most:,}"

    def _held_out(self) -> tuple[str, ...]:
        if not self.test_rows:
            return ("no rows, so nothing is known about new ones",)
        low, high = (f"{100 * share:.1f}" for share in wilson(self.test_right, self.test_rows))
        right = f"{percent(self.test_right, self.test_rows)} of {count(self.test_rows, 'row')} right"
        majority = percent(self.test_majority, self.test_rows)
        return (
            f"{right} (95 % interval: {low} to {high} %)",
            f"always giving the most frequent class would be right in {majority}",
        )


def percent(part: int, whole: int) -> str:
    """
    >>> percent(1, 3)
    '33.3 %'
    """
    return f"{100 * part / whole:.1f} %"


def wilson(right: int, rows: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share: sensible for few rows, and for shares near 0 and 1.

    >>> low, high = wilson(9, 10)
    >>> print(f"{low:.3f} {high:.3f}")
    0.596 0.982
    """
    share, spread = right / rows, SURE**2 / rows
    centre = share + spread / 2
    reach = math.sqrt(share * (1 - share) * spread + spread**2 / 4)
    return max(0.0, (centre - reach) / (1 + spread)), min(1.0, (centre + reach) / (1 + spread))
