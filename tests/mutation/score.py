"""Mutation score: which small changes of the sources no test notices.

In the folder of the repository, `python tests/mutation/score.py python --sample 600` changes `src/rosenblatt/prove`,
and `... core` changes `core/loop`. No file is touched: a mutant lives in the memory of one process.
Outcomes are added to build/mutation/*.jsonl as they come, so that a campaign that was interrupted continues;
`--again` tries the survivors once more. `... report` prints scores and survivors.
"""

import argparse
import json
import os
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

import core_campaign
import python_campaign
from forks import run_tasks
from mutant import Mutant, sample
from reach import BUILD

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
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def survived(self, mutant: Mutant) -> bool:
        return self.found[mutant.key]["outcome"] == "survived"


def run(name: str, size: int | None, seed: int, jobs: int, again: bool) -> None:
    campaign = CAMPAIGNS[name]
    preload()
    reach = campaign.prepare(jobs)
    BUILD.mkdir(parents=True, exist_ok=True)
    outcomes = Outcomes(BUILD / f"{name}.jsonl")
    drawn = sample(campaign.all_mutants(), size, seed)
    left = [m for m in drawn if m.key not in outcomes.found or (again and outcomes.survived(m))]
    print(f"{len(drawn)} mutants, {len(left)} to try", flush=True)
    start = time.monotonic()

    def done(name: str, failed: object) -> None:
        outcomes.add(name, failed)
        if outcomes.found[name]["outcome"] == "survived":
            print(f"{time.monotonic() - start:6.0f} s  survived: {name}", flush=True)

    run_tasks(campaign.tasks(left, reach), jobs, done)
    report(name, drawn, outcomes)


def report(name: str, drawn: list[Mutant], outcomes: Outcomes) -> None:
    """Print a row for each folder or file."""
    tried, survivors = Counter(), Counter()
    for mutant in drawn:
        if mutant.key in outcomes.found:
            part = str(Path(mutant.file).parent if name == "python" else mutant.file)
            tried[part] += 1
            survivors[part] += outcomes.survived(mutant)
    for part in [*tried, "all"]:
        all_of, alive = (tried.total(), survivors.total()) if part == "all" else (tried[part], survivors[part])
        print(f"{part:<44}{all_of:>6} mutants {alive:>5} survived {1 - alive / max(all_of, 1):>8.1%} killed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--sample", type=int, help="how many mutants to draw; all if not given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    options = parser.parse_args()
    run(options.campaign, options.sample, options.seed, options.jobs, options.again)


if __name__ == "__main__":
    main()
