"""Exact arithmetic on two classes of rows: integers, fractions, and floats with known errors."""
