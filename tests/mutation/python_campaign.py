"""Mutants of `prove/`: which tests reach them, and which of these fail."""

from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from forks import Task, allow
from hot_swap import replace_code
from mutant import Mutant
from python_mutants import mutated_tree, python_mutants
from reach import Reach, Record, digest_of_files, recorded_reach
from repository import ROOT
from session import Session

FOLDER = ROOT / "src/rosenblatt/prove"
TESTS = [
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/prove").glob("test_*.py")),
    "src/rosenblatt/prove",  # doctests
    "tests/test_averages_and_pockets.py",
    "tests/test_theory.py",
    "tests/cli/test_check.py",
    "tests/cli/test_checked_columns.py",
    "tests/cli/test_hostile_certificates.py",
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


def prepare(jobs: int) -> None:
    pass


def recorded(session: Session, tests: list[str], jobs: int) -> Reach:
    sources = digest_of_files((ROOT / "src").rglob("*.py"))
    return recorded_reach(tests, sources, partial(record, session), jobs)


def record(session: Session, test_path: str) -> Record:
    """Run tests with coverage. A place is a line; line 0, which stands for what runs at import, is reached by all."""
    import coverage

    watched = coverage.Coverage(data_file=None, source=[str(FOLDER)], config_file=False, messages=False)
    watched.start()
    ran = session.run(session.names(test_path), watched.switch_context, lambda test: watched.switch_context(""))
    watched.stop()
    if ran.failed:
        raise RuntimeError(f"{ran.failed} fail without a mutant")
    places: dict[str, list[str]] = {}
    data = watched.get_data()
    for file in data.measured_files():
        lines = {line: set(tests) - {""} for line, tests in data.contexts_by_lineno(file).items()}
        lines[0] = set().union(*lines.values())
        places |= {place(str(Path(file).relative_to(ROOT)), line): sorted(tests) for line, tests in lines.items()}
    return {"seconds": ran.seconds, "places": places}


def place(file: str, line: int) -> str:
    return f"{file}:{line}"


def try_mutant(session: Session, reach: Reach, mutant: Mutant, tests: list[str]) -> list[str]:
    """Run tests with a mutant in place. Returns the one that failed, if any."""
    path = ROOT / mutant.file
    name = ".".join(Path(mutant.file).relative_to("src").with_suffix("").parts)
    code = compile(mutated_tree(path.read_text(), mutant.number), str(path), "exec", dont_inherit=True)
    import_module(name)  # which none of the chosen tests may have done
    try:
        replace_code(name, code)
    except Exception as error:
        return [f"{type(error).__name__} when it is imported"]
    return session.run(tests, lambda test: allow(reach.limit(test))).failed


def tasks(session: Session, reach: Reach, mutants: Iterable[Mutant], longest: float) -> Iterator[Task]:
    for mutant in mutants:
        tests = reach.tests(place(mutant.file, mutant.statement), place(mutant.file, mutant.line), longest=longest)
        yield Task(mutant.key, partial(try_mutant, session, reach, mutant, tests), 5 + reach.limit(*tests))
