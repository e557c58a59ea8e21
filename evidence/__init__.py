"""Checks on real data: `python -m evidence`, with ROSENBLATT_DATA naming a folder of datasets.

The folder's README.md has a table that says of each file whether a plane separates its classes, and how good the best
plane known is. `claims.py` reads the table, `datasets.py` the files, `checks.py` holds the learners to the claims, and
`optimum.py` those with an objective to its least value, as other libraries find it.
"""
