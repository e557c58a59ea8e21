"""The survivors of a campaign in a page of docs/, each with the reason that no test kills it."""

import csv
from collections import defaultdict
from collections.abc import Iterable

from mutant import Mutant
from repository import ROOT

REASONS, PAGE = ROOT / "tests/mutation/reasons.csv", ROOT / "docs/mutation_survivors.md"
GAP = "no test yet"
KINDS = ("equivalent", "proposal", GAP)
HEADING = """# Survivors of mutation

Changes of the sources that no test notices, with the reason. [reliability.md](reliability.md) says how they were found.
`python tests/mutation/score.py python --report --write` writes the sections of `prove/` from the outcomes in
`build/mutation` and from `tests/mutation/reasons.csv`, and `... core --report --write` those of `core/loop`. These are
the outcomes of `python --sample 150`, seeds 5 and 6, and of `core --sample 250 --seed 7` with the C++ programs alone.
Survivors of earlier samples have their reasons in `reasons.csv`.
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


def write_page(survivors: Iterable[Mutant], folder: str) -> None:
    """Write the sections of the files of a folder. Those of other folders stay as they are."""
    reasons, sections = known_reasons(), defaultdict[str, str](str)
    for section in PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else ():
        file, _, lines = section.partition("\n\n")
        if not file.startswith(folder):
            sections[file] = lines.rstrip("\n") + "\n"
    for mutant in sorted(survivors):
        change = f"`{shortened(mutant.before)}` to `{shortened(mutant.after)}`"
        sections[mutant.file] += f"- line {mutant.line}, {change}: {reasons.get(reason_key(mutant), GAP)}\n"
    PAGE.write_text(HEADING + "".join(f"\n## {file}\n\n{lines}" for file, lines in sorted(sections.items())))


def shortened(code: str) -> str:
    return code if len(code) <= 70 else f"{code[:66]} .."
