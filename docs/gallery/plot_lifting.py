"""
Exclusive or, lifted
====================

No line separates the four corners of exclusive or. In the space of all products of up to two columns a plane does,
and ``separating_degree`` proves that degree 2 is the least. On noisy corners, the lifted perceptron's plane is a
curve in the columns as they are.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, plots, separating_degree

print(separating_degree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))

rng = np.random.default_rng(0)
corner = rng.integers(0, 2, (120, 2))
X = corner + rng.normal(scale=0.16, size=(120, 2))
y = corner[:, 0] ^ corner[:, 1]

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
models = {
    "products of two columns": Perceptron(features="polynomial-2", random_state=0),
    "Gaussian kernel": KernelPerceptron(gamma=4.0, random_state=0),
}
for ax, (title, model) in zip(axes, models.items(), strict=True):
    plots.decision_regions(model.fit(X, y), X, y, ax=ax)
    ax.set(title=title, aspect="equal")
