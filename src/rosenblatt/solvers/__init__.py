"""Solvers of penalised losses: Newton, the dual of the hinge, gradient descent. May import `prove` and below."""
