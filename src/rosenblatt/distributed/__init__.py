"""Training over many processes or machines, on any `concurrent.futures.Executor`. Knows blocks of rows and fixed sums.

May import `foundation`, `parts`, `engine` and `solvers`. Dask is imported only where its name stands.
"""
