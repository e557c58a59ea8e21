"""Mutants of `prove/`: which tests reach them, and which of these fail."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from chosen_tests import ROOT, CompiledSource, Replacement, run_tests
from forks import Task, allow
from mutant import Mutant
from python_mutants import mutated_tree, python_mutants
from reach import START_SECONDS, Reach, Record, digest_of_files, recorded_reach

FOLDER = ROOT / "src/rosenblatt/prove"
TESTS = [
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/prove").glob("test_*.py")),
    "src/rosenblatt/prove",  # doctests
    "tests/test_theory.py",
    "tests/cli/test_check.py",
    "tests/classifiers/test_overlap_stop.py",
    "tests/foundation/test_canonical_sparse.py",
    "tests/foundation/test_numpy_matrix.py",
    "tests/fuzz/test_fuzz.py",
    "tests/parts/test_features.py",
    "tests/solvers/test_separation_told.py",
]


def all_mutants() -> Iterator[Mutant]:
    for path in sorted(FOLDER.rglob("*.py")):
        yield from python_mutants(path.read_text(), str(path.relative_to(ROOT)))


def prepare(jobs: int) -> Reach:
    tests = [path for path in TESTS if (ROOT / path).exists()]
    return recorded_reach(tests, digest_of_files((ROOT / "src").rglob("*.py")), record, jobs)


def record(test_path: str) -> Record:
    """Run tests with coverage. A place is a line; one that runs at import is reached by all tests of its file."""
    import coverage

    watched = coverage.Coverage(data_file=None, source=[str(FOLDER)], config_file=False)
    watched.start()
    ran = run_tests([test_path], before=watched.switch_context, after=lambda test: watched.switch_context(""))
    watched.stop()
    if ran.failed:
        raise RuntimeError(f"{ran.failed} fail without a mutant")
    places: dict[str, list[str]] = {}
    data = watched.get_data()
    for file in data.measured_files():
        lines = data.contexts_by_lineno(file)
        everywhere = set().union(*lines.values()) - {""}
        for line, tests in lines.items():
            places[place(str(Path(file).relative_to(ROOT)), line)] = sorted(everywhere if "" in tests else tests)
    return {"seconds": ran.seconds, "places": places}


def place(file: str, line: int) -> str:
    return f"{file}:{line}"


def try_mutant(mutant: Mutant, tests: list[str], reach: Reach) -> list[str]:
    """Run tests with a mutant in place. Returns those that failed: at most one, the run ends there."""
    if not tests:
        return []
    allow(START_SECONDS)
    path = ROOT / mutant.file
    name = ".".join(Path(mutant.file).relative_to("src").with_suffix("").parts)
    code = compile(mutated_tree(path.read_text(), mutant.number), str(path), "exec", dont_inherit=True)
    Replacement(name, path, CompiledSource(name, path, code)).install()
    return run_tests({test.split("::")[0] for test in tests}, tests, lambda test: allow(reach.limit(test))).failed


def tasks(mutants: Iterable[Mutant], reach: Reach) -> Iterator[Task]:
    for mutant in mutants:
        tests = reach.tests(place(mutant.file, mutant.statement), place(mutant.file, mutant.line))
        work = partial(try_mutant, mutant, tests, reach)
        yield Task(mutant.key, work, START_SECONDS + reach.limit(*tests))
