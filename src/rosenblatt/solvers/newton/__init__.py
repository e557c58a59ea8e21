"""Newton's method for smooth penalised losses. May import `foundation`, `parts`, `engine` and `solvers/dual.py`."""
