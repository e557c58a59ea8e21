"""The demo: train on a real table with the command line, then predict. It writes into the folder demo/."""

import shutil
import subprocess
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

FOLDER = Path("demo")
NEW = slice(17, 22)


def write_tables(known: Path, new: Path) -> None:
    """Write 569 tumours with 30 measurements and a diagnosis each (Wolberg, Street and Mangasarian, 1995).

    Five of them go to the file of new tumours, without the diagnosis.
    """
    bunch = load_breast_cancer()
    measured = [",".join(map(repr, row.tolist())) for row in bunch.data]
    diagnoses = [str(bunch.target_names[target]) for target in bunch.target]
    names = ",".join(bunch.feature_names)
    complete = [f"{row},{diagnosis}" for row, diagnosis in zip(measured, diagnoses, strict=True)]
    known.write_text("\n".join([f"{names},diagnosis", *complete[: NEW.start], *complete[NEW.stop :]]) + "\n")
    new.write_text("\n".join([names, *measured[NEW]]) + "\n")


def run(*command: str) -> None:
    """Print a command and run it."""
    print(f"\n$ {' '.join(command)}", flush=True)
    program = shutil.which(command[0])
    if program is None:
        sys.exit(f"{command[0]} is not installed here: run 'make demo', or 'pip install .' first.")
    if subprocess.run([program, *command[1:]], cwd=FOLDER).returncode:
        sys.exit(f"{' '.join(command)} failed.")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    write_tables(FOLDER / "tumours.csv", FOLDER / "new-tumours.csv")
    print(f"Wrote tumours.csv, with a diagnosis for each tumour, and new-tumours.csv, without diagnoses, to {FOLDER}/.")
    run("rosenblatt", "train", "tumours.csv", "--target", "diagnosis")
    run("rosenblatt", "predict", "tumours.rosenblatt.safetensors", "new-tumours.csv", "--scores")


if __name__ == "__main__":
    main()
