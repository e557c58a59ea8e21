"""What each package that comes with rosenblatt costs: `python release/dependency_costs.py` prints a table.

Run it with the Python of an environment that holds `rosenblatt[all]`. Sizes are those of the installed files without
compiled bytecode. The time to import is processor time in a fresh process, the least of five.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement

TIMER = "import time; began = time.process_time(); import {name}; print(time.process_time() - began)"
REPEATS = 5
IMPORTED = {"scikit-learn": "sklearn.base", "python-flint": "flint", "scipy": "scipy.sparse"}


def requirements(of: str, extra: str = "") -> Iterator[Requirement]:
    """The packages that one needs itself, with or without an extra."""
    for text in distribution(of).requires or ():
        one = Requirement(text)
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            yield one


def closure(wanted: list[Requirement]) -> set[str]:
    """The names of these packages and of all that they need."""
    found: set[tuple[str, str]] = set()
    while wanted:
        one = wanted.pop()
        for key in {(normal(one.name), extra) for extra in ("", *one.extras)} - found:
            found.add(key)
            wanted += requirements(*key)
    return {name for name, _ in found}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def size(name: str) -> float:
    """Megabytes of the installed files."""
    package: Distribution = distribution(name)
    paths = [package.locate_file(file) for file in package.files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6  # type: ignore[attr-defined]


def import_time(name: str) -> float:
    """Seconds of processor time to import a package in a fresh process."""
    code = TIMER.format(name=IMPORTED.get(name, name.replace("-", "_")))
    runs = (subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(REPEATS))
    return min(float(run.stdout or "nan") for run in runs)


def rows(extra: str, without: set[str]) -> Iterator[str]:
    """The lines of an extra, or of a plain installation: each package, and the sum with what they need."""
    direct = [one for one in requirements("rosenblatt", extra) if normal(one.name) not in without | {"rosenblatt"}]
    names = closure([*direct]) - without
    for one in direct:
        name = normal(one.name)
        yield f"| {extra} | {name} {distribution(name).version} | {size(name):.1f} | {import_time(name):.2f} |"
    others = len(names) - len(direct)
    yield f"| {extra} | **all, with {others} more that they need** | {sum(map(size, names)):.1f} | |"


def main() -> None:
    """Print the table."""
    print("| extra | package | MB | import, s |\n|---|---|---:|---:|")
    print(f"| | rosenblatt itself | {size('rosenblatt'):.1f} | {import_time('rosenblatt'):.2f} |")
    plain = closure([*requirements("rosenblatt")])
    print(*rows("", set()), sep="\n")
    for extra in distribution("rosenblatt").metadata.get_all("Provides-Extra") or ():
        if extra != "all":
            print(*rows(extra, plain), sep="\n")


if __name__ == "__main__":
    main()
