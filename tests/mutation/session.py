"""One pytest session that collects all tests once. Chosen ones of them then run in forked processes."""

import sys
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from repository import ROOT

OPTIONS = ["-q", "-s", "--no-header", "--tb=no", "--doctest-modules", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis was imported before

Hook = Callable[[str], None]


class Ran(NamedTuple):
    """The processor time of each test, and those that failed: at most one, a run ends there."""

    seconds: dict[str, float]
    failed: list[str]


class Session:
    """The collected tests by name."""

    def __init__(self, use: Callable[["Session"], None]) -> None:
        self.use = use
        self.items: dict[str, pytest.Item] = {}
        self.failed: list[str] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.use(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def names(self, path: str) -> list[str]:
        """The tests of a file, or of the files in a folder."""
        return [name for name in self.items if name.startswith((f"{path}::", f"{path}/"))]

    def run(self, names: Iterable[str], before: Hook, after: Hook | None = None) -> Ran:
        """Run tests in the given order until one fails. Only once in a process."""
        items, seconds = [self.items[name] for name in names], {}
        for item, following in pairwise([*items, None]):
            before(item.nodeid)
            start = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seconds[item.nodeid] = time.process_time() - start
            if after is not None:
                after(item.nodeid)
            if self.failed:
                break
        return Ran(seconds, self.failed)


def with_collected_tests(paths: Iterable[str], use: Callable[[Session], None]) -> None:
    """Collect the tests of these files and folders, and hand them over.

    Hypothesis draws the same examples every time, does not shrink those that fail, and never minds slow machines.
    """
    paths = list(paths)
    if not paths:  # pytest would collect all there are
        return use(Session(use))
    options = {"derandomize": True, "database": None, "deadline": None, "suppress_health_check": list(HealthCheck)}
    settings.register_profile("mutation", phases=[Phase.explicit, Phase.generate], **options)
    settings.load_profile("mutation")
    sys.path.append(str(ROOT))  # some tests import benchmarks/
    code = pytest.main([*OPTIONS, *paths], plugins=[Session(use)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"The tests could not be collected: {code!r}.")
