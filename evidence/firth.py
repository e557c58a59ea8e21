"""Firth's bias reduction against other programs, and the coverage of its intervals.

    python -m evidence.firth peers           # 200 random designs: firthmodels, and statsmodels where classes overlap
    python -m evidence.firth intervals       # the same designs: whose ends of intervals the profile itself confirms
    python -m evidence.firth coverage 10000  # how often 95 % profile intervals contain the truth
    python -m evidence.firth verdicts 2000   # separated or not, and which estimates are infinite, against all planes
    python -m evidence.firth categories      # 100,000 x 2,000 zeros and ones: time and memory

`peers` needs firthmodels and statsmodels, which no other part of the project does. The exit code is 1 if an estimate or
an interval differs by more than a peer's own tolerance, if coverage is off by more than one per cent, if a verdict is
wrong, or if the large fit does not converge.
"""

import resource
import sys
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from evidence.exact_planes import compare_verdicts
from evidence.firth_intervals import Judgement, judge_ends
from rosenblatt import LogisticRegression, separability, summary

DESIGNS = 200
TOLERANCE = 1e-6  # relative; the peers iterate to 1e-8 and stop there
ROWS, TRUTH = 60, np.array([-0.5, 1.0, -0.5, 0.0])  # of the coverage: the intercept, then three columns


def designs(count: int) -> Any:
    """Random designs of 15 to 200 rows and 1 to 6 columns, about half of them with a rare category."""
    for seed in range(count):
        dice = np.random.default_rng(seed)
        rows, columns = int(dice.integers(15, 200)), int(dice.integers(1, 7))
        X = dice.normal(size=(rows, columns))
        if seed % 2:
            X[:, -1] = dice.random(rows) < 0.15
        y = (X @ dice.normal(size=columns) + dice.logistic(size=rows) > dice.normal()).astype(int)
        if len(set(y)) == 2 and np.linalg.matrix_rank(np.column_stack([X, np.ones(rows)])) == columns + 1:
            yield X, y


def difference(ours: Any, theirs: Any) -> float:
    """The largest difference, relative to the numbers where they exceed 1."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))))


def of_firthmodels(X: Any, y: Any) -> tuple[float, float]:
    """The largest difference of the estimates, and that of the intervals and p-values; infinite where it has none."""
    from firthmodels import FirthLogisticRegression

    peer = FirthLogisticRegression(gtol=1e-10, xtol=1e-10, max_iter=500).fit(X, y)
    peer.lrt()
    ours = summary(LogisticRegression(penalty="jeffreys").fit(X, y), X, y)
    ends = [(one.lower, one.upper) for one in ours.coefficients]
    theirs = peer.conf_int(method="pl", max_iter=200, tol=1e-10)
    order = [*ours.coefficients[1:], ours.coefficients[0]]
    tests = difference([one.p_likelihood_ratio for one in order], peer.lrt_pvalues_)
    both = [difference([*ends[1:], ends[0]], theirs), tests]
    return (
        difference([one.estimate for one in order], [*peer.coef_, peer.intercept_]),
        float(np.nan_to_num(both, nan=np.inf).max()),
    )


def judge_intervals(count: int) -> bool:
    """Count missing p-values, and judge the ends of intervals that differ by the penalised profile."""
    from firthmodels import FirthLogisticRegression

    warnings.simplefilter("ignore")
    missing, moved, tests, judged = 0, [], [], Judgement()
    for number, (X, y) in enumerate(designs(count)):
        peer = FirthLogisticRegression(gtol=1e-10, xtol=1e-10, max_iter=500).fit(X, y)
        peer.lrt()
        found = summary(LogisticRegression(penalty="jeffreys").fit(X, y), X, y).coefficients
        order = [*found[1:], found[0]]
        p_values, theirs = np.array([one.p_likelihood_ratio for one in order]), np.asarray(peer.lrt_pvalues_)
        missing += bool(np.isnan(theirs).any())
        tests.append(difference(*(p[~np.isnan(theirs)] for p in (p_values, theirs))) if (theirs >= 0).any() else 0.0)
        ends = np.array([(one.lower, one.upper) for one in order])
        other = np.asarray(peer.conf_int(method="pl", max_iter=200, tol=1e-10))
        judgement = judge_ends(X, y, np.array([one.estimate for one in order]), ends, other)
        judged.add(judgement)
        moved += [number] * (judgement.ends > 0)
    print(f"{len(tests)} designs; firthmodels has no p-value for some coefficient of {missing}")
    print(f"p-values of both: {sum(one > TOLERANCE for one in tests)} designs differ by more than {TOLERANCE:g}")
    print(f"ends of intervals differ in {len(moved)} designs, {moved}: {judged}")
    return judged.ours_too_short <= judged.theirs_too_short


def of_statsmodels(X: Any, y: Any) -> float | None:
    """None where the classes are separated."""
    import statsmodels.api as sm

    if separability(X, y).kind != "overlap":
        return None
    peer = sm.Logit(y, sm.add_constant(X, has_constant="add")).fit(disp=0, tol=1e-14, maxiter=200)
    ours = summary(LogisticRegression(penalty=None).fit(X, y), X, y)
    return max(
        difference([one.estimate for one in ours.coefficients], peer.params),
        difference([one.std_error for one in ours.coefficients], peer.bse),
        difference([one.p_wald for one in ours.coefficients], peer.pvalues),
        difference([ours.log_likelihood, ours.aic, ours.bic], [peer.llf, peer.aic, peer.bic]),
    )


def compare_peers(count: int) -> bool:
    warnings.simplefilter("ignore")
    firth = np.array([of_firthmodels(X, y) for X, y in designs(count)])
    plain = [found for X, y in designs(count) if (found := of_statsmodels(X, y)) is not None]
    for what, found in zip(("estimates", "intervals and p-values"), firth.T, strict=True):
        print(
            f"firthmodels, {what}: {len(found)} designs, {(found <= 1e-8).sum()} within 1e-8, "
            f"{(found <= TOLERANCE).sum()} within {TOLERANCE:g}; not {np.flatnonzero(found > TOLERANCE).tolist()}"
        )
    print(f"statsmodels: {len(plain)} designs that overlap, largest relative difference {max(plain):.1e}")
    return bool(firth[:, 0].max() <= TOLERANCE and max(plain) <= TOLERANCE)


def measure_coverage(draws: int) -> bool:
    warnings.simplefilter("ignore")
    began, inside = time.perf_counter(), np.zeros((2, len(TRUTH)))
    counts = np.zeros(2)
    for seed in range(draws):
        dice = np.random.default_rng(seed)
        X = dice.normal(size=(ROWS, 3))
        y = (X @ TRUTH[1:] + TRUTH[0] + dice.logistic(size=ROWS) > 0).astype(int)
        for place, penalty in enumerate((None, "jeffreys")):
            found = summary(LogisticRegression(penalty=penalty, n_jobs=1).fit(X, y), X, y).coefficients
            inside[place] += [one.lower <= truth <= one.upper for one, truth in zip(found, TRUTH, strict=True)]
            counts[place] += 1
    for name, shares in zip(("no penalty", "jeffreys"), inside / counts[:, None], strict=True):
        print(f"{name}: {draws} draws of {ROWS} rows, coverage {', '.join(f'{100 * share:.2f} %' for share in shares)}")
    print(f"{time.perf_counter() - began:.0f} s")
    return bool((abs(inside[1] / counts[1] - 0.95) <= 0.01).all())


def train_on_categories(count: int) -> bool:
    """Four columns with so many categories each as one-hot rows, without the first of each."""
    rows, dice = 100_000, np.random.default_rng(0)
    codes = dice.integers(0, count + 1, (rows, 4))
    places = (codes - 1 + count * np.arange(4))[codes > 0]
    starts = np.append(0, np.cumsum((codes > 0).sum(axis=1)))
    X = sparse.csr_matrix((np.ones(len(places)), places, starts), shape=(rows, 4 * count))
    y = (X @ dice.normal(scale=0.5, size=4 * count) + dice.logistic(size=rows) > 1).astype(int)
    began, cpu = time.perf_counter(), time.process_time()
    model = LogisticRegression(penalty="jeffreys").fit(X, y)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{rows:,} x {X.shape[1]:,}: {model.n_iter_} steps, score {model.gradient_norm_:.0e} of its first")
    print(f"{seconds:.0f} s, {cpu:.0f} s of processor time, {peak:.2f} GB at most")
    return bool(model.status_.converged)


QUESTIONS = {
    "peers": (compare_peers, DESIGNS),
    "intervals": (judge_intervals, DESIGNS),
    "coverage": (measure_coverage, 10_000),
    "verdicts": (compare_verdicts, 2000),
    "categories": (train_on_categories, 500),
}

if __name__ == "__main__":
    ask, usual = QUESTIONS[sys.argv[1] if len(sys.argv) > 1 else "peers"]
    raise SystemExit(0 if ask(int(sys.argv[2]) if len(sys.argv) > 2 else usual) else 1)
