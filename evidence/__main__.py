"""Check every dataset of the folder and name those that are missing. The exit code is 1 if a claim does not hold."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .bayes_rule import check_bayes_rule
from .checks import Finding, check
from .claims import Claim, read_claims
from .datasets import read, read_pixels
from .kernel import FILE, check_kernel
from .mistakes import check_mistakes
from .online import check_online
from .optimum import check_optimum
from .separating_degree import check_separating_degree
from .train_command import check_train_command

LINE = "{:26} {:>16}  {:24} {:20} {:>7}  {:3}  {}"


def main() -> int:
    named = os.environ.get("ROSENBLATT_DATA", "")
    if not named:
        print("Nothing checked: set ROSENBLATT_DATA to a folder of datasets with a README.md that describes them.")
        return 0
    folder = Path(named)
    if not (folder / "README.md").is_file():
        print(f"Nothing checked: {folder} has no README.md that describes its datasets.")
        return 0
    claims = read_claims(folder / "README.md")
    print(LINE.format("file", "rows x columns", "learner", "claim", "seconds", "ok", "result"))
    failed = sum(check_file(folder, claim) for claim in claims)
    absent = sum(not (folder / claim.file).is_file() for claim in claims)
    checked = len(claims) - absent
    print(f"{checked} of {len(claims)} datasets checked, {absent} skipped, {failed} checks failed.")
    return 1 if failed else 0


def check_file(folder: Path, claim: Claim) -> int:
    """Run and print all checks of a file, and return the number that failed."""
    if not (folder / claim.file).is_file():
        print(f"{claim.file:26} skipped: it is not in the folder")
        return 0
    X, y = read(folder / claim.file)
    failed = print_rows(claim.file, X, check_optimum(claim.file, X, y))
    if claim.file == FILE:
        failed += print_rows(claim.file, X, check_kernel(FILE, *read_pixels(folder / FILE)))
    failed += print_rows(claim.file, X, check_bayes_rule(folder / claim.file))
    failed += print_rows(claim.file, X, check_mistakes(claim.file, X, y))
    failed += print_rows(claim.file, X, check_separating_degree(claim.file, X, y))
    failed += print_rows(claim.file, X, check_train_command(folder / claim.file))
    failed += print_rows(claim.file, X, check_online(folder / claim.file))
    if claim.pair is not None:
        chosen = np.isin(y, claim.pair)
        X, y = X[chosen], y[chosen]
    return failed + print_rows(claim.file, X, check(claim, X, y))


def print_rows(file: str, X: Any, findings: Iterable[Finding]) -> int:
    """Print findings as they come, and return the number that failed."""
    failed, size = 0, f"{X.shape[0]} x {X.shape[1]}"
    for f in findings:
        ok = "yes" if f.holds else "NO"
        print(LINE.format(file, size, f.learner, f.claim, f"{f.seconds:.2f}", ok, f.result), flush=True)
        failed += not f.holds
    return failed


if __name__ == "__main__":
    sys.exit(main())
