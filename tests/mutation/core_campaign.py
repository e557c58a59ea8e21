"""Mutants of `core/loop`: all are compiled into one copy of the core, and tests run with one of them at a time."""

import ctypes
import importlib.machinery
import importlib.util
import math
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from core_mutants import Schemata
from forks import Task, allow
from mutant import Mutant
from reach import Reach, Record, digest_of_files, recorded_reach
from repository import BUILD, ROOT
from session import Session

FOLDER = ROOT / "core/loop"
TREE, OBJECTS = BUILD / "tree", BUILD / "objects"
QUICK_TESTS = ("state", "checks", "visits", "read_ahead", "kernel_rows", "score_windows", "window_sizes")
QUICK_PROGRAMS = [*(f"core/tests/test_{name}.cpp" for name in QUICK_TESTS), "core/fuzz/state.cpp"]
PROGRAMS = [*QUICK_PROGRAMS, "core/tests/test_advance.cpp"]
SANITIZED_SOURCES = ["loop/*.cpp", "targets/baseline.cpp"]
COMPILE = ["c++", "-std=c++20", "-O1", "-w", "-fPIC", "-ffp-contract=off", "-fno-trapping-math", "-pthread"]
COMPILE += ["-DROSENBLATT_BASELINE_ONLY", "-I", str(TREE / "core")]
SANITIZE = "-fsanitize=address"
TESTS = [
    *PROGRAMS,
    "tests/test_averages_and_pockets.py",
    "tests/test_family.py",
    "tests/test_permutations.py",
    "tests/test_theory.py",
    "tests/engine",
    "tests/classifiers/test_failed_calls.py",
    "tests/classifiers/test_kernel_files.py",
    "tests/classifiers/test_kernel_matrices.py",
    "tests/classifiers/test_kernel_perceptron.py",
    "tests/classifiers/test_linear.py",
    "tests/classifiers/test_linear_streams.py",
]


@cache
def schemata() -> list[Schemata]:
    found: list[Schemata] = []
    for path in sorted(FOLDER.glob("*.?pp")):
        first = found[-1].first + len(found[-1].mutants) if found else 0
        found.append(Schemata(path.read_text(), str(path.relative_to(ROOT)), first))
    return found


def all_mutants() -> Iterator[Mutant]:
    for file in schemata():
        yield from file.mutants


def prepare(jobs: int) -> None:
    """Compile the mutated core, and let this process import it instead of the usual one."""
    build(jobs)
    name, path = "rosenblatt._core", str(module_path())
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    sys.modules[name] = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(sys.modules[name])


def recorded(session: Session, tests: list[str], jobs: int) -> Reach:
    return recorded_reach(tests, digest_of_files([module_path()]), partial(record, session), jobs)


def build(jobs: int) -> None:
    """Compile the mutated core, and the C++ tests with it. Files that did not change are not compiled again."""
    mutated = {file.file: file.source for file in schemata()}
    mutated["core/loop/mutant.hpp"] = (Path(__file__).parent / "mutant.hpp").read_text()
    for path in [ROOT / "CMakeLists.txt", *(ROOT / "core").rglob("*")]:
        name = str(path.relative_to(ROOT))
        if path.is_file() and name not in mutated:
            write_if_changed(TREE / name, path.read_bytes())
    for name, source in mutated.items():
        write_if_changed(TREE / name, source.encode())
    run_quietly(*configure_command())
    run_quietly(find("cmake"), "--build", str(OBJECTS), "-j", str(jobs))
    for source in sanitized_sources():
        compile_if_older(object_path(source), [source, *(TREE / "core").rglob("*.hpp")], ["-c", SANITIZE, str(source)])
    for program in PROGRAMS:
        compile_program(program)


def compile_program(program: str) -> None:
    """Quick programs are compiled with the address sanitizer, and so are the mutated parts of their core."""
    sources = [TREE / program, *([TREE / "core/fuzz/replay.cpp"] if is_fuzz_target(program) else [])]
    sanitized = [object_path(source) for source in sanitized_sources()] if program in QUICK_PROGRAMS else []
    parts = [*sources, *sanitized, OBJECTS / "libcore.a"]
    compile_if_older(program_path(program), parts, [*([SANITIZE] if sanitized else []), *map(str, parts)])


def sanitized_sources() -> list[Path]:
    return [source for pattern in SANITIZED_SOURCES for source in sorted((TREE / "core").glob(pattern))]


def object_path(source: Path) -> Path:
    return OBJECTS / f"sanitized_{source.stem}.o"


def compile_if_older(made: Path, parts: list[Path], arguments: list[str]) -> None:
    if not made.exists() or made.stat().st_mtime < max(part.stat().st_mtime for part in parts):
        run_quietly(*COMPILE, *arguments, "-o", str(made))


def is_fuzz_target(program: str) -> bool:
    return program.startswith("core/fuzz")


def program_path(program: str) -> Path:
    return OBJECTS / Path(program).stem


def run_program(program: str) -> bool:
    """Whether all checks of a program hold."""
    corpus = [ROOT / "core/fuzz/corpus" / Path(program).stem] if is_fuzz_target(program) else []
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run([program_path(program), *corpus], env=environment).returncode == 0


def configure_command() -> list[str]:
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS_RELEASE": "-O1",
        "CMAKE_CXX_FLAGS": "-w -Wno-narrowing",
        "ROSENBLATT_BASELINE_ONLY": "ON",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind,
        "CMAKE_MAKE_PROGRAM": find("ninja"),
    }
    return [
        find("cmake"),
        *("-G", "Ninja", "-S", str(TREE), "-B", str(OBJECTS)),
        *(f"-D{name}={value}" for name, value in settings.items()),
    ]


def find(program: str) -> str:
    beside = Path(sys.executable).parent / program
    return str(beside) if beside.exists() else program


def run_quietly(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("\n".join((done.stdout + done.stderr).splitlines()[-40:]))


def write_if_changed(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def module_path() -> Path:
    [path] = OBJECTS.glob("_core*.so")
    return path


def record(session: Session, test_path: str) -> Record:
    return record_program(test_path) if test_path in PROGRAMS else record_tests(session, test_path)


def record_program(program: str) -> Record:
    """Run a program, which writes down which mutants it reached."""
    marks = BUILD / f"{Path(program).stem}.reached"
    os.environ["ROSENBLATT_REACHED"] = str(marks)
    if not run_program(program):
        raise RuntimeError(f"{program} fails without a mutant")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    places = {str(number): [program] for number, mark in enumerate(marks.read_bytes()) if mark}
    return {"seconds": {program: spent.ru_utime + spent.ru_stime}, "places": places}


def record_tests(session: Session, test_path: str) -> Record:
    """Run tests, and ask the core after each which mutants it reached."""
    size = sum(len(file.mutants) for file in schemata())
    address = ctypes.CDLL(str(module_path())).rosenblatt_reached_mutants
    address.restype = ctypes.POINTER(ctypes.c_char * size)
    marks = address().contents
    places: dict[str, list[str]] = {}

    def clear(test: str) -> None:
        ctypes.memset(marks, 0, size)

    def note(test: str) -> None:
        for number, mark in enumerate(marks.raw):
            if mark:
                places.setdefault(str(number), []).append(test)

    ran = session.run(session.names(test_path), clear, note)
    if ran.failed:
        raise RuntimeError(f"{ran.failed} fail without a mutant")
    return {"seconds": ran.seconds, "places": places}


def try_mutant(session: Session, reach: Reach, mutant: Mutant, tests: list[str], programs: list[str]) -> list[str]:
    """Run the tests and programs that reach a mutant until one fails."""
    os.environ["ROSENBLATT_MUTANT"] = str(mutant.number)
    ctypes.CDLL(str(module_path())).rosenblatt_activate_mutant(mutant.number)
    failed = session.run(tests, lambda test: allow(reach.limit(test))).failed
    for program in programs if not failed else ():
        allow(reach.limit(program))
        if not run_program(program):
            return [program]
    return failed


def tasks(session: Session, reach: Reach, mutants: Iterable[Mutant], longest: float) -> Iterator[Task]:
    for mutant in mutants:
        reaching = reach.tests(str(mutant.number), longest=math.inf)
        programs = [test for test in reaching if test in PROGRAMS]
        tests = [test for test in reach.tests(str(mutant.number), longest=longest) if test not in PROGRAMS]
        seconds = 5 + reach.limit(*tests, *programs)
        yield Task(mutant.key, partial(try_mutant, session, reach, mutant, tests, programs), seconds)
