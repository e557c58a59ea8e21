"""The survivors of both campaigns as a page of docs/, each with the reason that no test kills it."""

import csv
from collections.abc import Iterable

from mutant import Mutant
from repository import ROOT

REASONS, PAGE = ROOT / "tests/mutation/reasons.csv", ROOT / "docs/mutation_survivors.md"
GAP = "no test yet"
KINDS = ("equivalent", "proposal", GAP)
HEADING = """# Survivors of mutation

Changes of the sources that no test notices, with the reason. [reliability.md](reliability.md) says how they were found.
`python tests/mutation/score.py python --report --write` writes this page from the outcomes of both
campaigns and from `tests/mutation/reasons.csv`.
"""

Key = tuple[str, str, str]


def known_reasons() -> dict[Key, str]:
    """Reasons by file, line of code and change."""
    if not REASONS.exists():
        return {}
    with REASONS.open(newline="") as file:
        return {(file, code, change): reason for file, code, change, reason in csv.reader(file)}


def reason_key(mutant: Mutant) -> Key:
    code = (ROOT / mutant.file).read_text().splitlines()[mutant.line - 1]
    return mutant.file, code.strip(), mutant.change


def kind_of(reason: str) -> str:
    """ "equivalent", "proposal" or "no test yet"."""
    return reason.partition(":")[0]


def write_page(survivors: Iterable[Mutant]) -> None:
    reasons, lines, file = known_reasons(), [HEADING], ""
    for mutant in sorted(survivors):
        if mutant.file != file:
            file = mutant.file
            lines.append(f"\n## {file}\n\n")
        change = f"`{shortened(mutant.before)}` to `{shortened(mutant.after)}`"
        lines.append(f"- line {mutant.line}, {change}: {reasons.get(reason_key(mutant), GAP)}\n")
    PAGE.write_text("".join(lines))


def shortened(code: str) -> str:
    return code if len(code) <= 70 else f"{code[:66]} .."
