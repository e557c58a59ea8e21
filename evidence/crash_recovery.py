"""Commands killed (SIGKILL) at random moments, also amid a write: no file is damaged, and run again they end alike.

`python -m evidence.crash_recovery 3 svm predict` kills each of these two commands three times. For an ordinary user:
`runuser -u nobody -- python -m evidence.crash_recovery`, with a Python that this user may read.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt import fit, save

from . import forked_command
from .checks import Finding, print_findings
from .killed_commands import COMMANDS, MODEL, OUT, TABLE, Command, write_table

KILLS = 20  # of each command
IN_A_ROW = 4  # before a command is let to its end
OLD = b"what the file held before"
ANY_TIME, AFTER_SAVE, AMID_WRITE = "at any time", "after the first save", "amid a write"
MOMENTS = (ANY_TIME, AMID_WRITE, AFTER_SAVE)


class Undisturbed(NamedTuple):
    """What a command that is not killed writes and leaves, and how long it takes."""

    content: Any
    files: list[str]
    seconds: float


def start(place: Path, command: Command) -> ForkServerProcess:
    return forked_command.start(place, command.words, command.stdin, errors(place), command.on_disk)


def run(place: Path, command: Command) -> str:
    """Run a command to its end, and return what went wrong."""
    process = start(place, command)
    process.join()
    said = errors(place).read_text()
    return "" if process.exitcode == 0 and not said else f"exit code {process.exitcode}: {said}"


def errors(place: Path) -> Path:
    """Where the commands of a folder write what they say on standard error: beside the folder."""
    return place.with_name("errors")


def prepare(folder: Path) -> Path:
    """A new folder with the table, a model, and an older OUT."""
    place = folder / "place"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in (TABLE, MODEL):
        os.link(folder / name, place / name)
    (place / OUT).write_bytes(OLD)
    return place


def files(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*"))


def run_undisturbed(folder: Path, command: Command) -> Undisturbed:
    place, began = prepare(folder), time.perf_counter()
    fault = run(place, command)
    if fault:
        raise RuntimeError(f"{' '.join(command.words)} failed: {fault}")
    seconds = time.perf_counter() - began
    return Undisturbed(command.content(place / OUT), files(place), seconds)


def kill(place: Path, command: Command, moment: str, seconds: float) -> bool:
    """Start a command and kill it at most so many seconds after its start or first save, or at its next write then.

    Returns whether it was still running.
    """
    before, process = temporary_files(place), start(place, command)
    while moment == AFTER_SAVE and process.is_alive() and not has_saved(place, command):
        time.sleep(0.001)
    process.join(random.uniform(0.0, seconds))
    while moment == AMID_WRITE and process.is_alive() and temporary_files(place) <= before:
        time.sleep(0.0003)
    process.kill()
    process.join()
    return process.exitcode == -9


def has_saved(place: Path, command: Command) -> bool:
    """Whether there is a checkpoint, a cache, or a model that was saved on the way."""
    found = place.glob(command.saved) if command.saved else ()
    return any(path.is_dir() or path.read_bytes() != OLD for path in found)


def temporary_files(place: Path) -> set[str]:
    folders = (place, place / "saved", place / "cache")
    return {name for folder in folders if folder.is_dir() for name in os.listdir(folder) if name.startswith(".")}


def is_right(out: Path, command: Command, undisturbed: Undisturbed) -> bool:
    """Whether OUT is after a kill as it was before, as it is in the end, or as it should be on the way."""
    try:
        return (
            out.read_bytes() == OLD or command.content(out) == undisturbed.content or command.is_right_on_the_way(out)
        )
    except (OSError, ValueError):  # it cannot be read
        return False


def faults(place: Path, command: Command, undisturbed: Undisturbed) -> Iterator[str]:
    """What is wrong when a command that was killed is given again."""
    fault = run(place, command)
    if fault:
        yield fault
    elif command.content(place / OUT) != undisturbed.content:
        yield "another result"
    if files(place) != undisturbed.files:
        yield f"other files: {', '.join(sorted({*files(place)} ^ {*undisturbed.files}))}"


class Killer:
    """Kills one command again and again, and counts."""

    def __init__(self, command: Command, folder: Path, moments: Sequence[str]) -> None:
        self.command, self.folder = command, folder
        self.undisturbed = run_undisturbed(folder, command)
        self.seconds = {m: self.undisturbed.seconds for m in moments if command.saved or m != AFTER_SAVE}
        self.kills = self.amid_write = self.after_save = 0
        self.wrong: list[str] = []

    def kill_in_a_row(self, kills: int) -> None:
        """Kill the command, give it again and kill it again, up to so many times; then let it end."""
        place, moments = prepare(self.folder), random.choices([*self.seconds], k=kills)
        while moments and self.kill(place, moments.pop()):
            pass
        self.wrong += faults(place, self.command, self.undisturbed)

    def kill(self, place: Path, moment: str) -> bool:
        before = temporary_files(place)
        killed = kill(place, self.command, moment, self.seconds[moment])
        amid_write = not temporary_files(place) <= before
        if killed and not is_right(place / OUT, self.command, self.undisturbed):
            self.wrong.append(f"killed {moment}: a damaged file")
        if not killed or (moment == AMID_WRITE and not amid_write):
            self.seconds[moment] *= 0.8  # the command or its last write had ended, so kill it earlier next time
            return False
        self.seconds[moment] *= 1.05
        self.kills += 1
        self.amid_write += amid_write
        self.after_save += has_saved(place, self.command)
        return True


def check_command(name: str, folder: Path, kills: int, moments: Sequence[str] = MOMENTS) -> Finding:
    began, killer = time.perf_counter(), Killer(COMMANDS[name], folder, moments)
    while killer.kills < kills:
        killer.kill_in_a_row(min(IN_A_ROW, kills - killer.kills))
    result = f"{killer.amid_write} amid a write, {killer.after_save} after a save"
    seconds = time.perf_counter() - began
    return Finding(name, f"{kills} kills", "; ".join([result, *killer.wrong]), seconds, not killer.wrong)


def prepare_inputs(folder: Path) -> None:
    write_table(folder / TABLE)
    save(fit(folder / TABLE, "two", drop=["three"]), folder / MODEL)


def check_recovery(kills: int = KILLS, names: Sequence[str] = tuple(COMMANDS)) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        prepare_inputs(folder)
        for name in names:
            yield check_command(name, folder, kills)


if __name__ == "__main__":
    count, *chosen = sys.argv[1:] or [str(KILLS)]
    sys.exit(print_findings(check_recovery(int(count), chosen or tuple(COMMANDS))))
