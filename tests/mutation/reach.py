"""Which tests reach which place of the sources, recorded once for every file of tests."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from forks import Task, run_tasks
from repository import BUILD, ROOT

RECORDING_SECONDS = 3600

Record = dict[str, dict[str, float] | dict[str, list[str]]]


class Reach:
    """The tests that reach a place, and the processor time of each."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.seconds: dict[str, float] = {}
        self.places: dict[str, set[str]] = {}
        self.breadth = Counter[str]()  # how many places a test reaches
        for record in records:
            self.seconds |= record["seconds"]
            for place, tests in record["places"].items():
                self.places.setdefault(place, set()).update(tests)
                self.breadth.update(tests)

    def tests(self, *places: str, longest: float) -> list[str]:
        """Tests that reach one of these places, as many as take at most `longest` seconds.

        Fast and narrow tests come first: a test of one part notices more of it than a test that passes through.
        """
        reaching = set().union(*(self.places.get(place, ()) for place in places))
        chosen, spent = [], 0.0
        for test in sorted(reaching, key=lambda test: (self.seconds[test] * self.breadth[test], test)):
            spent += self.seconds[test]
            if spent <= longest or not chosen:
                chosen.append(test)
        return chosen

    def limit(self, *tests: str) -> float:
        """Seconds of processor time after which these tests count as hanging."""
        return sum(2 + 5 * self.seconds[test] for test in tests)


def recorded_reach(tests: Iterable[str], sources: bytes, record: Callable[[str], Record], jobs: int) -> Reach:
    """The reach of the given files of tests. Those recorded with the same sources before are not run again."""
    stores = {path: BUILD / "reach" / f"{digest(path, sources)}.json" for path in tests}

    def run(path: str) -> None:
        stores[path].parent.mkdir(parents=True, exist_ok=True)
        stores[path].write_text(json.dumps(record(path)))

    missing = [path for path, store in stores.items() if not store.exists()]
    tasks = [Task(path, partial(run, path), RECORDING_SECONDS) for path in missing]
    run_tasks(tasks, jobs, lambda path, answer: print("recorded what is reached by", path, flush=True))
    failed = [path for path, store in stores.items() if not store.exists()]
    if failed:
        raise SystemExit(f"These tests fail without any mutant, mend them first: {', '.join(failed)}.")
    return Reach(json.loads(store.read_text()) for store in stores.values())


def digest(test_path: str, sources: bytes) -> str:
    found = hashlib.sha256(sources + test_path.encode())
    path = ROOT / test_path
    for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def digest_of_files(files: Iterable[Path]) -> bytes:
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.digest()
