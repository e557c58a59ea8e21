"""Whether a hyperplane separates two classes of rows that workers hold, with the ordinary certificate.

The driver keeps a working set of rows and splits it exactly, as on one machine. Then one pass asks all blocks for the
rows that contradict: those on the wrong side, and those on the hyperplane that the clash of the working set does not
prove to be in T. The worst of them join, and it begins again. Where no row contradicts, the hyperplane and the clash
prove the verdict for all rows: the pass was its exact check.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..foundation.types import Codes, Floats, Places
from ..prove.certificates.certificate import kind_of_split, make_certificate
from ..prove.exact.linear_algebra import independent_rows
from ..prove.exact.problem import ExactProblem
from ..prove.exact.two_classes import TwoClassLabels
from ..prove.separability.separability import Separability
from ..prove.separability.tucker_split import TuckerSplit, split_rows
from ..prove.time_limit import Clock
from .block_problem import BlockRecipe, largest_values
from .block_survey import BlockFacts, survey_facts
from .chosen_rows import ChosenRows, fetch_rows, stack_rows
from .cluster import Cluster
from .pair_rows import (
    Candidate,
    PairOfClasses,
    Signs,
    WrongRows,
    find_wrong_rows,
    take_ranked_rows,
)

MAX_NUMBERS_AT_ONCE = 1 << 22  # stored in the rows that join the working set after one pass


@dataclass
class SurveyedRows:
    """The rows of all blocks, after a first look at them."""

    cluster: Cluster
    facts: Sequence[BlockFacts]
    largest: Floats

    @classmethod
    def of(cls, cluster: Cluster, classes: int) -> "SurveyedRows":
        facts = survey_facts(cluster, classes)
        largest: Floats = cluster.reduce(largest_values, np.maximum, BlockRecipe(classes))
        return cls(cluster, facts, largest)

    @cached_property
    def starts(self) -> Places:
        """The number of the first row of each block, and the number of all rows."""
        return np.append(0, np.cumsum([facts.rows for facts in self.facts]))

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    @property
    def columns(self) -> int:
        return self.facts[0].columns

    def class_rows(self, signs: Signs, sign: int) -> Places:
        """How many rows of each block belong to the classes of this sign."""
        return np.array([int(facts.class_rows[signs == sign].sum()) for facts in self.facts], dtype=np.intp)

    def rows_at_once(self, size: int) -> int:
        """How many rows may join the working set after one pass."""
        stored = sum(facts.stored_values for facts in self.facts) // max(self.count, 1) + 1
        return int(min(2 * size + 30, max(50, MAX_NUMBERS_AT_ONCE // stored)))


@dataclass
class WorkingSet:
    """Rows that the driver holds, with their numbers among all rows."""

    numbers: list[int] = field(default_factory=list)
    parts: list[Any] = field(default_factory=list)  # their numbers of X
    codes: list[Codes] = field(default_factory=list)

    def add(self, start: int, chosen: ChosenRows) -> None:
        """Add rows of a block that begins at this row."""
        self.numbers += (start + chosen.numbers).tolist()
        self.parts.append(chosen.rows.X)
        self.codes.append(chosen.rows.codes)

    def problem(self, pair: PairOfClasses, classes: list[Any]) -> ExactProblem:
        labels = pair.signs[np.concatenate(self.codes)].astype(np.float64)
        selected = TwoClassLabels(classes, np.arange(len(labels)), labels)
        return ExactProblem(stack_rows(self.parts), selected, pair.fit_intercept, largest=pair.largest)


@dataclass
class PairDecision:
    """The search for the verdict on two classes."""

    rows: SurveyedRows
    pair: PairOfClasses
    classes: list[Any]
    clock: Clock
    working: WorkingSet = field(default_factory=WorkingSet)

    def decide(self) -> dict[str, Any]:
        """The certificate."""
        self._take_first_rows()
        while True:
            problem = self.working.problem(self.pair, self.classes)
            split = split_rows(problem, self.clock)
            if split.w is None or self.clock.seconds_left() == 0:
                split.w = None
                return self._certificate(problem, split, None)
            found = self._contradicting_rows(problem, split)
            if not len(found.numbers):
                return self._certificate(problem, split, found)
            self._take(found.numbers)

    @property
    def size(self) -> int:
        return self.rows.columns + self.pair.fit_intercept

    def _contradicting_rows(self, problem: ExactProblem, split: TuckerSplit) -> WrongRows:
        clash, w = [problem.integer_row(row) for row in split.multipliers], split.w
        assert w is not None
        full = bool(clash) and len(independent_rows(clash)) == self.size
        most, cluster = self.rows.rows_at_once(self.size), self.rows.cluster
        return cluster.reduce(find_wrong_rows, WrongRows.__add__, self.pair, Candidate(w, clash, full), most)

    def _take_first_rows(self) -> None:
        """Evenly spaced rows of each class, as on one machine."""
        ranks: list[list[Places]] = []
        for sign in (-1, 1):
            ends = np.cumsum(self.rows.class_rows(self.pair.signs, sign))
            few = min(int(ends[-1]), 2 * self.size + 10, self.rows.rows_at_once(self.size))
            places = np.linspace(0, ends[-1] - 1, few).astype(np.intp)
            at = np.searchsorted(ends, places, side="right")
            ranks.append([places[at == k] - (ends[k - 1] if k else 0) for k in range(len(ends))])
        asked = {
            k: (self.pair.signs, negative, positive)
            for k, (negative, positive) in enumerate(zip(*ranks, strict=True))
            if len(negative) + len(positive)
        }
        self._add(self.rows.cluster.gather(take_ranked_rows, asked))

    def _take(self, numbers: Places) -> None:
        """Fetch rows by their numbers. Only the blocks that hold them are asked."""
        self._add(fetch_rows(self.rows.cluster, self.rows.starts, numbers))

    def _add(self, answers: dict[int, ChosenRows]) -> None:
        for place in sorted(answers):
            self.working.add(int(self.rows.starts[place]), answers[place])

    def _certificate(self, problem: ExactProblem, split: TuckerSplit, found: WrongRows | None) -> dict[str, Any]:
        """The certificate of the working set, about all rows."""
        certificate = make_certificate(problem, split, fingerprint=False)
        rows = int(sum(self.rows.class_rows(self.pair.signs, sign).sum() for sign in (-1, 1)))
        kind = "undecided" if found is None else kind_of_split(found.on_plane, rows)
        clash = {**certificate["clash"], "rows": [self.working.numbers[row] for row in certificate["clash"]["rows"]]}
        return {**certificate, "kind": kind, "rows": rows, "total_rows": self.rows.count, "clash": clash}


@dataclass(frozen=True)
class ClassPair:
    """The negative and the positive class as the certificate names them, and the sign of each class by its number."""

    classes: list[Any]
    signs: Signs


def decide_blocks(
    cluster: Cluster, classes: int, pairs: Sequence[ClassPair], fit_intercept: bool = True, clock: Clock | None = None
) -> Iterator[Separability]:
    """Decide pairs of the classes of all blocks, which are numbered 0 .. classes-1.

    Each certificate is the same for every executor and every number of its workers.
    """
    rows, clock = SurveyedRows.of(cluster, classes), clock or Clock(None)
    for pair in pairs:
        decision = PairDecision(rows, PairOfClasses(pair.signs, fit_intercept, rows.largest), pair.classes, clock)
        yield Separability(sorted_clash(decision.decide()))


def sorted_clash(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with the rows of its clash in order, as on one machine."""
    clash = certificate["clash"]
    pairs = sorted(zip(clash["rows"], clash["multipliers"], strict=True))
    return {**certificate, "clash": {"rows": [row for row, _ in pairs], "multipliers": [number for _, number in pairs]}}
