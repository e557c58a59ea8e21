"""How fast rosenblatt is, as ratios to its peers on this machine: `python -m benchmarks`.

A task (`training.py`, `prediction.py`) is a pair of stopwatches, ours and the peer's, on the same rows (`datasets.py`)
with the same number of epochs or the same result. `timing.py` runs the two in turn, `report.py` writes the table.
"""
