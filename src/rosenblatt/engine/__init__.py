"""Rows in, weights out: the loop around the core's one resumable call. Imports `parts` and `foundation`."""
