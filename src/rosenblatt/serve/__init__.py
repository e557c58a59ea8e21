"""A model that answers and learns over HTTP: every acknowledged row is in a log, and the model follows from the log.

May import `lab` and below.
"""
