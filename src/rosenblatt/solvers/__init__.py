"""Ways to the optimum of a penalised loss: Newton, dual coordinate ascent, gradient descent."""
