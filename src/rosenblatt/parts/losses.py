"""Losses: when w moves, and how hard. m = y (w.x + b) is the margin; a row pushes with -d loss / d m."""

from .part import Part

LOSSES = {
    "perceptron": Part(0, "max(0, -m): pushes with 1 where m <= 0"),
    "hinge": Part(1, "max(0, 1 - m): pushes with 1 where m < 1"),
    "squared-hinge": Part(2, "max(0, 1 - m)^2: pushes with 2 (1 - m) where m < 1"),
    "logistic": Part(3, "log(1 + exp(-m)): pushes with 1 / (1 + exp(m)) everywhere"),
}
