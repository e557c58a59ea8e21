"""Columns of any kind to columns of numbers."""
