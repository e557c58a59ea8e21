"""Keeps: which weights are returned."""

from .part import Part

KEEPS = {
    "last": Part(0, "the weights after the last visit"),
    "average": Part(1, "the mean of the weights after each visit"),
    "best": Part(2, "the weights with the fewest mistakes met so far (the pocket)"),
    "vote": Part(3, "all weights met, each with as many votes as visits that it survived"),
}
