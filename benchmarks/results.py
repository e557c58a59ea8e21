"""RESULTS.md: one section for each group, each from one run. A new run replaces its own section only."""

import os
import re
from pathlib import Path

from benchmarks.groups import GROUPS

RESULTS = Path(__file__).with_name("RESULTS.md")

INTRODUCTION = """# Benchmarks

One section for each group of `make bench`, from the newest run of that group; older runs are in git.
`make bench GROUP=training` measures one group and replaces its section. A group without a section was not measured yet.

Ours and the peer's run in turn in one process, on the same rows, for the same epochs or to the same result. The public
call is timed, and each side has the time of its best run. The ratio is the peer's time over ours, except where the mark
says "at most": there it is our time over the peer's. The streaming read is the rate at which all cores together read
2 GiB of memory.

Gaussian rows are separable with margin 0.05. MNIST is the digits 0-4 against 5-9. IMDB is the 25,000 training reviews.
An optimum has C = 1 and is within a relative 1e-6 (logistic) or 1e-4 (hinge, squared hinge) of the least objective.

"""


def name_of(section: str) -> str:
    return section.partition("\n")[0].removeprefix("## ").strip()


def place_of(group: str) -> int:
    return GROUPS.index(group) if group in GROUPS else -1


def replace_section(text: str, group: str, section: str) -> str:
    """`text` with the section of `group` replaced; the rest keeps every byte.

    A section that is not there yet is inserted in the order of GROUPS.
    """
    introduction, *sections = re.split(r"(?m)^(?=## )", text)
    section = section.rstrip() + "\n"
    if group in map(name_of, sections):
        place = [name_of(each) for each in sections].index(group)
        old = sections[place]
        sections[place] = section.rstrip() + old[len(old.rstrip()) :]
    else:
        before = [place for place, each in enumerate(sections) if place_of(name_of(each)) < place_of(group)]
        place = before[-1] + 1 if before else 0
        is_last = place == len(sections)
        gap = "" if not is_last or (introduction + "".join(sections)).endswith("\n\n") else "\n"
        sections.insert(place, gap + section + ("" if is_last else "\n"))
    return introduction + "".join(sections)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: under another name first, then renamed."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def save_section(path: Path, group: str, section: str) -> None:
    """Put the section of a group into a results file, which is made where there is none."""
    text = path.read_bytes().decode() if path.exists() else INTRODUCTION
    write_whole(path, replace_section(text, group, section))
