"""Speed of rosenblatt as ratios to other libraries on one machine: `python -m benchmarks`.

A group (`groups.py`) is a module of tasks and a section of `RESULTS.md`. A task (`tasks.py`) is a row: the same work on
the same rows (`datasets.py`), ours and a peer's. `timing.py` times both sides in turn, `report.py` writes the section,
and `results.py` puts it into the file. `compare.py` times two versions of rosenblatt against each other.
"""
