"""Penalties that make weights exactly 0: the l1 norm and the elastic net, by a proximal Newton method.

    C sum_i s_i loss_i + r ||w||_1 + (1 - r) / 2 ||w||^2,  0 < r <= 1

It knows `newton/`, whose objectives of rows it extends, and imports nothing above `solvers/`.
"""
