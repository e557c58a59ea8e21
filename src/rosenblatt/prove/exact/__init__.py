"""Exact arithmetic, and two classes of rows in it."""
