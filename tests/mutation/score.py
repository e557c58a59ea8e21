"""Mutation score: which small changes of the sources no test notices.

In the folder of the repository, `python tests/mutation/score.py python --sample 600` changes `src/rosenblatt/prove`,
and `... core` changes `core/loop`. No file is touched: a mutant lives in the memory of one process.
Outcomes are added to build/mutation/*.jsonl as they come, so that a campaign that was interrupted continues;
`--again` tries survivors once more, except those for which reasons.csv has a reason.
"""

import argparse
import json
import os
import random
from collections import Counter
from importlib import import_module
from pathlib import Path

import core_campaign
import python_campaign
from forks import run_tasks
from mutant import Mutant, sample
from repository import BUILD, ROOT
from session import Session, with_collected_tests
from survivors import GAP, KINDS, kind_of, known_reasons, reason_key, write_page

CAMPAIGNS = {"python": python_campaign, "core": core_campaign}


def preload() -> None:
    """Import what is slow to import and no part of rosenblatt, once for all mutants. No threads: this process forks."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    slow = ["coverage", "flint", "highspy", "pandas", "pyarrow.dataset", "scipy.optimize", "scipy.sparse"]
    for name in [*slow, "sklearn.datasets", "sklearn.svm", "typer.testing"]:
        import_module(name)


class Outcomes:
    """What became of each mutant, kept in a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.found = {entry["mutant"]: entry for entry in map(json.loads, lines)}

    def add(self, name: str, failed: list[str] | None) -> None:
        """Note which test failed; None if the run was ended because it crashed or took too long."""
        outcome = "ended" if failed is None else "killed" if failed else "survived"
        entry = {"mutant": name, "outcome": outcome, "by": failed[0] if failed else ""}
        self.found[name] = entry
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        print(f"{len(self.found):>6}  {outcome:<9} {name[:160]}", flush=True)

    def survived(self, mutant: Mutant) -> bool:
        return mutant.key in self.found and self.found[mutant.key]["outcome"] == "survived"


def run(name: str, drawn: list[Mutant], outcomes: Outcomes, options: argparse.Namespace) -> None:
    campaign = CAMPAIGNS[name]
    preload()
    campaign.prepare(options.jobs)
    reasons = known_reasons() if options.again else {}
    again = [m for m in drawn if options.again and outcomes.survived(m) and reason_key(m) not in reasons]
    left = [m for m in drawn if m.key not in outcomes.found] + again
    random.Random(options.seed).shuffle(left)  # so that an interrupted campaign has seen every file
    tests = [path for path in campaign.TESTS if path.startswith(tuple(options.only)) and (ROOT / path).exists()]

    def try_all(session: Session) -> None:
        reach = campaign.recorded(session, tests, options.jobs)
        print(f"{len(drawn)} mutants, {len(left)} to try", flush=True)
        run_tasks(campaign.tasks(session, reach, left, options.longest), options.jobs, outcomes.add)

    with_collected_tests([path for path in tests if not path.endswith(".cpp")], try_all)


def report(name: str, drawn: list[Mutant], outcomes: Outcomes) -> list[Mutant]:
    """Print what became of the mutants of each folder or file. Returns the survivors."""
    tried, kinds, reasons, survivors = Counter(), {kind: Counter() for kind in KINDS}, known_reasons(), []
    for mutant in drawn:
        if mutant.key in outcomes.found:
            part = str(Path(mutant.file).parent if name == "python" else mutant.file)
            tried.update((part, "all"))
            if outcomes.survived(mutant):
                survivors.append(mutant)
                kinds[kind_of(reasons.get(reason_key(mutant), GAP))].update((part, "all"))
    print(
        f"{'':<36}{'mutants':>8}{'killed':>8}{'score':>8}{'without equivalent':>20}", *(f"{kind:>12}" for kind in KINDS)
    )
    for part in sorted(tried, key=lambda part: (part == "all", part)):
        counts = [kinds[kind][part] for kind in KINDS]
        killed, others = tried[part] - sum(counts), tried[part] - counts[0]
        scores = f"{killed / tried[part]:>8.1%}{killed / max(others, 1):>20.1%}"
        print(f"{part:<36}{tried[part]:>8}{killed:>8}{scores}", *(f"{count:>12}" for count in counts))
    return survivors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--sample", type=int, help="how many mutants to draw; all if not given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--longest", type=float, default=60, help="seconds of tests for one mutant; slower ones are left out"
    )
    parser.add_argument("--again", action="store_true", help="try survivors without a known reason once more")
    parser.add_argument(
        "--only", nargs="*", default=[""], help="files of tests to run, such as new ones; all if not given"
    )
    parser.add_argument("--write", action="store_true", help="write them to docs/mutation_survivors.md")
    parser.add_argument("--report", action="store_true", help="print what was found so far, and try no more")
    options = parser.parse_args()
    drawn, outcomes = draw(options.campaign, options.sample, options.seed)
    if not options.report:
        run(options.campaign, drawn, outcomes, options)
    survivors = report(options.campaign, drawn, outcomes)
    for mutant in survivors:
        if reason_key(mutant) not in known_reasons():
            print("survived:", mutant.key)
    if options.write:
        write_page(survivors, str(CAMPAIGNS[options.campaign].FOLDER.relative_to(ROOT)))


def draw(name: str, size: int | None, seed: int) -> tuple[list[Mutant], Outcomes]:
    return sample(CAMPAIGNS[name].all_mutants(), size, seed), Outcomes(BUILD / f"{name}.jsonl")


if __name__ == "__main__":
    main()
