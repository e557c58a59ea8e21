"""Rows in, weights out: the loop around the core's one resumable call. May import `parts` and below."""
