"""Fuzz all targets one after the other: `python tests/fuzz/campaign.py --seconds 300`, or some of them by name.

Native targets are those of core/fuzz, built by `cmake --workflow --preset fuzz`; the others are in targets.py. Inputs
that reach new code are kept in build/fuzz/corpus, inputs that end in a defect in build/fuzz/crashes. Each run adds a
line to build/fuzz/runs.csv, and `--total` sums them up.
"""

import argparse
import csv
import datetime
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
BUILD, STORED = ROOT / "build/fuzz", ROOT / "core/fuzz/corpus"
CORPUS, CRASHES, RUNS = BUILD / "corpus", BUILD / "crashes", BUILD / "runs.csv"
OPTIONS = ("-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1", "-verbosity=1")


def native_commands() -> dict[str, list[str]]:
    found = sorted(path for path in BUILD.glob("fuzz_*") if path.is_file())
    return {path.name.removeprefix("fuzz_"): [str(path)] for path in found}


def python_commands() -> dict[str, list[str]]:
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("atheris is not installed: the targets in Python are left out")
        return {}
    from targets import TARGETS

    return {name: [sys.executable, str(HERE / "fuzz.py"), name] for name in TARGETS}


def folders_of(name: str) -> list[str]:
    """New inputs go to the first folder; inputs of the repository are read as well."""
    (CORPUS / name).mkdir(parents=True, exist_ok=True)
    stored = [folder / name for folder in (STORED, HERE / "corpus")]
    return [str(folder) for folder in (CORPUS / name, *stored) if folder.is_dir()]


def fuzz(name: str, command: list[str], seconds: int, length: int) -> tuple[int, bool]:
    """Fuzz a target with inputs of at most so many bytes. Returns how many there were, and whether all ended well."""
    CRASHES.mkdir(parents=True, exist_ok=True)
    options = [*OPTIONS, f"-max_len={length}", f"-max_total_time={seconds}", f"-artifact_prefix={CRASHES}/{name}-"]
    done = subprocess.run([*command, *folders_of(name), *options], capture_output=True, text=True, errors="replace")
    found = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    executed = int(found[1]) if found else 0
    if done.returncode != 0:
        inputs = re.findall(rf"{re.escape(str(CRASHES))}/{name}-\w+-\w+", done.stderr)
        print("\n".join(done.stderr.splitlines()[-40:]))
        print("to reproduce:", *command, *inputs[-1:])
    return executed, done.returncode == 0


def note(name: str, seconds: int, executed: int, well: bool) -> None:
    with RUNS.open("a", newline="") as file:
        csv.writer(file).writerow([datetime.date.today(), name, seconds, executed, "ok" if well else "defect"])
    print(f"{name:<22}{executed:>12,} inputs in {seconds} s{'' if well else ', a defect'}", flush=True)


def print_totals() -> None:
    inputs: Counter[str] = Counter()
    with RUNS.open(newline="") as file:
        for _, name, _, executed, _ in csv.reader(file):
            inputs[name] += int(executed)
    for name, count in inputs.items():
        print(f"{name:<22}{count:>12,}")
    print(f"{'all':<22}{inputs.total():>12,}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="targets; all if none is given")
    parser.add_argument("--seconds", type=int, default=300, help="for all targets together")
    parser.add_argument("--length", type=int, default=4096, help="bytes of the longest input")
    parser.add_argument("--total", action="store_true", help="print how many inputs were tried so far")
    options = parser.parse_args()
    if options.total:
        print_totals()
        return 0
    commands = native_commands()
    if not options.names or not commands.keys() >= set(options.names):
        commands |= python_commands()
    chosen = options.names or list(commands)
    each = max(options.seconds // len(chosen), 1)
    all_well = True
    for name in chosen:
        executed, well = fuzz(name, commands[name], each, options.length)
        note(name, each, executed, well)
        all_well &= well
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
