"""Evaluate several models on the same rows, and compare each with the first."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from ...foundation.errors import InputError
from ...foundation.phrases import count, percent
from ...model.file import is_safetensors
from ...risk.paired_comparison import PairedComparison, compare_right
from ...training.evaluate import Evaluation
from ..options import GivenExecutor
from .measure import evaluate_table

SIGNIFICANCE = 0.05
MIN_P_VALUE = 1e-6  # smaller ones are not told apart


class Evaluations(NamedTuple):
    """The evaluation of each model, and the comparison of each later one with the first."""

    each: list[Evaluation]
    comparisons: list[PairedComparison]

    def as_json(self) -> str:
        if not self.comparisons:
            return self.each[0].measures.as_json()
        models = [asdict(one.measures) for one in self.each]
        return json.dumps({"models": models, "comparisons": [asdict(pair) for pair in self.comparisons]})

    def as_text(self) -> str:
        if not self.comparisons:
            return self.each[0].measures.as_text()
        first = self.each[0].measures
        lines = [f"table      {first.file}: {count(first.rows, 'row')}", *map(_accuracy_line, self.each)]
        for one, pair in zip(self.each[1:], self.comparisons, strict=True):
            lines += ["", *comparison_lines(first.model, one.measures.model, pair)]
        return "\n".join(lines)


def evaluate_models(
    model: Path, words: Sequence[str], target: str | None, costs: Sequence[str], executor: GivenExecutor = None
) -> Evaluations:
    """Evaluate the model, and the models among the first of the words, on the files that the other words name."""
    models, files = split_words(model, words)
    if len(models) > 1 and "-" in files:
        raise InputError("standard input can be read only once: save the rows to a file to compare models on them.")
    each = [evaluate_table(path, files, target, costs, executor) for path in models]
    right = [one.decided == one.truth for one in each]
    return Evaluations(each, [compare_right(right[0], other) for other in right[1:]])


def split_words(model: Path, words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return the models, known by their content, and the files with the rows."""
    models, files = [model], list(words)
    while files and Path(files[0]).is_file() and is_safetensors(files[0]):
        models.append(Path(files.pop(0)))
    if not files:
        raise InputError(f"{' and '.join(map(str, models))}: give a file with rows after the models.")
    return models, files


def comparison_lines(first: str, second: str, pair: PairedComparison) -> list[str]:
    """Return the comparison of two models as lines of a title and a text."""
    low, high = (f"{100 * end:+.1f}" for end in pair.interval)
    return [
        f"compared   {second} with {first}",
        f"difference {100 * pair.difference:+.1f} points of accuracy (95 % interval: {low} to {high})",
        f"only one   right in {count(pair.only_second_right, 'row')} with {second} only, in {pair.only_first_right:,} "
        f"with {first} only",
        f"McNemar    p {_p_value(pair.p_value)}: {verdict(pair)}",
    ]


def verdict(pair: PairedComparison) -> str:
    """Return what the p-value says, in words."""
    if pair.only_first_right == pair.only_second_right == 0:
        return "the models are right in the same rows"
    if pair.p_value < SIGNIFICANCE:
        return "chance alone does not explain the difference (5 % level)"
    return "chance alone may explain the difference"


def _p_value(value: float) -> str:
    return f"= {value:.2g}" if value >= MIN_P_VALUE else f"< {MIN_P_VALUE:g}"


def _accuracy_line(one: Evaluation) -> str:
    found = one.measures
    low, high = (f"{100 * end:.1f}" for end in found.interval)
    right = percent(round(found.accuracy * found.rows), found.rows)
    risk = f", risk {found.risk:.6g}" if found.has_costs else ""
    return f"model      {found.model}: {right} right (95 % interval: {low} to {high} %){risk}"
