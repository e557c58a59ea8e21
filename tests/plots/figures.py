"""Small runs to draw, and what axes show of them."""

import numpy as np

from rosenblatt import Perceptron

X = np.array([[3.0, 3], [4, 3], [1, 1], [0, 2]])
y = np.array([1, 1, -1, -1])


def perceptron():
    return Perceptron(order="cyclic").fit(X, y, trace=True)


def line_of(ax, label):
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return np.column_stack(line.get_data())


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]
