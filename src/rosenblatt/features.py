"""Features: the space a learner works in. The constant coordinate of the offset is the smallest lift of all."""

from .parts import Part

FEATURES = {
    "identity": Part(0, "x"),
    "polynomial-2": Part(1, "x and all products x_i x_j with i <= j, made row by row"),
}
