"""The checks on real data, on a small folder made up for the purpose."""

import lzma
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = """
| file | rows | separable |
|---|---|---|
| steps.csv.xz | 4 | **yes** |
| mixed.csv.xz | 8 | no; best train acc 75.00% |
| lost.csv.xz | 9 | **yes** |
"""


def run(folder):
    environment = {**os.environ, "ROSENBLATT_DATA": str(folder)}
    command = [sys.executable, "-m", "evidence"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def write(folder, name, *lines):
    (folder / name).write_bytes(lzma.compress("\n".join(lines).encode()))


def test_claims_are_checked_and_absent_files_skipped(tmp_path):
    (tmp_path / "README.md").write_text(README)
    write(tmp_path, "steps.csv.xz", "height,colour,label", "1,red,no", "2,red,no", "5,blue,yes", "6,,yes")
    write(tmp_path, "mixed.csv.xz", "height,label", "1,a", "2,a", "3,a", "5,a", "5,b", "8,b", "9,b", "10,b")
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lost.csv.xz                skipped: it is not in the folder" in done.stdout
    assert "2 of 3 datasets checked, 1 skipped, 0 checks failed." in done.stdout
    assert "complete; proved\n" in done.stdout
    assert "quasi; proved\n" in done.stdout


def test_a_claim_that_does_not_hold_fails(tmp_path):
    (tmp_path / "README.md").write_text(README)
    write(tmp_path, "mixed.csv.xz", "height,label", "1,a", "1,b", "2,a", "2,b")
    done = run(tmp_path)
    assert done.returncode == 1
    assert " NO " in done.stdout


def test_without_a_folder_nothing_is_checked():
    done = run("")
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing checked")
