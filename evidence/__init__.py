"""Checks on real data: `python -m evidence`, with ROSENBLATT_DATA naming a folder of datasets.

The README.md of the folder has a table that tells for each file whether a hyperplane separates its classes, and the
accuracy of the best hyperplane known. `claims.py` reads the table and `datasets.py` the files. `checks.py` checks the
perceptrons against the claims; each other module checks one function or command on the files it knows.
"""
