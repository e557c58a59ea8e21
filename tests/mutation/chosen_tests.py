"""Chosen tests, run in this process with a module that is replaced when it is imported."""

import importlib.machinery
import importlib.util
import sys
import time
from collections.abc import Callable, Iterable
from importlib.abc import Loader, MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings

ROOT = Path.cwd()  # the folder of the repository
OPTIONS = ["-x", "-q", "--no-header", "--tb=no", "--doctest-modules", "-p", "no:cacheprovider"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis was imported before

Hook = Callable[[str], None]


class Replacement(MetaPathFinder):
    """Finds one module elsewhere."""

    def __init__(self, name: str, path: Path, loader: Loader) -> None:
        self.name, self.path, self.loader = name, path, loader

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self.loader)

    def install(self) -> None:
        sys.meta_path.insert(0, self)


class CompiledSource(importlib.machinery.SourceFileLoader):
    """Runs the given code instead of that of the file."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        super().__init__(name, str(path))
        self.code = code

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class Chosen:
    """The plugin that keeps and orders the chosen tests, and notes how long each took and which failed."""

    def __init__(self, tests: Iterable[str] | None, before: Hook, after: Hook) -> None:
        self.place = None if tests is None else {test: place for place, test in enumerate(tests)}
        self.before, self.after = before, after
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.place is not None:
            place = self.place
            items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.before(item.nodeid)
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        self.after(item.nodeid)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def ignore(test: str) -> None:
    pass


def run_tests(
    files: Iterable[str], tests: Iterable[str] | None = None, before: Hook = ignore, after: Hook = ignore
) -> Chosen:
    """Run the given tests of these files in the given order, all if none are given, until one fails.

    Hypothesis draws the same examples every time, and does not shrink those that fail.
    """
    settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, phases=[Phase.explicit, Phase.generate]
    )
    settings.load_profile("mutation")
    sys.path.append(str(ROOT))  # some tests import benchmarks/
    chosen = Chosen(tests, before, after)
    code = pytest.main([*OPTIONS, f"--rootdir={ROOT}", *files], plugins=[chosen])
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        raise RuntimeError(f"pytest ended with {code!r}")
    if code in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED) and not chosen.failed:
        chosen.failed.append("an error outside of tests")
    return chosen
