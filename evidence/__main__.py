"""Check every dataset that the folder has, and say what was skipped. Ends with 1 if a claim does not hold."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .bayes_rule import check_decisions
from .checks import Finding, check
from .claims import Claim, read_claims
from .datasets import read, read_pixels
from .kernel import FILE, check_kernels
from .mistakes import check_fewest
from .online import check_endless
from .optimum import check_optima
from .separating_degree import check_lifting
from .train_command import check_tables

LINE = "{:26} {:>16}  {:24} {:20} {:>7}  {:3}  {}"


def main() -> int:
    named = os.environ.get("ROSENBLATT_DATA", "")
    if not named:
        print(
            "Nothing checked: set ROSENBLATT_DATA to a folder of datasets whose README.md says what is known of them."
        )
        return 0
    folder = Path(named)
    if not (folder / "README.md").is_file():
        print(f"Nothing checked: {folder} has no README.md about its datasets.")
        return 0
    claims = read_claims(folder / "README.md")
    print(LINE.format("file", "rows x columns", "learner", "claimed", "seconds", "ok", "found"))
    failed = sum(report(folder, claim) for claim in claims)
    absent = sum(not (folder / claim.file).is_file() for claim in claims)
    checked = len(claims) - absent
    print(f"{checked} of {len(claims)} datasets checked, {absent} skipped, {failed} findings against a claim.")
    return 1 if failed else 0


def report(folder: Path, claim: Claim) -> int:
    """Print what was found, and return how many findings go against the claim."""
    if not (folder / claim.file).is_file():
        print(f"{claim.file:26} skipped: it is not in the folder")
        return 0
    X, y = read(folder / claim.file)
    failed = show(claim.file, X, check_optima(claim.file, X, y))
    if claim.file == FILE:
        failed += show(claim.file, X, check_kernels(FILE, *read_pixels(folder / FILE)))
    failed += show(claim.file, X, check_decisions(folder / claim.file))
    failed += show(claim.file, X, check_fewest(claim.file, X, y))
    failed += show(claim.file, X, check_lifting(claim.file, X, y))
    failed += show(claim.file, X, check_tables(folder / claim.file))
    failed += show(claim.file, X, check_endless(folder / claim.file))
    if claim.pair is not None:
        chosen = np.isin(y, claim.pair)
        X, y = X[chosen], y[chosen]
    return failed + show(claim.file, X, check(claim, X, y))


def show(file: str, X: Any, findings: Iterable[Finding]) -> int:
    """Print findings as they come, and return how many go against the claim."""
    failed, size = 0, f"{X.shape[0]} x {X.shape[1]}"
    for f in findings:
        ok = "yes" if f.holds else "NO"
        print(LINE.format(file, size, f.learner, f.claimed, f"{f.seconds:.2f}", ok, f.found), flush=True)
        failed += not f.holds
    return failed


if __name__ == "__main__":
    sys.exit(main())
