"""Training and verdicts over many processes or machines, on any `concurrent.futures.Executor`.

Knows blocks of rows and fixed sums. May import `solvers` and below. Dask is
imported only where its name stands.
"""
